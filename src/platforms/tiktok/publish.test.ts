import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import type { DeliveryEvent, DeliveryState, Session } from '#domain/delivery/state.ts'
import { step } from '#domain/delivery/step.ts'
import type { Step } from '#domain/delivery/step.ts'
import { eventOfCommit, eventOfSend } from '../kit/events.ts'
import type { PublishJob } from '../kit/platform.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import type { TikTokConfig } from './api/config.ts'
import { createTikTok } from './index.ts'
import { isUploadAddress } from './publish/open.ts'

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
  pictureAddress: () => Promise.resolve(null),
  siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
  signal: new AbortController().signal,
  ...more,
})

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

const send = (from: Session, now = NOW) => tiktok(now).send(job(30), from, async () => undefined)
const ranges = () =>
  server.requests.filter(({ method }) => method === 'PUT').map(({ headers }) => headers['content-range'])

const COMPLETE = enveloped({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: [] })
const FAILED = enveloped({ status: 'FAILED', fail_reason: 'spam_risk_text' })

/** Call this after the server of `session` has started. */
async function nextOf(state: DeliveryState, now: number): Promise<DeliveryEvent> {
  const at = tiktok(now)
  if (state.kind === 'committing') return eventOfCommit(await at.commit(job(30), state.session))
  if (state.kind === 'preparing' && state.session !== null)
    return eventOfSend(await at.send(job(30), state.session, async () => undefined))
  throw new Error(`nothing to do in ${state.kind}`)
}

const received = (figure: string): Scripted => ({
  status: 206,
  headers: { 'content-range': `bytes 0-${figure}/40` },
  body: '',
})

const beside = (text: string): Scripted => ({
  body: `{"data":{"status":"PUBLISH_COMPLETE",${text}},"error":{"code":"ok"}}`,
})

test.each([
  ['a gateway\u2019s page', { status: 502, body: '<html>' }, true],
  ['an internal error', refusal('internal_error', 500), true],
  ['half an answer', { body: '{"data":{},"error":{"code":"ok"}}' }, true],
  ['being told to slow down', refusal('rate_limit_exceeded', 429), undefined],
] as const)('an upload may have been opened after %s: %s is marked %s', async (_name, answer, marked) => {
  server = await scriptedServer({ [CREATOR]: [enveloped(creator)], [INIT]: [answer] })
  const opened = await tiktok().open(job(30))
  expect(opened.ok ? null : (opened.failure as { mayHaveOpened?: boolean }).mayHaveOpened).toBe(marked)
})

test('no upload is taken for opened where the call never left or only the creator was asked for', async () => {
  server = await scriptedServer({ [CREATOR]: [{ status: 502, body: '<html>' }] })
  const asked = await tiktok().open(job(30))
  expect(asked).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
  expect(asked.ok ? null : asked.failure).not.toHaveProperty('mayHaveOpened')
  await server.close()
  const unsent = await tiktok().open(job(30))
  expect(unsent).toMatchObject({ ok: false, failure: { kind: 'unreachable', maybeExecuted: false } })
  expect(unsent.ok ? null : unsent.failure).not.toHaveProperty('mayHaveOpened')
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
  expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual({
    post_info: {
      title: 'hello #cat',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: false,
      disable_duet: true,
      disable_stitch: false,
      video_cover_timestamp_ms: 0,
      brand_content_toggle: false,
      brand_organic_toggle: false,
      is_aigc: false,
    },
    source_info: {
      source: 'FILE_UPLOAD',
      video_size: 75_000_000,
      chunk_size: 10_000_000,
      total_chunk_count: 7,
    },
  })
})

test('what was declared as advertising or as made by AI is sent so', async () => {
  server = await scriptedServer({
    [CREATOR]: [enveloped(creator)],
    [INIT]: [enveloped({ publish_id: 'v', upload_url: 'http://127.0.0.1:1/upload' })],
  })
  const declared = { brand_content_toggle: true, brand_organic_toggle: true, is_aigc: true }
  const own = job(100)
  await tiktok(NOW, { uploadHosts: ['127.0.0.1:1'] }).open({
    ...own,
    options: { ...own.options, ...declared },
  })
  expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({ post_info: declared })
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
  expect(server.requests.map(({ url }) => url)).toEqual([CREATOR, CREATOR, CREATOR])
})

