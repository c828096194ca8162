import { afterEach, expect, test } from 'vitest'
import type { Session } from '#domain/delivery/state.ts'
import type { PublishJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { isUploadAddress } from './publish/open.ts'
import { heldBackFrom } from './publish/session.ts'
import { answer, configAt, jobOf, NOW, OPTIONS, refusal } from './testing.ts'

const INSERT = '/upload/youtube/v3/videos'
const UPLOAD = '/upload'
const VIDEOS = '/youtube/v3/videos'
const CHANNELS = '/youtube/v3/channels'
const UPLOADS = '/youtube/v3/playlistItems'
const KIB_256 = 262_144
const PART = 32 * KIB_256
const HOUR_S = 3600

let server: ScriptedServer
afterEach(() => server.close())

async function start(answers: Record<string, readonly Scripted[]>, now = NOW) {
  server = await scriptedServer(answers)
  return createYouTube(configAt(server), () => now)
}

const session = (size: number, more: Record<string, number | boolean | string | null> = {}): Session => ({
  uploadUrl: `${server.url}${UPLOAD}?upload_id=secret-id`,
  size,
  next: 0,
  openedAt: NOW,
  contested: false,
  videoId: null,
  ...more,
})
const stored = (bytes: number): Scripted => ({
  status: 308,
  ...(bytes > 0 && { headers: { range: `bytes=0-${bytes - 1}` } }),
  body: '',
})
const FINISHED = answer({ id: 'dQw4w9WgXcQ', status: { uploadStatus: 'uploaded' } }, 201)
const NO_SUCH = { status: 404, body: 'Not Found' }
const video = (status: object, more: object = {}) =>
  answer({ items: [{ id: 'dQw4w9WgXcQ', status, ...more }] })
const ranges = () =>
  server.requests.filter(({ method }) => method === 'PUT').map(({ headers }) => headers['content-range'])
const nobody = () => Promise.resolve()

test('an upload is opened with what was chosen, and everything that is asked is always sent', async () => {
  const youtube = await start({
    [INSERT]: [{ headers: { location: `http://127.0.0.1:1/up?upload_id=1` }, body: '' }],
  })
  const options = { ...OPTIONS, tags: ['bread', 'home made'], category_id: '26', notify_subscribers: false }
  const opened = await createYouTube(configAt(server, { uploadHosts: ['127.0.0.1:1'] }), () => NOW).open(
    jobOf(1000, { options }),
  )
  expect(opened).toEqual({
    ok: true,
    value: {
      uploadUrl: 'http://127.0.0.1:1/up?upload_id=1',
      size: 1000,
      next: 0,
      openedAt: NOW,
      contested: false,
      videoId: null,
    },
  })
  const [request] = server.requests
  expect(request?.url).toBe(`${INSERT}?uploadType=resumable&part=snippet%2Cstatus&notifySubscribers=false`)
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer ya29.secret',
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-length': '1000',
    'x-upload-content-type': 'video/mp4',
  })
  expect(JSON.parse(request?.body ?? '')).toEqual({
    snippet: {
      title: 'Baking bread',
      description: 'How to bake',
      tags: ['bread', 'home made'],
      categoryId: '26',
    },
    status: {
      privacyStatus: 'unlisted',
      selfDeclaredMadeForKids: false,
      containsSyntheticMedia: false,
      license: 'youtube',
      embeddable: true,
      publicStatsViewable: true,
    },
  })
  expect(youtube.id).toBe('youtube')
})

