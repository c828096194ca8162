import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { conformance, inboxConformance } from '../support/platform-conformance.ts'
import type { StandIn } from '../support/platform-conformance.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { control } from '../support/test-server.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { createPlatforms } from '#platforms/registry.ts'
import { startPractice } from '#simulators/practice.ts'
import type { Practice } from '#simulators/practice.ts'

const APP_URL = 'http://localhost:4400'
const NOWHERE = 'http://127.0.0.1:9'

const CALLS = {
  tiktok: {
    exchange: 'token',
    options: 'creator_info',
    open: 'init',
    commit: 'final_chunk',
    results: 'video_query',
    publishing: ['creator_info', 'init', 'chunk', 'final_chunk', 'status'],
  },
  instagram: {
    exchange: 'token',
    options: 'me',
    open: 'create',
    commit: 'publish',
    results: 'insights',
    publishing: ['create', 'container', 'publish', 'media'],
    commitErrors: [
      { code: 4, subcode: 2_207_051 },
      { code: 24, subcode: 2_207_008 },
      { code: 506 },
      { code: -1, subcode: 2_207_001 },
      { code: 2 },
      { code: 4 },
      { code: 368 },
      { code: 80_002, subcode: 2_446_079 },
      { code: 9004, subcode: 2_207_052 },
      { code: 100, subcode: 33 },
      { code: 31_337 },
      { code: 9007, subcode: 2_207_027, times: 99 },
    ],
  },
  youtube: {
    exchange: 'token',
    options: 'channel',
    open: 'initiate',
    commit: 'final_chunk',
    results: 'videos',
    publishing: ['initiate', 'probe', 'chunk', 'final_chunk', 'videos'],
  },
} as const

type Sized = { readonly bytes: Buffer; readonly sha256: string }
const sized = (bytes: Buffer): Sized => ({ bytes, sha256: createHash('sha256').update(bytes).digest('hex') })

let dir: string
let practice: Practice
let media: { url: string; close(): Promise<void> }
let small: Sized
let large: Sized
let aheadMs = 0

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-conformance-'))
  practice = await startPractice({ port: 0, dir, appUrl: APP_URL })
  small = sized(await readFile(new URL('../fixtures/good.mp4', import.meta.url)))
  large = sized(padded(small.bytes, 66_000_000))
  media = await serve(small.bytes)
})

afterAll(async () => {
  await practice.close()
  await media.close()
  await rm(dir, { recursive: true, force: true })
})

beforeEach(async () => {
  await control(practice.url, 'DELETE', '/_control')
  aheadMs = 0
})

describe('TikTok', () => {
  for (const check of conformance(CALLS.tiktok)) {
    it(check.name, () => check.run(standIn('tiktok', check.name)))
  }
})

describe("TikTok, drafts for the creator's inbox", () => {
  const draft = { options: { post_mode: 'MEDIA_UPLOAD' }, toInbox: true }
  const checks = inboxConformance(['inbox_init', 'chunk', 'final_chunk', 'status'], CALLS.tiktok.commit)
  for (const check of checks) {
    it(check.name, () => check.run({ ...standIn('tiktok', check.name), ...draft }))
  }
})

describe('YouTube', () => {
  for (const check of conformance(CALLS.youtube)) {
    it(check.name, () => check.run(standIn('youtube', check.name)))
  }
})

describe('Instagram', () => {
  for (const check of conformance(CALLS.instagram)) {
    it(check.name, () => check.run(standIn('instagram', check.name)))
  }
})

/** Shapes and answers on which documentation and reality differ. */
const VARIANTS: readonly {
  readonly id: PlatformId
  readonly settings: Readonly<Record<string, unknown>>
  readonly only?: RegExp
}[] = [
  {
    id: 'tiktok',
    settings: {
      tiktok_oauth_error_status: 400,
      tiktok_repeated_chunk_status: 206,
      tiktok_refresh_rotation: 'at_once',
    },
  },
  {
    id: 'tiktok',
    settings: {
      tiktok_repeated_chunk_status: 206,
      tiktok_content_range: 'last',
      tiktok_status_lag_ms: 30_000,
    },
  },
  // A gateway sent the last chunk twice, and the status lags: the refusal alone does not tell the outcome.
  ...[404, 416].map((tiktok_repeated_chunk_status) => ({
    id: 'tiktok' as const,
    settings: { tiktok_repeated_chunk_status, tiktok_status_lag_ms: 30_000 },
    only: / at final_chunk /,
  })),
  {
    id: 'youtube',
    settings: {
      youtube_final_status: 200,
      youtube_gap_status: 503,
      youtube_session_gone_status: 410,
      youtube_put_needs_token: false,
      youtube_refresh_returns_new: true,
      youtube_error_shape: 'status',
    },
  },
  { id: 'youtube', settings: { youtube_retry_after_s: 2, youtube_error_shape: 'reasons' } },
  {
    id: 'instagram',
    settings: {
      instagram_token_shape: 'data',
      instagram_permissions_shape: 'string',
      instagram_me_shape: 'data',
      instagram_caption_in_list: false,
      instagram_ids: 'number',
      instagram_account_type_case: 'documented',
      instagram_error_language: 'th',
      instagram_refresh_ends_old: true,
      instagram_published_again: 'same_id',
      instagram_retired_metrics: 'reach,saved',
      instagram_metric_refusal: 'unnamed',
      instagram_insights_refusal: 'missing',
    },
    // Such an Instagram would double calls that a gateway repeats, which nobody here can prevent.
    only: /^(?!repeated at )/,
  },
]

