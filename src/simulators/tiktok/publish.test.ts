import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  halfVideo,
  hollowVideo,
  initBody,
  linkTikTok,
  paddedVideo,
  putChunk,
  sampleVideo,
  start,
  tiktokPost,
  until,
  type Client,
  type TikTokAnswer,
} from '../test-client.ts'

let client: Client
let token: string
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
    tiktok_rate_limits: false,
  })
  token = (await linkTikTok(client)).access_token
})

const init = (body: object, bearer = token): Promise<TikTokAnswer> =>
  tiktokPost(client, bearer, 'video/init', body)
const status = (publishId: string): Promise<TikTokAnswer> =>
  tiktokPost(client, token, 'status/fetch', { publish_id: publishId })
const finished = (publishId: string): Promise<TikTokAnswer> =>
  until(
    () => status(publishId),
    ({ data }) => data.status !== 'PROCESSING_UPLOAD',
  )
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

async function post(video: Buffer, info: Record<string, unknown> = {}): Promise<TikTokAnswer> {
  const { data } = await init(initBody(video.length, video.length, 1, info))
  await putChunk(data.upload_url, video, 0, video.length - 1)
  return finished(data.publish_id)
}

describe('the plan of chunks', () => {
  test.each([
    ['one chunk', 5_242_881, 5_242_881, 1],
    ['floor, so that the last chunk absorbs the rest', 50_000_123, 10_000_000, 5],
    ['64 MiB in one', 67_108_864, 67_108_864, 1],
    ['4 GiB', 4_294_967_296, 10_000_000, 429],
  ])('%s is accepted', async (_name, size, chunk, count) => {
    expect((await init(initBody(size, chunk, count))).error.code).toBe('ok')
  })
  test.each([
    ['the count rounded up', 12_000_000, 5_242_880, 3, 'The total chunk count is invalid'],
    ['one chunk smaller than the video', 7_000_000, 5_242_880, 1, 'The chunk size is invalid'],
    ['one chunk beyond 64 MiB', 121_000_000, 121_000_000, 1, 'The chunk size is invalid'],
    ['chunks under 5 MB', 10_000_000, 1_000_000, 10, 'The chunk size is invalid'],
    ['more than 4 GiB', 4_294_967_297, 10_000_000, 429, 'The chunk size is invalid'],
    ['more than 1000 chunks', 4_294_967_296, 4_290_000, 1001, 'The total chunk count is invalid'],
    ['a size that is no whole number', 1000.5, 1000.5, 1, 'The chunk size is invalid'],
  ])('%s is refused', async (_name, size, chunk, count, message) => {
    expect(await init(initBody(size, chunk, count))).toMatchObject({
      status: 400,
      error: { code: 'invalid_params', message },
    })
  })
})

test.each([
  ['an unknown privacy level', { privacy_level: 'PRIVATE' }, 400, 'invalid_params'],
  [
    'a level that this creator does not offer',
    { privacy_level: 'FOLLOWER_OF_CREATOR' },
    403,
    'privacy_level_option_mismatch',
  ],
  ['a title of 2201 UTF-16 units', { title: 'x'.repeat(2201) }, 400, 'invalid_params'],
  [
    'branded content for nobody',
    { privacy_level: 'SELF_ONLY', brand_content_toggle: true },
    400,
    'invalid_params',
  ],
])('%s is refused', async (_name, info, code, error) => {
  expect(await init(initBody(1000, 1000, 1, info))).toMatchObject({ status: code, error: { code: error } })
})

test("creator_info reports a creator's limits with 200, init refuses with 403", async () => {
  const info = (): Promise<TikTokAnswer> => tiktokPost(client, token, 'creator_info/query', {})
  expect(await info()).toMatchObject({
    data: {
      creator_username: 'nova',
      privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      max_video_post_duration_sec: 3600,
    },
  })
  await client.control('POST', '/accounts', { platform: 'tiktok', username: 'nova', banned: true })
  const code = 'spam_risk_user_banned_from_posting'
  expect(await info()).toMatchObject({ status: 200, error: { code } })
  expect(await init(initBody(1000))).toMatchObject({ status: 403, error: { code } })
})