test.each([
  ['a refused title', refusal(400, 'invalidTitle'), { kind: 'rejected', reason: { needs_change: true } }],
  [
    'a limit of the channel',
    refusal(400, 'uploadLimitExceeded'),
    { kind: 'throttled', stops: 'account', retryAfterS: 86_400 },
  ],
  // It is noon in Los Angeles.
  [
    'the quota of the project',
    refusal(403, 'quotaExceeded'),
    { kind: 'throttled', limit: true, stops: 'app', retryAfterS: 12 * HOUR_S + 60 },
  ],
  ['too many calls', refusal(403, 'rateLimitExceeded'), { kind: 'throttled', limit: false }],
  [
    'a daily limit in other words',
    refusal(429, 'rateLimitExceeded', { message: 'Video Uploads per day' }),
    { kind: 'throttled', limit: true, stops: 'app' },
  ],
  ['an upload that exists', refusal(409, 'alreadyExists'), { kind: 'rejected', againInS: [5, 30, 120] }],
  ['an old token', refusal(401, 'authError'), { kind: 'account', expired: true }],
  ['an unticked box', refusal(403, 'insufficientPermissions'), { kind: 'account', expired: false }],
  [
    'an API that is switched off',
    refusal(403, 'accessNotConfigured'),
    { kind: 'throttled', limit: true, stops: 'app' },
  ],
  ['a suspended channel', refusal(403, 'channelSuspended'), { kind: 'rejected', stops: 'account' }],
  ['an error', refusal(503, 'backendError'), { kind: 'unreachable' }],
  ['an unknown reason', refusal(400, 'somethingNew'), { kind: 'unexpected' }],
  ["a gateway's page", { status: 502, body: '<html>' }, { kind: 'unreachable', mayHaveOpened: true }],
  ['no address', { status: 200, body: '' }, { kind: 'unexpected', mayHaveOpened: true }],
  ['a foreign address', { headers: { location: 'https://evil.example/up' }, body: '' }, { kind: 'rejected' }],
])('opening is answered by %s', async (_what, reply, failure) => {
  const youtube = await start({ [INSERT]: [reply] })
  expect(await youtube.open(jobOf(1000))).toMatchObject({ ok: false, failure })
})

test.each([
  ['https://www.googleapis.com/upload?upload_id=1', true],
  ['https://youtube.googleapis.com/upload', true],
  ['https://googleapis.com.evil.example/', false],
  ['https://evilgoogleapis.com/', false],
  ['http://www.googleapis.com/upload', false],
  ['https://www.googleapis.com:8443/upload', false],
  ['https://user@www.googleapis.com/upload', false],
])('bytes go to %s: %s', async (address, isTaken) => {
  await start({})
  const config = configAt(server, { mode: 'live', uploadHosts: ['googleapis.com'] })
  expect(isUploadAddress(config, address)).toBe(isTaken)
})

test.each([
  ['eligible', false],
  ['allowed', true],
])('a video over 15 minutes on a channel whose long uploads are %s', async (longUploadsStatus, isTaken) => {
  const item = { id: 'UC1', snippet: { title: 'Ann' }, status: { longUploadsStatus } }
  const youtube = await start({
    [CHANNELS]: [answer({ items: [item] })],
    [INSERT]: [{ status: 200, body: '' }],
  })
  const job = jobOf(1000)
  const opened = await youtube.open({ ...job, video: { ...job.video, durationS: 901 } })
  expect(opened.ok ? '' : opened.failure.reason.code).toBe(isTaken ? 'http_200' : 'too_long')
})

test.each([
  [1, 0],
  [KIB_256, 0],
  [KIB_256 + 1, KIB_256],
  [2 * KIB_256, KIB_256],
  [1_000_000_000, 999_817_216],
])('of %i bytes those from %i on are held back', (size, from) => {
  expect(heldBackFrom(size)).toBe(from)
  expect(size - from).toBeGreaterThan(0)
  expect(size - from).toBeLessThanOrEqual(KIB_256)
})

test('the file is sent in whole units, and its end is held back', async () => {
  const size = PART + KIB_256 + 7
  const youtube = await start({ [UPLOAD]: [stored(0), stored(PART), stored(PART + KIB_256)] })
  const seen: number[] = []
  const outcome = await youtube.send(jobOf(size), session(size), async ({ sent }) => void seen.push(sent))
  expect(outcome).toMatchObject({ kind: 'ready', session: { next: PART + KIB_256, contested: false } })
  expect(ranges()).toEqual([
    `bytes */${size}`,
    `bytes 0-${PART - 1}/${size}`,
    `bytes ${PART}-${PART + KIB_256 - 1}/${size}`,
  ])
  expect(seen).toEqual([PART, PART + KIB_256])
})

