import { afterEach, expect, test } from 'vitest'
import type { Session } from '#domain/delivery/state.ts'
import type { Siblings, PublishJob } from '../kit/platform.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import { createInstagram } from './index.ts'

const ACCOUNT = '17841400000000001'
const CONTAINER = '/v25.0/18000000000000001'
const CREATE = `/v25.0/${ACCOUNT}/media`
const PUBLISH = `/v25.0/${ACCOUNT}/media_publish`
const QUOTA = `/v25.0/${ACCOUNT}/content_publishing_limit`
const NOW = 1_800_000_000_000
const MINUTE_MS = 60_000

let server: ScriptedServer
afterEach(() => server.close())

const json = (body: unknown, status = 200): Scripted => ({ status, body: JSON.stringify(body) })
const reads = (code: string, status?: string): Scripted => json({ status_code: code, status, id: '1' })
const refused = (code: number, subcode?: number, status = 400): Scripted =>
  json({ error: { message: 'no', type: 'OAuthException', code, error_subcode: subcode } }, status)

const instagram = (now = NOW) =>
  createInstagram(
    {
      mode: 'live',
      appId: '1',
      appSecret: 's',
      metaAppSecret: null,
      authorizeUrl: `${server.url}/oauth/authorize`,
      apiUrl: server.url,
      graphUrl: server.url,
    },
    () => now,
  )

const job: PublishJob = {
  account: { accessToken: 'IGAA1', externalId: ACCOUNT, username: 'ann' },
  text: 'hello #cat',
  options: { media_type: 'VIDEO', share_to_feed: false },
  video: {
    size: 100,
    mime: 'video/mp4',
    durationS: 10,
    read: () => Promise.reject(new Error('not pushed')),
    address: () => Promise.resolve('https://media.example/ü/1.mp4'),
  },
  pictureAddress: () => Promise.resolve(null),
  siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
  signal: new AbortController().signal,
}

const session = (more: Record<string, boolean | number | string | null> = {}): Session => ({
  container: '18000000000000001',
  createdAt: NOW,
  polls: 0,
  readyAt: NOW,
  finishedSince: null,
  brokenSince: null,
  contested: false,
  answered: null,
  notBefore: null,
  ...more,
})

test('a container is a reel with explicit options and the token in the header', async () => {
  server = await scriptedServer({ [CREATE]: [{ body: '{"id":18000000000000001}' }] })
  expect(await instagram().open(job)).toMatchObject({ ok: true, value: { container: '18000000000000001' } })
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    media_type: 'REELS',
    video_url: 'https://media.example/%C3%BC/1.mp4',
    share_to_feed: 'false',
    caption: 'hello #cat',
  })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer IGAA1')
  expect(server.requests[0]?.url).not.toContain('IGAA1')
})

test('the moment of the cover is sent in milliseconds, and only where one was chosen', async () => {
  server = await scriptedServer({
    [CREATE]: [{ body: '{"id":1}' }, { body: '{"id":2}' }, { body: '{"id":3}' }],
  })
  for (const chosen of [{ thumb_offset: 11_000 }, { thumb_offset: 0 }, {}])
    await instagram().open({ ...job, options: { ...job.options, ...chosen } })
  const sent = server.requests.map(({ body }) => new URLSearchParams(body).get('thumb_offset'))
  expect(sent).toEqual(['11000', '0', null])
})

test('an own cover is sent as an ASCII address made for this call, in place of a moment', async () => {
  server = await scriptedServer({ [CREATE]: [{ body: '{"id":1}' }] })
  const asked: number[] = []
  await instagram().open({
    ...job,
    options: { ...job.options, cover_picture_id: 7, thumb_offset: 11_000 },
    pictureAddress: async (pictureId) => `https://media.example/ü/${asked.push(pictureId)}.jpg`,
  })
  const sent = new URLSearchParams(server.requests[0]?.body)
  expect([sent.get('cover_url'), sent.get('thumb_offset'), asked]).toEqual([
    'https://media.example/%C3%BC/1.jpg',
    null,
    [7],
  ])
})

test('a post whose cover picture is gone fails before any call, and says so', async () => {
  server = await scriptedServer({})
  const options = { ...job.options, cover_picture_id: 7 }
  expect(await instagram().open({ ...job, options })).toMatchObject({
    ok: false,
    failure: { kind: 'rejected', reason: { code: 'cover_gone' } },
  })
  expect(server.requests).toEqual([])
})

