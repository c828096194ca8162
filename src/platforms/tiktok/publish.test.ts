import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import type { Session } from '#domain/delivery/state.ts'
import type { PublishJob } from '../platform.ts'
import { scriptedServer } from '../scripted-server.ts'
import type { Scripted, ScriptedServer } from '../scripted-server.ts'
import type { TikTokConfig } from './config.ts'
import { createTikTok } from './index.ts'
import { isUploadAddress } from './publish.ts'

const INIT = '/v2/post/publish/video/init/'
const STATUS = '/v2/post/publish/status/fetch/'
const CREATOR = '/v2/post/publish/creator_info/query/'
const NOW = 1_800_000_000_000
const HOUR_MS = 3_600_000

let server: ScriptedServer
afterEach(() => server.close())

const enveloped = (data: unknown): Scripted => ({ body: JSON.stringify({ data, error: { code: 'ok' } }) })
const refusal = (code: string, status: number): Scripted => ({
  status,
  body: JSON.stringify({ error: { code, message: 'no' } }),
})
const status = (uploaded: number | undefined, more: Record<string, unknown> = {}): Scripted =>
  enveloped({ status: 'PROCESSING_UPLOAD', uploaded_bytes: uploaded, ...more })
const put = (code: number): Scripted => ({ status: code, body: '' })

const creator = {
  creator_username: 'ann',
  creator_nickname: 'Ann',
  privacy_level_options: ['PUBLIC_TO_EVERYONE', 'SELF_ONLY'],
  comment_disabled: false,
  duet_disabled: true,
  stitch_disabled: false,
  max_video_post_duration_sec: 600,
}

const config = (more: Partial<TikTokConfig> = {}): TikTokConfig => ({
  mode: 'practice',
  clientKey: 'key',
  clientSecret: 'secret',
  authorizeUrl: `${server.url}/auth/`,
  apiUrl: server.url,
  uploadHosts: [new URL(server.url).host],
  postUrl: 'https://www.tiktok.com',
  appAudited: true,
  ...more,
})
const tiktok = (now = NOW, more: Partial<TikTokConfig> = {}) => createTikTok(config(more), () => now)

const job = (size: number, more: Partial<PublishJob> = {}): PublishJob => ({
  account: { accessToken: 'act.1', externalId: '-000', username: 'ann' },
  text: 'hello #cat',
  options: {},
  video: {
    size,
    mime: 'video/quicktime',
    durationS: 10,
    read: (first, last) => Promise.resolve(Readable.from([Buffer.alloc(last - first + 1)])),
    address: () => Promise.reject(new Error('not pulled')),
  },
  signal: new AbortController().signal,
  ...more,
})

/** A session of a video of `count` chunks of ten bytes. */
const session = (count: number, more: Record<string, boolean | number> = {}): Session => ({
  publishId: 'v_pub_file~v2-1.7',
  username: 'ann',
  uploadUrl: `${server.url}/upload?upload_token=secret-token`,
  expiresAt: NOW + HOUR_MS,
  size: count * 10,
  chunkSize: 10,
  count,
  next: count - 1,
  contested: false,
  taken: false,
  ...more,
})

test('opening asks the creator first, and sends what their settings forbid as disabled', async () => {
  server = await scriptedServer({
    [CREATOR]: [enveloped(creator)],
    [INIT]: [enveloped({ publish_id: 'v_pub_file~v2-1.7', upload_url: 'http://127.0.0.1:1/upload' })],
  })
  const opened = await tiktok(NOW, { uploadHosts: ['127.0.0.1:1'] }).open(job(75_000_000))
  expect(opened).toMatchObject({
    ok: true,
    value: { chunkSize: 10_000_000, count: 7, next: 0, expiresAt: NOW + HOUR_MS - 60_000 },
  })
  expect(JSON.parse(server.heard[1]?.body ?? '')).toEqual({
    post_info: {
      title: 'hello #cat',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: false,
      disable_duet: true,
      disable_stitch: false,
      video_cover_timestamp_ms: 0,
      brand_content_toggle: false,
      brand_organic_toggle: false,
    },
    source_info: {
      source: 'FILE_UPLOAD',
      video_size: 75_000_000,
      chunk_size: 10_000_000,
      total_chunk_count: 7,
    },
  })
})