test('a private creator offers followers instead of everyone, and neither duet nor stitch', async () => {
  const quiet = (await linkTikTok(client, 'quiet')).access_token
  expect(await tiktokPost(client, quiet, 'creator_info/query', {})).toMatchObject({
    data: {
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      duet_disabled: true,
      stitch_disabled: true,
    },
  })
})

test('an app without the audit posts only privately, to private accounts', async () => {
  await client.control('POST', '/apps', { platform: 'tiktok', audited: false })
  const quiet = (await linkTikTok(client, 'quiet')).access_token
  const forNobody = initBody(1000, 1000, 1, { privacy_level: 'SELF_ONLY' })
  const code = 'unaudited_client_can_only_post_to_private_accounts'
  expect(await init(forNobody)).toMatchObject({ status: 403, error: { code } })
  expect(await init(forNobody, quiet)).toMatchObject({ status: 200, error: { code: 'ok' } })
})

test('the seventh init in a minute is refused, and one a minute later is not', async () => {
  await client.control('POST', '/settings', { tiktok_rate_limits: true })
  for (let n = 0; n < 6; n += 1) expect((await init(initBody(1000))).status).toBe(200)
  expect(await init(initBody(1000))).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } })
  await client.control('POST', '/clock', { advance_s: 61 })
  expect((await init(initBody(1000))).status).toBe(200)
})

test('chunks must arrive in order, with the right range, length and type', async () => {
  const video = paddedVideo(12_000_000)
  const { data } = await init(initBody(video.length, 6_000_000))
  const bare = (headers: Record<string, string>): Promise<Response> =>
    fetch(data.upload_url, { method: 'PUT', headers, body: 'xx' })
  const range = { 'content-range': 'bytes 0-5999999/12000000' }
  expect((await putChunk(data.upload_url, video, 6_000_000, 11_999_999)).status).toBe(416)
  expect((await putChunk(data.upload_url, video, 0, 999_999)).status).toBe(416)
  expect((await bare({ 'content-type': 'video/mp4' })).status).toBe(416)
  expect((await bare({ 'content-type': 'video/mp4', ...range })).status).toBe(400)
  expect((await bare({ 'content-type': 'application/octet-stream', ...range })).status).toBe(400)
  expect((await putChunk(`${data.upload_url}x`, video, 0, 5_999_999)).status).toBe(404)
  expect((await putChunk(data.upload_url, video, 0, 5_999_999)).status).toBe(206)
  expect((await putChunk(data.upload_url, video, 0, 5_999_999)).status).toBe(416)
  expect((await status(data.publish_id)).data).toMatchObject({
    status: 'PROCESSING_UPLOAD',
    uploaded_bytes: 6_000_000,
  })
  await client.control('POST', '/clock', { advance_s: 3601 })
  expect((await putChunk(data.upload_url, video, 6_000_000, 11_999_999)).status).toBe(403)
})

test('a chunk that is reset midway counts for nothing and can be sent again', async () => {
  const video = paddedVideo(12_000_000)
  const { data } = await init(initBody(video.length, 6_000_000))
  await client.control('POST', '/faults', { platform: 'tiktok', call: 'chunk', fault: 'reset_midway' })
  await expect(putChunk(data.upload_url, video, 0, 5_999_999)).rejects.toThrow()
  expect((await status(data.publish_id)).data.uploaded_bytes).toBe(0)
  expect((await putChunk(data.upload_url, video, 0, 5_999_999)).status).toBe(206)
  expect((await putChunk(data.upload_url, video, 6_000_000, 11_999_999)).status).toBe(201)
  await finished(data.publish_id)
  expect(await client.posts()).toMatchObject([{ sha256: sha256(video) }])
})

test('a newer connection takes a chunk over from one that hangs', async () => {
  const video = paddedVideo(6_000_000)
  const { data } = await init(initBody(video.length))
  const hanging = httpRequest(data.upload_url, {
    method: 'PUT',
    headers: {
      'content-type': 'video/mp4',
      'content-length': video.length,
      'content-range': `bytes 0-${video.length - 1}/${video.length}`,
      // Answered when the server has started to handle the request.
      expect: '100-continue',
    },
  })
  const ended = once(hanging, 'error')
  hanging.flushHeaders()
  await once(hanging, 'continue')
  hanging.write(video.subarray(0, 1_000_000))
  expect((await putChunk(data.upload_url, video, 0, video.length - 1)).status).toBe(201)
  await ended
  await finished(data.publish_id)
  expect(await client.posts()).toMatchObject([{ sha256: sha256(video) }])
})