test.each(['2207004', '2207005', '2207009'])('a cover refused with %s fails as such', async (subcode) => {
  server = await scriptedServer({ [CONTAINER]: [reads('ERROR', `Error: … error code ${subcode}`)] })
  expect(await instagram().send(job, session({ readyAt: null }), async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
    failure: {
      kind: 'rejected',
      reason: { code: subcode, message: 'Instagram did not accept the cover picture.' },
    },
  })
})

test('people, audio, trial and AI label are sent as chosen, and not at all where nothing was', async () => {
  server = await scriptedServer({ [CREATE]: [{ body: '{"id":1}' }, { body: '{"id":2}' }] })
  const chosen = {
    collaborators: ['maria.bakes'],
    user_tags: ['northwind', 'harbour_coffee'],
    audio_name: 'Kitchen noise',
    trial_params: { graduation_strategy: 'MANUAL' },
    is_ai_generated: true,
  }
  for (const more of [chosen, {}]) await instagram().open({ ...job, options: { ...job.options, ...more } })
  const [first, second] = server.requests.map(({ body }) => new URLSearchParams(body))
  expect(first?.get('collaborators')).toBe('["maria.bakes"]')
  expect(first?.get('user_tags')).toBe('[{"username":"northwind"},{"username":"harbour_coffee"}]')
  expect(first?.get('audio_name')).toBe('Kitchen noise')
  expect(first?.get('trial_params')).toBe('{"graduation_strategy":"MANUAL"}')
  expect(first?.get('is_ai_generated')).toBe('true')
  for (const name of Object.keys(chosen)) expect(second?.has(name), name).toBe(false)
})

test.each([-1, 1.5, 900_000])('a cover at %d ms is refused before any call', async (thumb_offset) => {
  server = await scriptedServer({})
  expect(await instagram().open({ ...job, options: { ...job.options, thumb_offset } })).toMatchObject({
    ok: false,
  })
  expect(server.requests).toEqual([])
})

test('polling slows down and ends after an hour', async () => {
  server = await scriptedServer({ [CONTAINER]: Array.from({ length: 20 }, () => reads('IN_PROGRESS')) })
  const waits: number[] = []
  let current = session({ readyAt: null })
  for (let round = 0; round < 7; round += 1) {
    const outcome = await instagram().send(job, current, async () => undefined)
    if (outcome.kind !== 'wait') throw new Error(outcome.kind)
    waits.push(outcome.afterS)
    current = outcome.session
  }
  expect(waits).toEqual([5, 10, 15, 30, 30, 60, 60])
  expect(await instagram(NOW + 61 * MINUTE_MS).send(job, current, async () => undefined)).toMatchObject({
    kind: 'setback',
    session: null,
    failure: { reason: { code: 'container_slow' } },
  })
})

test('an unreadable container is kept, since it may be ready', async () => {
  server = await scriptedServer({ [CONTAINER]: [refused(100, 33), reads('FINISHED')] })
  const late = instagram(NOW + 61 * MINUTE_MS)
  expect(await late.send(job, session({ readyAt: null }), async () => undefined)).toMatchObject({
    kind: 'setback',
    failure: { kind: 'unreachable', reason: { code: 'container_unreadable' } },
    session: { container: '18000000000000001' },
  })
  expect((await late.send(job, session({ readyAt: null }), async () => undefined)).kind).toBe('ready')
})

test('only posts since the last read before the publish call can be ours', async () => {
  server = await scriptedServer({ [CONTAINER]: [reads('FINISHED')] })
  const later = instagram(NOW + MINUTE_MS)
  expect(await later.send(job, session({ readyAt: NOW }), async () => undefined)).toMatchObject({
    session: { readyAt: NOW + MINUTE_MS },
  })
})