test('a small file is not sent before the commit', async () => {
  const youtube = await start({})
  expect((await youtube.send(jobOf(500), session(500), nobody)).kind).toBe('ready')
  expect(server.requests).toEqual([])
})

test('sending goes on from what YouTube holds, not from what was saved', async () => {
  const size = 2 * PART
  const held = PART + 3 * KIB_256
  const youtube = await start({ [UPLOAD]: [stored(held), stored(2 * PART - KIB_256)] })
  const outcome = await youtube.send(jobOf(size), session(size, { next: PART }), nobody)
  expect(outcome.kind).toBe('ready')
  expect(ranges()).toEqual([`bytes */${size}`, `bytes ${held}-${2 * PART - KIB_256 - 1}/${size}`])
})

test('less than was sent may be kept, and nothing that is kept is sent again', async () => {
  const size = PART
  const youtube = await start({ [UPLOAD]: [stored(0), stored(KIB_256), stored(PART - KIB_256)] })
  await youtube.send(jobOf(size), session(size), nobody)
  expect(ranges()).toEqual([
    `bytes */${size}`,
    `bytes 0-${PART - KIB_256 - 1}/${size}`,
    `bytes ${KIB_256}-${PART - KIB_256 - 1}/${size}`,
  ])
})

test('an upload that keeps nothing is left for later', async () => {
  const youtube = await start({ [UPLOAD]: Array.from({ length: 6 }, () => stored(0)) })
  expect(await youtube.send(jobOf(PART), session(PART), nobody)).toMatchObject({
    kind: 'setback',
    failure: { kind: 'unreachable' },
    session: { next: 0 },
  })
})

const paused = (bytes: number): Scripted => ({
  ...stored(bytes),
  headers: { range: `bytes=0-${bytes - 1}`, 'retry-after': '30' },
})

test('a pause that YouTube asks for beside 308 is kept after a part, and does not stop the next call', async () => {
  const size = PART + 2 * KIB_256
  const youtube = await start({
    [UPLOAD]: [paused(KIB_256), paused(PART), paused(PART), paused(PART + KIB_256)],
  })
  const first = await youtube.send(jobOf(size), session(size), nobody)
  expect(first).toMatchObject({ kind: 'wait', afterS: 30, session: { next: PART } })
  if (first.kind !== 'wait') return
  expect((await youtube.send(jobOf(size), first.session, nobody)).kind).toBe('ready')
})

test.each([
  [
    'too busy',
    refusal(403, 'rateLimitExceeded'),
    false,
    { kind: 'setback', failure: { kind: 'throttled', limit: false }, session: { next: KIB_256 } },
  ],
  [
    'dropped',
    NO_SUCH,
    false,
    { kind: 'setback', session: null, failure: { reason: { code: 'upload_expired' } } },
  ],
  ['dropped after its last byte was sent', NO_SUCH, true, { kind: 'ready' }],
  ['gone', { status: 410, body: '' }, false, { kind: 'setback', session: null }],
  [
    'refused',
    refusal(400, 'uploadLimitExceeded'),
    false,
    { kind: 'setback', session: null, failure: { kind: 'throttled' } },
  ],
  ['refused after its last byte was sent', refusal(400, 'uploadLimitExceeded'), true, { kind: 'ready' }],
  ['finished', FINISHED, true, { kind: 'ready', session: { videoId: 'dQw4w9WgXcQ' } }],
  [
    'failing',
    { status: 503, body: '' },
    false,
    { kind: 'setback', failure: { kind: 'unreachable' }, session: { next: KIB_256 } },
  ],
  [
    'asked with an old token',
    refusal(401, 'authError'),
    false,
    { kind: 'setback', failure: { kind: 'account', expired: true }, session: { next: KIB_256 } },
  ],
])('sending, where the upload is %s', async (_what, reply, contested, outcome) => {
  const youtube = await start({ [UPLOAD]: [reply] })
  const at = session(PART, { next: KIB_256, contested })
  expect(await youtube.send(jobOf(PART), at, nobody)).toMatchObject(outcome)
})