test('stuck processing never ends', async () => {
  const video = sampleVideo()
  await client.control('POST', '/faults', {
    platform: 'tiktok',
    call: 'final_chunk',
    fault: 'stuck_processing',
  })
  const { data } = await init(initBody(video.length))
  await putChunk(data.upload_url, video, 0, video.length - 1)
  await client.control('POST', '/clock', { advance_s: 7200 })
  expect((await status(data.publish_id)).data.status).toBe('PROCESSING_UPLOAD')
  expect(await client.posts()).toEqual([])
})

test('a post for the creator alone goes live without ever telling an id', async () => {
  expect((await post(sampleVideo(), { privacy_level: 'SELF_ONLY' })).text).toContain(
    '"publicaly_available_post_id":[]',
  )
  expect(await client.posts()).toHaveLength(1)
})

test('the file is inspected after the upload', async () => {
  for (const broken of [Buffer.alloc(2000, 1), halfVideo(), hollowVideo()])
    expect((await post(broken)).data).toMatchObject({
      status: 'FAILED',
      fail_reason: 'file_format_check_failed',
    })
  await client.control('POST', '/accounts', {
    platform: 'tiktok',
    username: 'nova',
    max_video_post_duration_sec: 5,
  })
  expect((await post(sampleVideo())).data).toMatchObject({
    status: 'FAILED',
    fail_reason: 'duration_check_failed',
  })
  expect(await client.posts()).toEqual([])
})

test("another creator's publish_id is hidden, an unknown one invalid", async () => {
  const { data } = await init(initBody(1000))
  const other = (await linkTikTok(client, 'atlas')).access_token
  expect(await tiktokPost(client, other, 'status/fetch', { publish_id: data.publish_id })).toMatchObject({
    status: 400,
    error: { code: 'token_not_authorized_for_specified_publish_id' },
  })
  expect(await status('v_pub_file~v2-1.1')).toMatchObject({
    status: 400,
    error: { code: 'invalid_publish_id' },
  })
})

const settings = (change: Record<string, unknown>): Promise<unknown> =>
  client.control('POST', '/settings', change)
const creator = (change: Record<string, unknown>): Promise<unknown> =>
  client.control('POST', '/accounts', { platform: 'tiktok', username: 'nova', ...change })
const fault = (call: string, kind: string, more: Record<string, unknown> = {}): Promise<unknown> =>
  client.control('POST', '/faults', { platform: 'tiktok', call, fault: kind, ...more })

describe('undocumented behaviour of the upload is a setting', () => {
  const video = paddedVideo(12_000_000)
  const upload = async (): Promise<TikTokAnswer> => init(initBody(video.length, 6_000_000))

  test.each([
    ['count', 'bytes 0-6000000/12000000'],
    ['last', 'bytes 0-5999999/12000000'],
  ])('an answer reports the received bytes as a %s', async (tiktok_content_range, reported) => {
    await settings({ tiktok_content_range, tiktok_repeated_chunk_status: 206 })
    const { data } = await upload()
    for (let n = 0; n < 2; n += 1) {
      const answer = await putChunk(data.upload_url, video, 0, 5_999_999)
      expect([answer.status, answer.headers.get('content-range')]).toEqual([206, reported])
    }
    expect((await status(data.publish_id)).data.uploaded_bytes).toBe(6_000_000)
  })

  test('the status may lag behind received bytes and a live post', async () => {
    await settings({ tiktok_status_lag_ms: 30_000 })
    const { data } = await upload()
    await putChunk(data.upload_url, video, 0, 5_999_999)
    expect((await status(data.publish_id)).data).toMatchObject({ uploaded_bytes: 0 })
    await client.control('POST', '/clock', { advance_s: 20 })
    expect((await putChunk(data.upload_url, video, 6_000_000, 11_999_999)).status).toBe(201)
    await client.control('POST', '/clock', { advance_s: 15 })
    expect((await status(data.publish_id)).data).toMatchObject({
      status: 'PROCESSING_UPLOAD',
      uploaded_bytes: 6_000_000,
    })
    await until(client.posts, (posts) => posts.length === 1)
    await client.control('POST', '/clock', { advance_s: 20 })
    expect((await finished(data.publish_id)).data.status).toBe('PUBLISH_COMPLETE')
  })

  test('a gateway may send the last chunk twice, and hand out the second answer', async () => {
    await fault('final_chunk', 'repeated')
    const { data } = await upload()
    await putChunk(data.upload_url, video, 0, 5_999_999)
    expect((await putChunk(data.upload_url, video, 6_000_000, 11_999_999)).status).toBe(416)
    expect((await finished(data.publish_id)).data.status).toBe('PUBLISH_COMPLETE')
    expect(await client.posts()).toHaveLength(1)
  })
})