test.each([
  [reads('FINISHED'), { kind: 'ready', session: { readyAt: NOW } }],
  [
    reads('ERROR', 'Error: Media upload has failed with error code 2207082'),
    { kind: 'setback', session: null, failure: { reason: { code: '2207082' } } },
  ],
  [reads('EXPIRED'), { kind: 'setback', session: null }],
  [json({ id: '1' }), { kind: 'wait' }],
  // Healthy containers answered this for days.
  [refused(100, 33), { kind: 'wait' }],
  [refused(2), { kind: 'setback', failure: { kind: 'unreachable' }, session: { polls: 0 } }],
  [refused(190, 460), { kind: 'setback', failure: { kind: 'account', expired: false } }],
  // A call that nobody recorded made it public; `commit` finds that out.
  [reads('PUBLISHED'), { kind: 'ready', session: { contested: true } }],
] as const)('while waiting, %o is %o', async (answer, expected) => {
  server = await scriptedServer({ [CONTAINER]: [answer] })
  expect(await instagram().send(job, session({ readyAt: null }), async () => undefined)).toMatchObject(
    expected,
  )
})

test('a container that may be public is kept while waiting', async () => {
  server = await scriptedServer({})
  expect(await instagram().send(job, session({ contested: true }), async () => undefined)).toMatchObject({
    kind: 'ready',
  })
  expect(server.requests).toHaveLength(0)
})

test.each([
  [json({ id: '17900000000000001' }), 'live'],
  [refused(9007, 2207027), 'not_ready'],
  [refused(9, 2207042), 'refused'],
  [refused(190, 463), 'refused'],
  [refused(190, 0, 401), 'refused'],
  [refused(10), 'refused'],
  [refused(100, 2207089), 'refused'],
  [refused(100, 2207023), 'refused'],
  [refused(25, 2207050), 'refused'],
  // This was seen for a post that was live.
  [refused(4, 2207051, 403), 'unanswered'],
  [refused(4), 'unanswered'],
  [refused(1), 'unanswered'],
  [refused(2, undefined, 500), 'unanswered'],
  [refused(-1, 2207001), 'unanswered'],
  [refused(24, 2207008), 'unanswered'],
  [refused(100, 33), 'unanswered'],
  [refused(368), 'unanswered'],
  [refused(506), 'unanswered'],
  [refused(9007), 'unanswered'],
  [refused(80002), 'unanswered'],
  [refused(777777), 'unanswered'],
  [{ status: 502, body: '<html>' }, 'unanswered'],
  [{ status: 200, body: '' }, 'unanswered'],
] as const)('%o to the publish call is %s', async (answer, kind) => {
  server = await scriptedServer({ [PUBLISH]: [answer] })
  expect((await instagram().commit(job, session())).kind).toBe(kind)
  expect(new URLSearchParams(server.requests[0]?.body).get('creation_id')).toBe('18000000000000001')
})

test('a publish call that was never sent is unsent', async () => {
  server = await scriptedServer({})
  await server.close()
  expect(await instagram().commit(job, session())).toMatchObject({
    kind: 'unsent',
    failure: { kind: 'unreachable' },
  })
})

test('refusals for token or daily limit keep the container, account refusals do not', async () => {
  server = await scriptedServer({ [PUBLISH]: [refused(190), refused(9, 2207042), refused(25, 2207050)] })
  expect(await instagram().commit(job, session())).toMatchObject({
    failure: { kind: 'account' },
    session: { container: '18000000000000001' },
  })
  expect(await instagram().commit(job, session())).toMatchObject({
    failure: { kind: 'throttled', limit: true },
    session: { container: '18000000000000001' },
  })
  expect(await instagram().commit(job, session())).toMatchObject({
    failure: { kind: 'throttled', limit: true, retryAfterS: 86_400 },
    session: null,
  })
})

test('a second publish call is made only to a container that reads FINISHED', async () => {
  const contested = session({ contested: true })
  server = await scriptedServer({
    [CONTAINER]: [reads('PUBLISHED'), reads('ERROR'), refused(100, 33), reads('FINISHED')],
    [PUBLISH]: [json({ id: '17900000000000001' })],
  })
  expect((await instagram().commit(job, contested)).kind).toBe('live')
  expect((await instagram().commit(job, contested)).kind).toBe('unanswered')
  expect((await instagram().commit(job, contested)).kind).toBe('unanswered')
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  expect(await instagram().commit(job, contested)).toMatchObject({
    kind: 'live',
    postId: '17900000000000001',
  })
})

test('after an unanswered publish call a later refusal is not definite', async () => {
  server = await scriptedServer({ [CONTAINER]: [reads('FINISHED')], [PUBLISH]: [refused(9, 2207042)] })
  expect((await instagram().commit(job, session({ contested: true }))).kind).toBe('unanswered')
})