const READY = { next: PART - KIB_256 }

test.each([
  ['201', [FINISHED], { kind: 'accepted', session: { videoId: 'dQw4w9WgXcQ', contested: true } }],
  ['200', [answer({ id: 'dQw4w9WgXcQ' })], { kind: 'accepted', session: { videoId: 'dQw4w9WgXcQ' } }],
  [
    '201 without an id',
    [{ status: 201, body: '' }],
    { kind: 'accepted', session: { videoId: null, contested: true } },
  ],
  [
    '308',
    [stored(PART - KIB_256)],
    { kind: 'refused', session: { next: PART - KIB_256 }, failure: { kind: 'unreachable' } },
  ],
  ['500', [{ status: 500, body: '' }], { kind: 'unanswered', session: { contested: true } }],
  ['503 in its own form', [refusal(503, 'backendError')], { kind: 'unanswered' }],
  ['429', [{ status: 429, body: '' }], { kind: 'unanswered' }],
  ['404', [NO_SUCH], { kind: 'unanswered', session: { contested: true } }],
  ["a gateway's 403", [{ status: 403, body: '<html>' }], { kind: 'unanswered' }],
  [
    'a refusal that holds',
    [refusal(400, 'uploadLimitExceeded'), refusal(400, 'uploadLimitExceeded')],
    { kind: 'refused', session: null, failure: { kind: 'throttled' } },
  ],
  [
    'a refusal of a repeated request',
    [refusal(400, 'invalid'), FINISHED],
    { kind: 'accepted', session: { videoId: 'dQw4w9WgXcQ' } },
  ],
  [
    'a quota that is used up before the upload is asked',
    [refusal(403, 'quotaExceeded'), refusal(403, 'quotaExceeded')],
    { kind: 'unanswered', session: { contested: true } },
  ],
  [
    'an API that is switched off',
    [refusal(403, 'accessNotConfigured'), refusal(403, 'accessNotConfigured')],
    { kind: 'unanswered' },
  ],
  [
    'a refusal that cannot be verified',
    [refusal(400, 'invalid'), { status: 500, body: '' }],
    { kind: 'unanswered' },
  ],
  [
    '401',
    [refusal(401, 'authError')],
    { kind: 'refused', failure: { kind: 'account', expired: true }, session: { contested: true } },
  ],
])('the last bytes are answered by %s', async (_what, replies, outcome) => {
  const youtube = await start({ [UPLOAD]: replies })
  expect(await youtube.commit(jobOf(PART), session(PART, READY))).toMatchObject(outcome)
  expect(ranges()[0]).toBe(`bytes ${PART - KIB_256}-${PART - 1}/${PART}`)
})

test('an old token proves nothing once a call went unanswered', async () => {
  const youtube = await start({ [UPLOAD]: [refusal(401, 'authError')] })
  const at = session(PART, { ...READY, contested: true })
  expect((await youtube.commit(jobOf(PART), at)).kind).toBe('unanswered')
})

test('a video that exists is never sent again', async () => {
  const youtube = await start({})
  const at = session(PART, { ...READY, videoId: 'dQw4w9WgXcQ' })
  expect((await youtube.commit(jobOf(PART), at)).kind).toBe('accepted')
  expect(server.requests).toEqual([])
})

test('what lies before the end is never sent by the commit', async () => {
  const youtube = await start({})
  expect(await youtube.commit(jobOf(PART), session(PART))).toMatchObject({
    kind: 'refused',
    session: { next: 0 },
  })
  expect(server.requests).toEqual([])
})

test('a call that never leaves is unsent', async () => {
  await start({})
  await server.close()
  const youtube = createYouTube(configAt(server), () => NOW)
  expect((await youtube.commit(jobOf(PART), session(PART, READY))).kind).toBe('unsent')
})