describe.each(VARIANTS)('$id with $settings', ({ id, settings, only }) => {
  beforeEach(() => control(practice.url, 'POST', '/_control/settings', settings))

  const checks = conformance({ ...CALLS[id], publishing: [CALLS[id].commit] })
  for (const check of checks.filter(({ name }) => only?.test(name) ?? true)) {
    it(check.name, () => check.run(standIn(id, check.name)))
  }
})

const now = () => Date.now() + aheadMs

/** Where chunks matter the video has several; elsewhere one is enough, and faster. */
const CHUNKS_MATTER = / at (?:chunk|probe) |whole|older|commit/

function standIn(id: PlatformId, check: string): StandIn {
  const { bytes, sha256 } = id !== 'instagram' && CHUNKS_MATTER.test(check) ? large : small
  return {
    platform: platformAt(id, practice.url),
    nowhere: platformAt(id, NOWHERE),
    practiceUrl: practice.url,
    redirectUri: `${APP_URL}/dashboard/oauth/${id}/callback`,
    creator: 'nova',
    options: REQUIRED_OPTIONS[id],
    video: {
      size: bytes.length,
      mime: 'video/mp4',
      durationS: 4,
      sha256,
      read: (first, last) =>
        Promise.resolve(Readable.from(slices(bytes, first, last), { objectMode: false })),
      address: () => Promise.resolve(media.url),
    },
    calls: CALLS[id],
    now,
    advance: async (seconds) => {
      await control(practice.url, 'POST', '/_control/settle', {})
      aheadMs += seconds * 1000
      await control(practice.url, 'POST', '/_control/clock', { advance_s: seconds })
    },
  }
}

function platformAt(id: PlatformId, base: string): Platform {
  const platform = createPlatforms(
    {
      tiktok: {
        mode: 'practice',
        clientKey: 'practice-tiktok-key',
        clientSecret: 'practice-tiktok-secret',
        authorizeUrl: `${base}/tiktok/v2/auth/authorize/`,
        apiUrl: `${base}/tiktok`,
        uploadHosts: [new URL(base).host],
        postUrl: `${base}/tiktok`,
        appAudited: true,
      },
      instagram: {
        mode: 'practice',
        appId: '1000000000000001',
        appSecret: 'practice-instagram-secret',
        metaAppSecret: null,
        // Each host by its own name, and strict about other hosts' calls.
        authorizeUrl: `${base}/www.instagram.com/oauth/authorize`,
        apiUrl: `${base}/api.instagram.com`,
        graphUrl: `${base}/graph.instagram.com`,
      },
      youtube: {
        mode: 'practice',
        clientId: '100000000001-practice.apps.googleusercontent.com',
        clientSecret: 'practice-youtube-secret',
        authorizeUrl: `${base}/youtube/o/oauth2/v2/auth`,
        oauthUrl: `${base}/youtube`,
        apiUrl: `${base}/youtube`,
        analyticsUrl: `${base}/youtubeanalytics.googleapis.com`,
        uploadHosts: [new URL(base).host],
        videoUrl: `${base}/youtube`,
        appPublished: true,
        appVerified: true,
      },
    },
    now,
  )[id]
  if (platform === null) throw new Error(`${id} is off`)
  return platform
}

function padded(video: Buffer, size: number): Buffer {
  const box = Buffer.alloc(size - video.length)
  box.writeUInt32BE(box.length, 0)
  box.write('free', 4, 'latin1')
  return Buffer.concat([video, box])
}

/** Copies, since each is freed once it is sent. */
function* slices(bytes: Buffer, first: number, last: number): Generator<Buffer> {
  const step = 1_048_576
  for (let at = first; at <= last; at += step)
    yield Buffer.from(bytes.subarray(at, Math.min(at + step, last + 1)))
}

async function serve(video: Buffer): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url !== '/video.mp4') return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': video.length })
    return response.end(request.method === 'HEAD' ? undefined : video)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/video.mp4`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