test('an upload address that is not of TikTok gets nothing', async () => {
  server = await scriptedServer({
    [CREATOR]: [enveloped(creator)],
    [INIT]: [enveloped({ publish_id: 'v', upload_url: 'https://evil.example/tiktokapis.com' })],
  })
  expect(await tiktok().open(job(100))).toMatchObject({
    ok: false,
    failure: { kind: 'rejected', reason: { code: 'upload_host' } },
  })
})

test('what TikTok would refuse is not sent to it', async () => {
  server = await scriptedServer({ [CREATOR]: [enveloped(creator), enveloped(creator), enveloped(creator)] })
  const code = async (opened: ReturnType<ReturnType<typeof tiktok>['open']>): Promise<string | null> => {
    const result = await opened
    return result.ok ? null : result.failure.reason.code
  }
  expect(await code(tiktok(NOW, { appAudited: false }).open(job(100)))).toBe(
    'unaudited_client_can_only_post_to_private_accounts',
  )
  const friends = job(100, { options: { privacy_level: 'MUTUAL_FOLLOW_FRIENDS' } })
  expect(await code(tiktok().open(friends))).toBe('privacy_level_option_mismatch')
  const { video } = job(100)
  expect(await code(tiktok().open(job(100, { video: { ...video, durationS: 601 } })))).toBe('too_long')
  expect(await code(tiktok().open(job(0)))).toBe('size')
  expect(server.heard.map(({ url }) => url)).toEqual([CREATOR, CREATOR, CREATOR])
})

test('an unaudited app is offered Private only, and told why', async () => {
  server = await scriptedServer({ [CREATOR]: [enveloped(creator)] })
  const options = await tiktok(NOW, { appAudited: false }).options({ accessToken: 'a', externalId: null })
  expect(options).toMatchObject({ ok: true, value: { privacy_levels: ['SELF_ONLY'], max_duration_s: 600 } })
  expect(options.ok && options.value.platform === 'tiktok' && options.value.notice).toContain('audited')
})

test('chunks go up one by one, without a token, and each is reported', async () => {
  server = await scriptedServer({ '/upload': [put(206), put(206)] })
  const sent: number[] = []
  const outcome = await tiktok().send(job(30), session(3, { next: 0 }), async (progress) => {
    sent.push(progress.sent)
  })
  expect(outcome).toMatchObject({ kind: 'ready', session: { next: 2 } })
  expect(sent).toEqual([10, 20])
  expect(server.heard.map(({ headers }) => headers['content-range'])).toEqual([
    'bytes 0-9/30',
    'bytes 10-19/30',
  ])
  expect(server.heard[0]?.headers.authorization).toBeUndefined()
  expect(server.heard[0]?.headers['content-type']).toBe('video/quicktime')
})

test('416 is answered with what TikTok holds, forwards and backwards', async () => {
  server = await scriptedServer({
    '/upload': [put(416), put(206), put(416), put(206), put(206)],
    [STATUS]: [status(10), status(10)],
  })
  const outcome = await tiktok().send(job(40), session(4, { next: 0 }), async () => undefined)
  expect(outcome).toMatchObject({ kind: 'ready' })
  const ranges = server.heard
    .filter(({ method }) => method === 'PUT')
    .map(({ headers }) => headers['content-range'])
  expect(ranges).toEqual([
    'bytes 0-9/40',
    'bytes 10-19/40',
    'bytes 20-29/40',
    'bytes 10-19/40',
    'bytes 20-29/40',
  ])
})