test('a container must read FINISHED for two minutes before it may be published again', async () => {
  server = await scriptedServer({ [CONTAINER]: [1, 2, 3].map(() => reads('FINISHED')) })
  const first = await instagram(NOW).check(job, session())
  expect(first).toMatchObject({ kind: 'pending', session: { finishedSince: NOW } })
  if (first.kind !== 'pending') return
  expect((await instagram(NOW + 119_000).check(job, first.session)).kind).toBe('pending')
  expect(await instagram(NOW + 120_000).check(job, first.session)).toMatchObject({
    kind: 'uncommitted',
    session: { contested: true, finishedSince: null },
  })
})

test('any other status restarts the two minutes', async () => {
  server = await scriptedServer({ [CONTAINER]: [reads('IN_PROGRESS')] })
  expect(await instagram(NOW + 119_000).check(job, session({ finishedSince: NOW }))).toMatchObject({
    kind: 'pending',
    session: { finishedSince: null },
  })
})

const post = (more: Record<string, unknown> = {}) => ({
  id: '17900000000000001',
  permalink: 'https://www.instagram.com/reel/abc/',
  timestamp: '2027-01-15T08:00:00+0000',
  media_type: 'VIDEO',
  caption: 'hello #cat',
  ...more,
})

const quota = (used: number): Scripted => json({ data: [{ quota_usage: used }] })
const NOBODY: Siblings = { postIds: [], unknown: [] }
const amid = (siblings: Partial<Siblings>): PublishJob => ({
  ...job,
  siblings: () => Promise.resolve({ ...NOBODY, ...siblings }),
})

test.each([
  ['ERROR', [], 'pending'],
  ['ERROR', [post({ caption: 'another' })], 'pending'],
  ['ERROR', [post({ timestamp: '2027-01-15T07:50:00+0000' })], 'pending'],
  ['ERROR', [post()], 'live'],
  ['EXPIRED', [post({ id: '17900000000000002', caption: 'another' }), post()], 'live'],
  ['ERROR', [post({ caption: ' hello\r\n#cat ' })], 'live'],
  ['ERROR', [post(), post({ id: '17900000000000002' })], 'pending'],
  ['ERROR', [post({ caption: undefined })], 'pending'],
  ['ERROR', [post({ caption: 'Hello #cat and more than we sent' })], 'pending'],
] as const)(
  'a container that reads %s after the call, with the posts %o, is %s',
  async (code, data, kind) => {
    server = await scriptedServer({
      [CONTAINER]: [reads(code)],
      [CREATE]: [json({ data })],
      [QUOTA]: [quota(0)],
    })
    expect((await instagram().check(job, session())).kind).toBe(kind)
  },
)

async function judged(
  data: readonly object[],
  used: number | Scripted,
  siblings: Partial<Siblings> = {},
  more: object = {},
): Promise<string> {
  server = await scriptedServer({
    [CONTAINER]: [reads('ERROR', '2207026')],
    [CREATE]: [json({ data, ...more })],
    [QUOTA]: [typeof used === 'number' ? quota(used) : used],
  })
  const later = instagram(NOW + 15 * MINUTE_MS)
  const outcome = await later.check(amid(siblings), session({ brokenSince: NOW }))
  await server.close()
  return outcome.kind === 'live' ? `live ${outcome.postId}` : outcome.kind
}
const ID = '17900000000000001'

test('a post of another delivery with our text is not ours', async () => {
  expect(await judged([post()], 1)).toBe(`live ${ID}`)
  expect(await judged([post()], 1, { postIds: [ID] })).toBe('rejected')
  // The post with the unknown id may be this one.
  expect(await judged([post()], 1, { unknown: ['hello #cat'] })).toBe('pending')
  expect(await judged([post()], 1, { unknown: ['something else'] })).toBe(`live ${ID}`)
  const both = [post(), post({ id: '17900000000000002' })]
  expect(await judged(both, 2, { postIds: ['17900000000000002'] })).toBe(`live ${ID}`)
})