test.each([
  [
    'wants more',
    stored(PART - KIB_256),
    { kind: 'uncommitted', session: { next: PART - KIB_256, contested: true } },
  ],
  ['wants everything', stored(0), { kind: 'uncommitted', session: { next: 0 } }],
  [
    'ended as a failure',
    refusal(400, 'uploadLimitExceeded'),
    { kind: 'rejected', failure: { kind: 'throttled' } },
  ],
  ['cannot be asked', { status: 500, body: '' }, { kind: 'unreadable', failure: { kind: 'unreachable' } }],
  ['wants more of a whole file', stored(PART), { kind: 'unreadable' }],
  ['is asked for without the right', refusal(403, 'insufficientPermissions'), { kind: 'unreadable' }],
  ['is refused with a new reason', refusal(403, 'mood'), { kind: 'unreadable' }],
  [
    'may not be asked for today',
    refusal(403, 'quotaExceeded'),
    { kind: 'unreadable', failure: { kind: 'throttled', limit: true } },
  ],
  [
    'needs new access',
    refusal(401, 'authError'),
    { kind: 'unreadable', failure: { kind: 'account', expired: true } },
  ],
])('asked after a lost answer, the upload %s', async (_what, reply, outcome) => {
  const youtube = await start({ [UPLOAD]: [reply] })
  expect(await youtube.check(jobOf(PART), session(PART, READY))).toMatchObject(outcome)
  expect(ranges()).toEqual([`bytes */${PART}`])
})

const URL_OF = 'https://www.youtube.com/shorts/dQw4w9WgXcQ'

test('a finished upload tells its video, whose state is asked for at once', async () => {
  const youtube = await start({ [UPLOAD]: [FINISHED], [VIDEOS]: [video({ uploadStatus: 'processed' })] })
  expect(await youtube.check(jobOf(PART), session(PART, READY))).toEqual({
    kind: 'live',
    postId: 'dQw4w9WgXcQ',
    url: URL_OF,
  })
})

test.each([
  ['processed', video({ uploadStatus: 'processed' }), { kind: 'live', url: URL_OF }],
  ['uploaded', video({ uploadStatus: 'uploaded' }), { kind: 'accepted' }],
  ['a new word', video({ uploadStatus: 'pondering' }), { kind: 'accepted' }],
  ['not shown yet', answer({ items: [] }), { kind: 'accepted' }],
  [
    'failed',
    video({ uploadStatus: 'failed', failureReason: 'codec' }),
    { kind: 'rejected', failure: { reason: { code: 'codec' } } },
  ],
  [
    'failed without a reason',
    video({ uploadStatus: 'failed' }),
    { kind: 'rejected', failure: { reason: { code: 'failed' } } },
  ],
  [
    'rejected',
    video({ uploadStatus: 'rejected', rejectionReason: 'copyright' }),
    { kind: 'rejected', failure: { reason: { code: 'copyright' } } },
  ],
  [
    'rejected, the channel suspended',
    video({ uploadStatus: 'rejected', rejectionReason: 'uploaderAccountSuspended' }),
    { kind: 'rejected', failure: { stops: 'account' } },
  ],
  [
    'rejected by a new reason',
    video({ uploadStatus: 'rejected', rejectionReason: 'mood' }),
    { kind: 'rejected', failure: { reason: { code: 'mood', detail: 'mood' } } },
  ],
  [
    'deleted',
    video({ uploadStatus: 'deleted' }),
    { kind: 'rejected', failure: { reason: { code: 'deleted' } } },
  ],
  [
    'not to be asked for today',
    refusal(403, 'quotaExceeded'),
    { kind: 'unreadable', failure: { kind: 'throttled', limit: true } },
  ],
])('a video that is %s', async (_what, reply, outcome) => {
  const youtube = await start({ [VIDEOS]: [reply] })
  const at = session(PART, { ...READY, videoId: 'dQw4w9WgXcQ' })
  expect(await youtube.check(jobOf(PART), at)).toMatchObject(outcome)
})