test('an unaudited app is offered Private only, with the reason', async () => {
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
  expect(server.requests.map(({ headers }) => headers['content-range'])).toEqual([
    'bytes 0-9/30',
    'bytes 10-19/30',
  ])
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
  expect(server.requests[0]?.headers['content-type']).toBe('video/quicktime')
})

test('416 is answered with what TikTok holds, forwards and backwards', async () => {
  server = await scriptedServer({
    '/upload': [put(416), put(206), put(416), put(206), put(206)],
    [STATUS]: [status(10), status(10)],
  })
  const outcome = await tiktok().send(job(40), session(4, { next: 0 }), async () => undefined)
  expect(outcome).toMatchObject({ kind: 'ready' })
  expect(ranges()).toEqual([
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
    failure: { reason: { code: 'http_416' }, againInS: [15, 60] },
  })
})

test.each([400, 403, 404, 408, 413])(
  '%i while sending ends the upload, of which nothing can become public',
  async (code) => {
    server = await scriptedServer({ '/upload': [{ status: code, body: 'why' }] })
    expect(await send(session(3, { next: 0 }))).toMatchObject({
      kind: 'setback',
      session: null,
      failure: { kind: 'rejected', reason: { code: `http_${code}`, detail: `HTTP ${code} why` } },
    })
  },
)

test.each([302, 429, 500, 502, 503, 504])('%i while sending keeps the upload', async (code) => {
  server = await scriptedServer({ '/upload': [{ ...put(code), headers: { location: '/elsewhere' } }] })
  const outcome = await send(session(3, { next: 1 }))
  expect(outcome).toMatchObject({ kind: 'setback', session: { next: 1 } })
  expect(outcome.kind === 'setback' && outcome.failure.kind).toBe(code === 302 ? 'unexpected' : 'unreachable')
  expect(server.requests).toHaveLength(1)
})

test('sending resumes with the next chunk however TikTok counts', async () => {
  server = await scriptedServer({ '/upload': [received('10'), received('19'), put(206)] })
  expect(await send(session(4, { next: 0 }))).toMatchObject({ kind: 'ready', session: { next: 3 } })
  expect(ranges()).toEqual(['bytes 0-9/40', 'bytes 10-19/40', 'bytes 20-29/40'])
})

test.each([206, 416])('a chunk that TikTok already has (%i) is skipped', async (code) => {
  // TikTok accepted it, and the worker died before it was saved.
  server = await scriptedServer({ '/upload': [put(code), put(206)], [STATUS]: [status(10)] })
  expect(await send(session(3, { next: 0 }))).toMatchObject({ kind: 'ready', session: { next: 2 } })
  expect(ranges()).toEqual(['bytes 0-9/30', 'bytes 10-19/30'])
})

test('an upload continues at its address when the token expires', async () => {
  server = await scriptedServer({
    '/upload': [put(416)],
    [STATUS]: [refusal('access_token_invalid', 401)],
  })
  expect(await send(session(3, { next: 1 }))).toMatchObject({
    kind: 'setback',
    session: { next: 1, publishId: 'v_pub_file~v2-1.7' },
    failure: { kind: 'account', expired: true },
  })
})

test('a post that fails during the upload ends with its reason', async () => {
  server = await scriptedServer({ '/upload': [put(416)], [STATUS]: [FAILED] })
  expect(await send(session(3, { next: 1 }))).toMatchObject({
    kind: 'setback',
    session: null,
    failure: { kind: 'rejected', reason: { code: 'spam_risk_text' } },
  })
})

test('a complete upload is not sent again', async () => {
  server = await scriptedServer({ '/upload': [put(416)], [STATUS]: [COMPLETE] })
  expect(await send(session(4, { next: 1, refused: true }))).toMatchObject({
    kind: 'ready',
    session: { next: 3 },
  })
})