test('without captions, an unexplained published container is ours', async () => {
  const uncaptioned = post({ caption: undefined })
  expect(await judged([uncaptioned], 1)).toBe(`live ${ID}`)
  expect(await judged([uncaptioned], 0)).toBe('pending')
  expect(await judged([uncaptioned], 1, { unknown: ['something else'] })).toBe('pending')
  expect(await judged([uncaptioned, post({ id: '2', caption: undefined })], 2, { postIds: ['2'] })).toBe(
    `live ${ID}`,
  )
  expect(await judged([uncaptioned, post({ id: '2', caption: undefined })], 1, { postIds: ['2'] })).toBe(
    'pending',
  )
})

test('absence needs a matching number of published containers', async () => {
  expect(await judged([], 0)).toBe('rejected')
  expect(await judged([], 1)).toBe('pending')
  expect(await judged([], 1, { postIds: ['5'] })).toBe('rejected')
  expect(await judged([post({ caption: 'another' })], 1)).toBe('pending')
  // Instagram refuses the question, so the list of posts decides.
  expect(await judged([], refused(100))).toBe('rejected')
  expect(await judged([], refused(2))).toBe('unreadable')
  expect(await judged([post()], refused(2))).toBe(`live ${ID}`)
})

test('an incomplete list proves no absence', async () => {
  const full = Array.from({ length: 50 }, (_, index) => post({ id: String(index), caption: 'another' }))
  expect(await judged(full, 0)).toBe('pending')
  expect(await judged([], 0, {}, { paging: { next: 'https://graph.instagram.com/next' } })).toBe('pending')
})

test('sibling deliveries are read after the posts', async () => {
  server = await scriptedServer({
    [CONTAINER]: [reads('ERROR')],
    [CREATE]: [json({ data: [post()] })],
    [QUOTA]: [quota(1)],
  })
  const asked: { since: number; after: number }[] = []
  const siblings = (since: number): Promise<Siblings> => {
    asked.push({ since, after: server.requests.length })
    return Promise.resolve(NOBODY)
  }
  await instagram().check({ ...job, siblings }, session())
  expect(asked).toEqual([{ since: NOW - MINUTE_MS, after: 3 }])
  expect(server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('since'))).toEqual([
    null,
    String((NOW - MINUTE_MS) / 1000),
    String((NOW - MINUTE_MS) / 1000),
  ])
})

test('a broken container without a post is rejected after 15 minutes', async () => {
  server = await scriptedServer({
    [CONTAINER]: [reads('ERROR', '2207026'), reads('ERROR', '2207026'), reads('ERROR'), reads('ERROR')],
    [CREATE]: [
      json({ data: [] }),
      json({ data: [] }),
      json({ data: [post({ caption: undefined })] }),
      refused(2),
    ],
    [QUOTA]: [quota(0), quota(0), quota(0)],
  })
  const early = await instagram(NOW).check(job, session())
  expect(early).toMatchObject({ kind: 'pending', session: { brokenSince: NOW } })
  const later = instagram(NOW + 15 * MINUTE_MS)
  const broken = session({ brokenSince: NOW })
  expect(await later.check(job, broken)).toMatchObject({
    kind: 'rejected',
    failure: { reason: { code: '2207026' } },
  })
  // A possible post of ours restarts the wait.
  expect(await later.check(job, broken)).toMatchObject({ kind: 'pending', session: { brokenSince: null } })
  expect((await later.check(job, broken)).kind).toBe('unreadable')
})

test('counts older than a day are not requested', async () => {
  server = await scriptedServer({ [CONTAINER]: [reads('EXPIRED')], [CREATE]: [json({ data: [] })] })
  const later = instagram(NOW + 1441 * MINUTE_MS)
  expect(await later.check(job, session({ brokenSince: NOW }))).toMatchObject({
    kind: 'rejected',
    failure: { reason: { code: 'container_expired' }, againInS: [5, 60] },
  })
})

test('an unreadable container never proves anything', async () => {
  server = await scriptedServer({
    [CONTAINER]: [refused(100, 33), refused(100, 33), refused(2)],
    [CREATE]: [json({ data: [] }), json({ data: [post()] })],
    [QUOTA]: [quota(0), quota(1)],
  })
  const later = instagram(NOW + 60 * MINUTE_MS)
  expect((await later.check(job, session())).kind).toBe('unreadable')
  expect((await later.check(job, session())).kind).toBe('live')
  expect((await later.check(job, session())).kind).toBe('unreadable')
})