test('a disagreement without end ends the upload', async () => {
  server = await scriptedServer({
    '/upload': [put(416), put(416), put(416), put(416), put(416)],
    [STATUS]: [status(0), status(0), status(0), status(0), status(0)],
  })
  expect(await tiktok().send(job(40), session(4, { next: 0 }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
    failure: { reason: { code: 'upload_out_of_step' } },
  })
})

test.each([
  [403, 'upload_expired'],
  [404, 'upload_gone'],
  [400, 'upload_refused'],
])('%i while sending ends the upload, of which nothing can become public', async (code, reason) => {
  server = await scriptedServer({ '/upload': [put(code)] })
  expect(await tiktok().send(job(30), session(3, { next: 0 }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
    failure: { kind: 'rejected', reason: { code: reason } },
  })
})

test('a server error while sending keeps the upload', async () => {
  server = await scriptedServer({ '/upload': [put(503)] })
  expect(await tiktok().send(job(30), session(3, { next: 1 }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: { next: 1 },
    failure: { kind: 'unreachable' },
  })
})

test('an address that has run out is not used any more', async () => {
  server = await scriptedServer({})
  const late = tiktok(NOW + HOUR_MS)
  expect(await late.send(job(30), session(3, { next: 0 }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
  })
  expect(await late.commit(job(30), session(3))).toMatchObject({ kind: 'refused', session: null })
  expect(server.heard).toHaveLength(0)
})

test('an upload whose last chunk may have arrived is never given up while sending', async () => {
  server = await scriptedServer({ '/upload': [put(404)] })
  const contested = session(3, { next: 0, contested: true })
  expect(await tiktok().send(job(30), contested, async () => undefined)).toMatchObject({ kind: 'ready' })
})

test('201 to the last chunk is accepted', async () => {
  server = await scriptedServer({ '/upload': [put(201)] })
  expect(await tiktok().commit(job(30), session(3))).toMatchObject({
    kind: 'accepted',
    session: { taken: true },
  })
  expect(server.heard[0]?.headers['content-range']).toBe('bytes 20-29/30')
})

test.each([200, 206, 302, 429, 500, 502, 503])('%i to the last chunk proves nothing', async (code) => {
  server = await scriptedServer({ '/upload': [put(code)] })
  const outcome = await tiktok().commit(job(30), session(3))
  expect(outcome.kind).toBe('unanswered')
  expect(JSON.stringify(outcome)).not.toContain('secret-token')
})

test('a last chunk that cannot leave this machine is known not to have been sent', async () => {
  server = await scriptedServer({})
  const unreadable = { ...job(30).video, read: () => Promise.reject(new Error('gone')) }
  expect(await tiktok().commit(job(30, { video: unreadable }), session(3))).toMatchObject({
    kind: 'unsent',
    failure: { kind: 'unreachable', reason: { code: 'storage_error' } },
  })
  await server.close()
  expect(await tiktok().commit(job(30), session(3))).toMatchObject({ kind: 'unsent' })
})

const COMPLETE = enveloped({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: [] })
const FAILED = enveloped({ status: 'FAILED', fail_reason: 'spam_risk_text' })

test.each([
  // A refusal counts once TikTok's status says the same.
  [400, status(20), false, 'refused'],
  [403, status(20), false, 'refused'],
  [404, status(20), false, 'refused'],
  [416, status(20), false, 'refused'],
  [403, FAILED, false, 'refused'],
  // The refused sending was not the only one.
  [404, status(30), false, 'accepted'],
  [416, status(30), false, 'accepted'],
  [404, COMPLETE, false, 'accepted'],
  [404, COMPLETE, true, 'accepted'],
  // Earlier chunks are missing: the same address, so the same post.
  [416, status(10), false, 'not_ready'],
  [416, status(10), true, 'not_ready'],
  // The last chunk was sent before, and nobody knows where that is.
  [403, status(20), true, 'unanswered'],
  [404, status(20), true, 'unanswered'],
  // TikTok cannot be asked.
  [404, refusal('internal_error', 500), false, 'unanswered'],
  [403, refusal('access_token_invalid', 401), false, 'unanswered'],
] as const)('%i to the last chunk, then %o (contested: %s): %s', async (code, told, contested, kind) => {
  server = await scriptedServer({ '/upload': [put(code)], [STATUS]: [told] })
  const outcome = await tiktok().commit(job(30), session(3, { contested }))
  expect(outcome.kind).toBe(kind)
  if (outcome.kind === 'refused') expect(outcome.session).toBeNull()
  if (outcome.kind === 'not_ready') expect(outcome.session).toMatchObject({ next: 1 })
})

test('a lost last chunk may be sent again only while its address lives', async () => {
  server = await scriptedServer({ [STATUS]: [status(20), status(20), status(30), status(20)] })
  expect(await tiktok().check(job(30), session(3))).toMatchObject({
    kind: 'uncommitted',
    session: { next: 2, contested: true },
  })
  expect(await tiktok(NOW + HOUR_MS).check(job(30), session(3))).toMatchObject({ kind: 'pending' })
  expect(await tiktok().check(job(30), session(3))).toMatchObject({ kind: 'accepted' })
  // After a 201 the figure is only late.
  expect(await tiktok().check(job(30), session(3, { taken: true }))).toMatchObject({ kind: 'accepted' })
})

const ask = () => tiktok().check(job(30), session(3))

test('every answer to "what became of it" is told as what it is', async () => {
  server = await scriptedServer({
    [STATUS]: [
      {
        body: '{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7678907398077074696]},"error":{"code":"ok"}}',
      },
      enveloped({ status: 'FAILED', fail_reason: 'internal' }),
      enveloped({ status: 'FAILED', fail_reason: 'brand_new' }),
      enveloped({ status: 'SOMETHING_NEW' }),
      refusal('invalid_publish_id', 400),
      refusal('access_token_invalid', 401),
    ],
  })
  expect(await ask()).toEqual({
    kind: 'live',
    postId: '7678907398077074696',
    url: 'https://www.tiktok.com/@ann/video/7678907398077074696',
  })
  expect(await ask()).toMatchObject({ kind: 'rejected', failure: { againInS: [300, 1800] } })
  expect(await ask()).toMatchObject({ kind: 'rejected', failure: { reason: { code: 'brand_new' } } })
  expect(await ask()).toMatchObject({ kind: 'pending' })
  expect(await ask()).toMatchObject({ kind: 'unreadable' })
  expect(await ask()).toMatchObject({ kind: 'unreadable', failure: { kind: 'account', expired: true } })
})

test('a post that is not public never gets an address, and is not asked for one', async () => {
  server = await scriptedServer({})
  const own = job(30, { options: { privacy_level: 'SELF_ONLY' } })
  expect(await tiktok().locate(own, session(3), null)).toEqual({
    ok: true,
    value: { postId: null, url: null, complete: true },
  })
  expect(server.heard).toHaveLength(0)
})

test('revoking renews an expired access first', async () => {
  const token = {
    access_token: 'act.2',
    expires_in: 86_400,
    open_id: 'o',
    refresh_token: 'rft.2',
    refresh_expires_in: 31_536_000,
    scope: 'user.info.basic',
  }
  server = await scriptedServer({
    '/v2/oauth/token/': [{ body: JSON.stringify(token) }],
    '/v2/oauth/revoke/': [{ body: '' }],
  })
  const tokens = {
    accessToken: 'act.1',
    accessExpiresAt: NOW - 1,
    refreshToken: 'rft.1',
    refreshExpiresAt: NOW + 1,
    issuedAt: NOW - 86_400_000,
  }
  expect((await tiktok().revoke(tokens)).ok).toBe(true)
  expect(new URLSearchParams(server.heard[1]?.body).get('token')).toBe('act.2')
})

test('only https under tiktokapis.com is an upload address in live mode', async () => {
  server = await scriptedServer({})
  const live = config({ mode: 'live', uploadHosts: ['tiktokapis.com'] })
  const allowed = (address: string): boolean => isUploadAddress(live, address)
  expect(allowed('https://open-upload-va.tiktokapis.com/upload?upload_id=1')).toBe(true)
  expect(allowed('https://upload.us.tiktokapis.com/video/?x')).toBe(true)
  for (const address of [
    'http://open-upload.tiktokapis.com/upload',
    'https://eviltiktokapis.com/upload',
    'https://tiktokapis.com.evil.example/',
    'https://open-upload.tiktokapis.com:8443/upload',
    'https://user:pass@open-upload.tiktokapis.com/upload',
    'not an address',
  ])
    expect(allowed(address), address).toBe(false)
})