test('an expired upload address is not used', async () => {
  server = await scriptedServer({})
  const late = tiktok(NOW + HOUR_MS)
  expect(await late.send(job(30), session(3, { next: 0 }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
  })
  expect(await late.commit(job(30), session(3))).toMatchObject({ kind: 'refused', session: null })
  expect(server.requests).toHaveLength(0)
})

test.each([{ contested: true }, { refused: true }])(
  'an upload whose last chunk has left once (%o) is never given up while sending',
  async (sentBefore) => {
    server = await scriptedServer({ '/upload': [put(404)] })
    expect(await send(session(3, { next: 0, ...sentBefore }))).toMatchObject({ kind: 'ready' })
    expect(await send(session(3, { next: 0, ...sentBefore }), NOW + HOUR_MS)).toMatchObject({ kind: 'ready' })
  },
)

test('201 to the last chunk is accepted', async () => {
  server = await scriptedServer({ '/upload': [put(201)] })
  expect(await tiktok().commit(job(30), session(3))).toMatchObject({
    kind: 'accepted',
    session: { taken: true },
  })
  expect(server.requests[0]?.headers['content-range']).toBe('bytes 20-29/30')
})

test.each([200, 206, 302, 429, 500, 502, 503])('%i to the last chunk is no outcome', async (code) => {
  server = await scriptedServer({ '/upload': [put(code)] })
  const outcome = await tiktok().commit(job(30), session(3))
  expect(outcome.kind).toBe('unanswered')
  expect(JSON.stringify(outcome)).not.toContain('secret-token')
})

test('a last chunk that was never sent is unsent', async () => {
  server = await scriptedServer({})
  const unreadable = { ...job(30).video, read: () => Promise.reject(new Error('gone')) }
  expect(await tiktok().commit(job(30, { video: unreadable }), session(3))).toMatchObject({
    kind: 'unsent',
    failure: { kind: 'unreachable', reason: { code: 'storage_error' } },
  })
  await server.close()
  expect(await tiktok().commit(job(30), session(3))).toMatchObject({ kind: 'unsent' })
})

test.each([
  // One refusal does not count: the same bytes go to the same address once more.
  [400, status(20), {}, 'refused', { next: 2 }],
  [403, status(20), {}, 'refused', { next: 2 }],
  [404, status(undefined), {}, 'refused', { next: 0 }],
  [416, status(20), {}, 'refused', { next: 2 }],
  [403, status(20), { contested: true }, 'refused', { next: 2 }],
  [416, status(10), {}, 'refused', { next: 1 }],
  [416, status(10), { contested: true }, 'refused', { next: 1 }],
  // Two equal refusals a minute apart are a no.
  [404, status(20), { refused: true }, 'refused', null],
  [403, status(20), { refused: true }, 'refused', null],
  [416, status(10), { refused: true }, 'refused', null],
  [403, FAILED, {}, 'refused', null],
  [403, FAILED, { contested: true, refused: true }, 'refused', null],
  // The refused request was not the only one.
  [404, status(30), {}, 'accepted', null],
  [416, status(30), {}, 'accepted', null],
  [416, status(29), {}, 'accepted', null],
  [404, COMPLETE, {}, 'accepted', null],
  [404, COMPLETE, { contested: true, refused: true }, 'accepted', null],
  [404, enveloped({ status: 'SOMETHING_NEW' }), { refused: true }, 'accepted', null],
  // An earlier request got no answer, so the outcome is unknown.
  [403, status(20), { contested: true, refused: true }, 'unanswered', null],
  [404, status(20), { contested: true, refused: true }, 'unanswered', null],
  // TikTok does not tell how much it has, or cannot be asked.
  [404, status(undefined), { refused: true }, 'unanswered', null],
  [404, refusal('internal_error', 500), {}, 'unanswered', null],
  [404, refusal('invalid_publish_id', 400), { refused: true }, 'unanswered', null],
  [403, refusal('access_token_invalid', 401), { refused: true }, 'unanswered', null],
] as const)('%i to the last chunk, then %o (%o): %s', async (code, told, before, kind, kept) => {
  server = await scriptedServer({ '/upload': [put(code)], [STATUS]: [told] })
  const outcome = await tiktok().commit(job(30), session(3, before))
  expect(outcome.kind).toBe(kind)
  if (outcome.kind !== 'refused') return
  if (kept === null) expect(outcome.session).toBeNull()
  else expect(outcome.session).toMatchObject({ ...kept, refused: true, pauseS: 60 })
})

test('a refused last chunk is resent after a minute and never starts a new upload', async () => {
  server = await scriptedServer({
    '/upload': [put(404), put(404)],
    [STATUS]: [status(20), status(20)],
  })
  let state: DeliveryState = {
    kind: 'committing',
    attempt: 1,
    repeats: 0,
    session: session(3),
    since: NOW,
    commits: 1,
    tries: 0,
    notReady: 0,
    renewed: false,
  }
  const seen: unknown[] = []
  for (let now = NOW; state.kind !== 'failed' && seen.length < 9;) {
    const moved: Step = step(state, await nextOf(state, now), now)
    if ('refused' in moved) throw new Error(moved.refused)
    state = moved.to
    seen.push([state.kind, state.attempt, moved.wakeAt === null ? null : (moved.wakeAt - now) / 1000])
    now = moved.wakeAt ?? now
  }
  expect(seen).toEqual([
    ['preparing', 1, 2],
    ['preparing', 1, 60],
    ['committing', 1, 0],
    ['failed', 1, null],
  ])
  expect(state).toMatchObject({ reason: { code: 'last_part_refused_again' } })
})

test('a lost last chunk is resent only while its address is valid', async () => {
  server = await scriptedServer({ [STATUS]: [status(20), status(20), status(30), status(20)] })
  expect(await tiktok().check(job(30), session(3))).toMatchObject({
    kind: 'uncommitted',
    session: { next: 2, contested: true },
  })
  expect(await tiktok(NOW + HOUR_MS).check(job(30), session(3))).toMatchObject({ kind: 'pending' })
  expect(await tiktok().check(job(30), session(3))).toMatchObject({ kind: 'accepted' })
  expect(await tiktok().check(job(30), session(3, { taken: true }))).toMatchObject({ kind: 'accepted' })
})

const ask = () => tiktok().check(job(30), session(3))

test('every status maps to its outcome', async () => {
  server = await scriptedServer({
    [STATUS]: [
      {
        body: '{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7678907398077074696]},"error":{"code":"ok"}}',
      },
      enveloped({ status: 'FAILED', fail_reason: 'internal' }),
      enveloped({ status: 'FAILED', fail_reason: 'brand_new' }),
      enveloped({ status: 'SOMETHING_NEW' }),
      enveloped({ status: 'PROCESSING_DOWNLOAD' }),
      refusal('invalid_publish_id', 400),
      refusal('access_token_invalid', 401),
      enveloped({ status: 'SEND_TO_USER_INBOX' }),
      { body: '' },
      { body: '<html>busy</html>' },
      { body: '{"error":{"code":"ok"}}' },
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
  expect(await ask()).toMatchObject({ kind: 'pending' })
  expect(await ask()).toMatchObject({ kind: 'unreadable' })
  expect(await ask()).toMatchObject({ kind: 'unreadable', failure: { kind: 'account', expired: true } })
  // The user may yet publish the draft: it is neither published nor sent again.
  expect(await ask()).toMatchObject({ kind: 'rejected', failure: { reason: { code: 'inbox' } } })
  for (let answer = 0; answer < 3; answer += 1) {
    expect(await ask()).toMatchObject({ kind: 'unreadable', failure: { kind: 'unexpected' } })
  }
})

test('a published post is live whatever the other fields', async () => {
  server = await scriptedServer({
    [STATUS]: [
      beside('"publicaly_available_post_id":[]'),
      beside('"publicaly_available_post_id":null'),
      beside('"publicaly_available_post_id":[0]'),
      beside('"publicaly_available_post_id":{"new":"form"},"fail_reason":7,"uploaded_bytes":"30"'),
      beside('"publicaly_available_post_id":["7678907398077074696"]'),
      beside('"publicly_available_post_id":[7678907398077074696,7678907398077074697]'),
    ],
  })
  for (const id of [null, null, null, null, '7678907398077074696', '7678907398077074696']) {
    expect(await ask()).toMatchObject({ kind: 'live', postId: id })
  }
})

test('a post that is not public has no address and none is requested', async () => {
  server = await scriptedServer({})
  const own = job(30, { options: { privacy_level: 'SELF_ONLY' } })
  expect(await tiktok().locate(own, session(3), null)).toEqual({
    ok: true,
    value: { postId: null, url: null, complete: true },
  })
  expect(server.requests).toHaveLength(0)
})

test('revoking refreshes expired access first', async () => {
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
  expect(new URLSearchParams(server.requests[1]?.body).get('token')).toBe('act.2')
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