test('a larger video takes longer', async () => {
  await settings({ tiktok_processing_ms: 10_000, tiktok_processing_ms_per_gb: 1_000_000 })
  const video = paddedVideo(20_000_000)
  const { data } = await init(initBody(video.length))
  await putChunk(data.upload_url, video, 0, video.length - 1)
  await client.control('POST', '/clock', { advance_s: 29 })
  expect((await status(data.publish_id)).data.status).toBe('PROCESSING_UPLOAD')
  await client.control('POST', '/clock', { advance_s: 2 })
  expect((await finished(data.publish_id)).data.status).toBe('PUBLISH_COMPLETE')
})

test.each([
  ['minutes', 180_000, 181, true],
  ['hours', 7_200_000, 7201, true],
  ['never', -1, 86_400, false],
])(
  'the id of a public post comes after %s of moderation',
  async (_name, tiktok_moderation_ms, laterS, reported) => {
    await settings({ tiktok_moderation_ms })
    const video = sampleVideo()
    const { data } = await init(initBody(video.length))
    await putChunk(data.upload_url, video, 0, video.length - 1)
    expect((await finished(data.publish_id)).text).toContain('"publicaly_available_post_id":[]')
    await client.control('POST', '/clock', { advance_s: laterS })
    expect(/"publicaly_available_post_id":\[\d{19}\]/.test((await status(data.publish_id)).text)).toBe(
      reported,
    )
  },
)

test('uploads fail for the configured reasons, one after the other, then succeed', async () => {
  await creator({ fail_reasons: ['internal', 'spam_risk_text'] })
  const outcomes: unknown[] = []
  for (let n = 0; n < 3; n += 1) {
    const { data } = await post(sampleVideo())
    outcomes.push(data.fail_reason ?? data.status)
  }
  expect(outcomes).toEqual(['internal', 'spam_risk_text', 'PUBLISH_COMPLETE'])
  expect(await client.posts()).toHaveLength(1)
})

test("the creator's settings at the time of the post apply", async () => {
  const info = (): Promise<TikTokAnswer> => tiktokPost(client, token, 'creator_info/query', {})
  expect((await info()).error.code).toBe('ok')
  await creator({ private: true })
  expect(await init(initBody(1000))).toMatchObject({
    status: 403,
    error: { code: 'privacy_level_option_mismatch' },
  })
  await creator({ private: false })
  const { data } = await init(initBody(sampleVideo().length))
  await creator({ banned: true })
  await putChunk(data.upload_url, sampleVideo(), 0, sampleVideo().length - 1)
  expect((await finished(data.publish_id)).data.fail_reason).toBe('spam_risk_user_banned_from_posting')
  expect(await client.posts()).toEqual([])
})

test("creator_info reports the daily limit and the app's cap with HTTP 200, init with 403", async () => {
  await creator({ daily_limit: 1 })
  await post(sampleVideo())
  const trouble = async (): Promise<unknown[]> => {
    const [asked, opened] = [
      await tiktokPost(client, token, 'creator_info/query', {}),
      await init(initBody(1000)),
    ]
    return [asked.status, asked.error.code, opened.status, opened.error.code]
  }
  expect(await trouble()).toEqual([200, 'spam_risk_too_many_posts', 403, 'spam_risk_too_many_posts'])
  await client.control('POST', '/clock', { advance_s: 86_401 })
  await creator({ active_user_cap: true })
  token = (await linkTikTok(client)).access_token
  expect(await trouble()).toEqual([200, 'reached_active_user_cap', 403, 'reached_active_user_cap'])
})