test("a used-up quota of other calls stops nobody's uploads", async () => {
  const youtube = await start({ [VIDEOS]: [refusal(403, 'quotaExceeded')] })
  const seen = await youtube.check(jobOf(PART), session(PART, { videoId: 'dQw4w9WgXcQ' }))
  expect(
    seen.kind === 'unreadable' && seen.failure.kind === 'throttled' && seen.failure.stops,
  ).toBeUndefined()
})

const OURS = {
  id: 'dQw4w9WgXcQ',
  snippet: { title: 'Baking bread', description: 'How to bake' },
  status: { uploadStatus: 'processed' },
  fileDetails: { fileSize: String(PART), durationMs: '10040' },
}
const at = (iso: string, videoId = OURS.id) => ({ contentDetails: { videoId, videoPublishedAt: iso } })
const LATER = new Date(NOW + 60_000).toISOString()
const EARLIER = new Date(NOW - 600_000).toISOString()

test.each([
  ['with title, text, size and length', [at(LATER)], [OURS], {}, 'live'],
  ['from before', [at(EARLIER)], [OURS], {}, 'pending'],
  [
    'from before, and made public since',
    [{ ...at(LATER), snippet: { publishedAt: EARLIER } }],
    [OURS],
    {},
    'pending',
  ],
  ['of an unknown day', [{ contentDetails: { videoId: OURS.id } }], [OURS], {}, 'pending'],
  ['of another size', [at(LATER)], [{ ...OURS, fileDetails: { fileSize: '1' } }], {}, 'pending'],
  ['of an unknown size', [at(LATER)], [{ ...OURS, fileDetails: undefined }], {}, 'pending'],
  [
    'of another length',
    [at(LATER)],
    [{ ...OURS, fileDetails: { ...OURS.fileDetails, durationMs: '20000' } }],
    {},
    'pending',
  ],
  [
    'with another title',
    [at(LATER)],
    [{ ...OURS, snippet: { title: 'Other', description: 'How to bake' } }],
    {},
    'pending',
  ],
  [
    'with a second one like it',
    [at(LATER), at(LATER, 'abcdefghijk')],
    [OURS, { ...OURS, id: 'abcdefghijk' }],
    {},
    'pending',
  ],
  ["that is another delivery's", [at(LATER)], [OURS], { postIds: ['dQw4w9WgXcQ'] }, 'pending'],
  ['that may be another delivery’s', [at(LATER)], [OURS], { unknown: ['How to bake'] }, 'pending'],
  ['that is not there', [], [], {}, 'pending'],
] as const)(
  'an upload that is gone is looked for among the uploads: %s',
  async (_what, list, items, known, kind) => {
    const channel = {
      id: 'UC1',
      snippet: { title: 'Ann' },
      contentDetails: { relatedPlaylists: { uploads: 'UU1' } },
    }
    const youtube = await start({
      [UPLOAD]: [NO_SUCH],
      [CHANNELS]: [answer({ items: [channel] })],
      [UPLOADS]: [answer({ items: list })],
      [VIDEOS]: [answer({ items }), answer({ items })],
    })
    const siblings: PublishJob['siblings'] = () => Promise.resolve({ postIds: [], unknown: [], ...known })
    const seen = await youtube.check(jobOf(PART, { siblings }), session(PART, { ...READY, contested: true }))
    expect(seen.kind).toBe(kind)
  },
)

test('the address follows from the id, which the session may know', async () => {
  const youtube = await start({})
  const known = { ok: true, value: { postId: 'dQw4w9WgXcQ', url: URL_OF, complete: true } }
  expect(await youtube.locate(jobOf(1), null, 'dQw4w9WgXcQ')).toEqual(known)
  expect(await youtube.locate(jobOf(1), session(1, { videoId: 'dQw4w9WgXcQ' }), null)).toEqual(known)
  expect(await youtube.locate(jobOf(1), null, null)).toMatchObject({ value: { url: null, complete: true } })
})