test('the answer to the publish call is stored in the session', async () => {
  server = await scriptedServer({
    [PUBLISH]: [refused(4, 2207051, 403), refused(4), { status: 502, body: '<html>' }],
  })
  const answers = [1, 2, 3].map(() => instagram().commit(job, session()))
  const sessions = (await Promise.all(answers)).map((outcome) =>
    'session' in outcome ? outcome.session : null,
  )
  expect(sessions).toMatchObject([
    { answered: '4/2207051' },
    { answered: '4', notBefore: NOW + 15 * MINUTE_MS },
    { answered: 'http_502', notBefore: null },
  ])
})

test('the publish call is not repeated before a throttle ends', async () => {
  server = await scriptedServer({ [CONTAINER]: [reads('FINISHED'), reads('FINISHED')] })
  const waiting = session({ finishedSince: NOW, notBefore: NOW + 15 * MINUTE_MS })
  expect((await instagram(NOW + 14 * MINUTE_MS).check(job, waiting)).kind).toBe('pending')
  expect((await instagram(NOW + 15 * MINUTE_MS).check(job, waiting)).kind).toBe('uncommitted')
})

test('a container gets at most three publish calls', async () => {
  server = await scriptedServer({ [CONTAINER]: [1, 2, 3].map(() => reads('FINISHED')) })
  const later = instagram(NOW + 2 * MINUTE_MS)
  expect(await later.check(job, session({ finishedSince: NOW }))).toMatchObject({
    kind: 'uncommitted',
    session: { lost: 1 },
  })
  expect((await later.check(job, session({ finishedSince: NOW, lost: 1 }))).kind).toBe('uncommitted')
  expect((await later.check(job, session({ finishedSince: NOW, lost: 2 }))).kind).toBe('pending')
})

test.each(['4/2207051', '506'])(
  'after %s the call is never made again: it is watched until its container is gone, and then the user decides',
  async (answered) => {
    server = await scriptedServer({
      [CONTAINER]: [reads('FINISHED'), reads('PUBLISHED'), reads('EXPIRED')],
      [CREATE]: [json({ data: [] })],
    })
    const broken = session({ finishedSince: NOW, brokenSince: NOW, answered })
    const later = instagram(NOW + 1441 * MINUTE_MS)
    expect((await later.check(job, broken)).kind).toBe('pending')
    expect((await later.check(job, broken)).kind).toBe('live')
    const end = await later.check(job, broken)
    expect(end).toMatchObject({ kind: 'rejected', failure: { kind: 'rejected', reason: { code: answered } } })
    expect(end).not.toHaveProperty('failure.againInS')
  },
)

test('sessions of older versions can be read', async () => {
  const old = Object.fromEntries(
    Object.entries(session({ finishedSince: NOW })).filter(
      ([name]) => name !== 'answered' && name !== 'notBefore',
    ),
  )
  server = await scriptedServer({ [CONTAINER]: [reads('FINISHED')] })
  expect((await instagram(NOW + 2 * MINUTE_MS).check(job, old)).kind).toBe('uncommitted')
})

test('a post is located by id, or as the only candidate', async () => {
  server = await scriptedServer({
    '/v25.0/17900000000000001': [json({ id: '17900000000000001', permalink: 'https://i/1/' })],
    [CREATE]: [
      json({ data: [post({ caption: undefined })] }),
      json({ data: [post(), post({ id: '2' })] }),
      json({ data: [post(), post({ id: '2' })] }),
      json({ data: [post()] }),
    ],
  })
  expect(await instagram().locate(job, session(), '17900000000000001')).toMatchObject({
    value: { url: 'https://i/1/', complete: true },
  })
  expect(await instagram().locate(job, session(), null)).toMatchObject({
    value: { postId: '17900000000000001', complete: true },
  })
  expect(await instagram().locate(job, session(), null)).toMatchObject({
    value: { postId: null, url: null, complete: false },
  })
  expect(await instagram().locate(amid({ postIds: ['2'] }), session(), null)).toMatchObject({
    value: { postId: '17900000000000001', complete: true },
  })
  expect(await instagram().locate(amid({ unknown: ['hello #cat'] }), session(), null)).toMatchObject({
    value: { postId: null, url: null, complete: false },
  })
})