test('an app without the audit is still offered every level', async () => {
  await client.control('POST', '/apps', { platform: 'tiktok', audited: false })
  const { text } = await tiktokPost(client, token, 'creator_info/query', {})
  expect(text).toContain('PUBLIC_TO_EVERYONE')
})

test('every accepted init makes a new task with a new address', async () => {
  const [one, two] = [await init(initBody(1000)), await init(initBody(1000))]
  expect(one.data.publish_id).toMatch(/^v_pub_file~v2-1\.\d{19}$/)
  expect(one.data.publish_id).not.toBe(two.data.publish_id)
  expect(one.data.upload_url).not.toBe(two.data.upload_url)
  expect(one.data.upload_url.length).toBeLessThanOrEqual(256)
})

test('an answer may come in two halves', async () => {
  await fault('status', 'slow_body', { ms: 200 })
  const { data } = await init(initBody(1000))
  const begun = performance.now()
  expect((await status(data.publish_id)).data.status).toBe('PROCESSING_UPLOAD')
  expect(performance.now() - begun).toBeGreaterThan(150)
})

test('a token in an address that needs none is accepted and flagged', async () => {
  const { data } = await init(initBody(1000))
  await fetch(data.upload_url, { method: 'PUT', headers: { authorization: 'Bearer x' }, body: 'x' })
  expect(await client.calls()).toContainEqual(
    expect.objectContaining({ flag: 'authorization_sent_to_upload_address' }),
  )
})

const readStatus = async (method: string, path: string): Promise<number> =>
  (
    await fetch(`${client.url}/tiktok/v2/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })
  ).status

test('an unknown path is 404, a wrong method 405', async () => {
  expect(await readStatus('GET', 'user/info/?fields=open_id')).toBe(200)
  expect(await readStatus('GET', 'user/info?fields=open_id')).toBe(404)
  expect(await readStatus('POST', 'post/publish/brand/new/')).toBe(404)
  expect(await readStatus('POST', 'user/info/?fields=open_id')).toBe(405)
  expect(await readStatus('GET', 'post/publish/video/init/')).toBe(405)
  expect(await readStatus('DELETE', 'oauth/token/')).toBe(405)
})

test('the body of an API call must be JSON', async () => {
  const answer = await fetch(`${client.url}/tiktok/v2/post/publish/creator_info/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams({ a: 'b' }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_params' } }])
})

describe('a draft for the inbox', () => {
  const video = sampleVideo()
  let drafts: string
  beforeEach(async () => {
    drafts = (await linkTikTok(client, 'nova', 'video.publish', 'user.info.basic,video.upload,video.publish'))
      .access_token
  })
  const begin = (bearer = drafts): Promise<TikTokAnswer> => {
    const { source_info } = initBody(video.length) as { source_info: object }
    return tiktokPost(client, bearer, 'inbox/video/init', { source_info })
  }
  const ask = (publishId: string): Promise<TikTokAnswer> =>
    tiktokPost(client, drafts, 'status/fetch', { publish_id: publishId })
  const settled = (publishId: string): Promise<TikTokAnswer> =>
    until(
      () => ask(publishId),
      ({ data }) => data.status !== 'PROCESSING_UPLOAD',
    )

  test('ends in the inbox, and is no post', async () => {
    const { data } = await begin()
    expect(data.publish_id).toMatch(/^v_inbox_file~/)
    expect((await putChunk(data.upload_url, video, 0, video.length - 1)).status).toBe(201)
    expect((await settled(data.publish_id)).data.status).toBe('SEND_TO_USER_INBOX')
    await client.control('POST', '/clock', { advance_s: 86_400 })
    expect(await client.posts()).toEqual([])
    expect(await client.control('GET', '/drafts')).toMatchObject([
      { account: 'nova', sha256: sha256(video), posted: false },
    ])
  })

  test('may be posted by its creator later', async () => {
    await settings({ tiktok_draft_posted_ms: 3_600_000 })
    const { data } = await begin()
    await putChunk(data.upload_url, video, 0, video.length - 1)
    expect((await settled(data.publish_id)).data.status).toBe('SEND_TO_USER_INBOX')
    await client.control('POST', '/clock', { advance_s: 3601 })
    expect((await ask(data.publish_id)).data.status).toBe('PUBLISH_COMPLETE')
    expect(await client.posts()).toMatchObject([{ sha256: sha256(video), text: '' }])
    expect(await client.control('GET', '/drafts')).toMatchObject([{ posted: true }])
  })

  test('ignores post_info of any form, and the ledger flags it', async () => {
    for (const post_info of [{ title: 'Pie', privacy_level: 'SELF_ONLY' }, { title: 7 }, 'none']) {
      const taken = await tiktokPost(client, drafts, 'inbox/video/init', {
        ...initBody(video.length),
        post_info,
      })
      expect(taken).toMatchObject({ status: 200, error: { code: 'ok' } })
    }
    expect((await client.calls()).filter(({ flag }) => flag === 'post_info_ignored')).toHaveLength(3)
  })

  test('needs a scope of its own, and only five may wait in a day', async () => {
    expect(await begin(token)).toMatchObject({ status: 401, error: { code: 'scope_not_authorized' } })
    for (let n = 0; n < 5; n += 1) expect((await begin()).status).toBe(200)
    expect(await begin()).toMatchObject({ status: 403, error: { code: 'spam_risk_too_many_pending_share' } })
    await client.control('POST', '/clock', { advance_s: 86_000 })
    expect((await begin()).status).toBe(403)
  })
})

const pullBody = (video_url: string): object => ({
  ...initBody(1000),
  source_info: { source: 'PULL_FROM_URL', video_url },
})
const pulled = (publishId: string): Promise<TikTokAnswer> =>
  until(
    () => status(publishId),
    ({ data }) => data.status !== 'PROCESSING_DOWNLOAD',
  )

describe('a video that TikTok pulls', () => {
  test('must lie under an address that is verified', async () => {
    expect(await init(pullBody(`${client.url}/sample.mp4`))).toMatchObject({
      status: 403,
      error: { code: 'url_ownership_unverified' },
    })
  })

  test('is fetched, without following anybody elsewhere, and posted', async () => {
    await client.control('POST', '/apps', { platform: 'tiktok', verified_prefixes: [client.url] })
    const { data } = await init(pullBody(`${client.url}/sample.mp4`))
    expect(data.publish_id).toMatch(/^v_pub_url~/)
    expect(data.upload_url).toBeUndefined()
    expect((await pulled(data.publish_id)).data.status).toBe('PUBLISH_COMPLETE')
    expect(await client.posts()).toMatchObject([{ sha256: sha256(sampleVideo()) }])
    const missing = await init(pullBody(`${client.url}/no-such-video`))
    expect((await pulled(missing.data.publish_id)).data.fail_reason).toBe('video_pull_failed')
  })

  test('can be cancelled until it is there; a video that is sent cannot', async () => {
    await client.control('POST', '/apps', { platform: 'tiktok', verified_prefixes: [client.url] })
    const cancel = (publish_id: string, bearer = token): Promise<TikTokAnswer> =>
      tiktokPost(client, bearer, 'cancel', { publish_id })
    await fault('init', 'stuck_processing')
    const { data } = await init(pullBody(`${client.url}/sample.mp4`))
    const other = (await linkTikTok(client, 'atlas')).access_token
    expect((await cancel(data.publish_id, other)).error.code).toBe(
      'token_not_authorized_for_specified_publish_id',
    )
    expect((await cancel(data.publish_id)).error.code).toBe('ok')
    expect((await status(data.publish_id)).data).toMatchObject({
      status: 'FAILED',
      fail_reason: 'publish_cancelled',
    })
    expect((await cancel(data.publish_id)).error.code).toBe('publish_not_cancellable')
    expect((await cancel('v_pub_url~v2-1.1')).error.code).toBe('invalid_publish_id')
    const sent = await init(initBody(1000))
    expect((await cancel(sent.data.publish_id)).error.code).toBe('publish_not_cancellable')
  })
})
