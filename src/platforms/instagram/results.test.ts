import { afterEach, expect, test, vi } from 'vitest'
import type { ResultsJob, Usage } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createInstagram } from './index.ts'

const POST = '18000000000000009'
const INSIGHTS = `/v25.0/${POST}/insights`
const NODE = `/v25.0/${POST}`
const ME = '/v25.0/me'
const DAY_MS = 86_400_000
const ALL = [
  'views',
  'reach',
  'likes',
  'comments',
  'shares',
  'saved',
  'ig_reels_avg_watch_time',
  'ig_reels_video_view_total_time',
]

let server: ScriptedServer
let now = 1_800_000_000_000
afterEach(() => server.close())

async function start(script: Record<string, readonly Scripted[]>) {
  server = await scriptedServer(script)
  return createInstagram(
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
  ).results
}

const json = (body: unknown, status = 200): Scripted => ({ status, body: JSON.stringify(body) })
const told = (numbers: Record<string, unknown>): Scripted =>
  json({
    data: Object.entries(numbers).map(([name, value]) => ({ name, period: 'lifetime', values: [{ value }] })),
  })
const refused = (code: number, subcode?: number, message = 'no'): Scripted =>
  json({ error: { message, type: 'OAuthException', code, error_subcode: subcode } }, 400)
const missing = refused(100, 33)
const withheld = refused(10)
const unnamed = refused(100, undefined, '(#100) The value must be a valid insights metric')

const job = (more: Partial<ResultsJob> = {}): ResultsJob => ({
  account: { accessToken: 'IGAA1', externalId: '17841400000000001', username: 'Ann' },
  postIds: [POST],
  scopes: [],
  signal: new AbortController().signal,
  ...more,
})
const read = (numbers: object) => ({ kind: 'read', posts: new Map([[POST, numbers]]) })
const GONE = { kind: 'read', posts: new Map() }
const asked = () =>
  server.requests
    .filter(({ url }) => url.includes('/insights'))
    .map(({ url }) => new URL(`http://x${url}`).searchParams.get('metric'))

test('all numbers of a post are one call, with the token in the header', async () => {
  const results = await start({
    [INSIGHTS]: [told({ views: 812, reach: 700, likes: 41, saved: 3, ig_reels_avg_watch_time: 6120.4 })],
  })
  const onUsage = vi.fn<(usage: Usage) => void>()
  expect(await results.read(job({ onUsage }))).toEqual(
    read({ views: 812, reach: 700, likes: 41, saves: 3, average_watch_ms: 6120 }),
  )
  expect(asked()).toEqual([ALL.join(',')])
  expect(server.requests[0]?.headers.authorization).toBe('Bearer IGAA1')
  expect(onUsage).toHaveBeenCalledOnce()
})

test('no data yet is a post without numbers, not zeros', async () => {
  const results = await start({ [INSIGHTS]: [json({ data: [] })] })
  expect(await results.read(job())).toEqual(read({}))
})

/** The paths of posts that each refuse `reach`, and answer without it. */
const refusing = (ids: readonly string[], refusal: Scripted) =>
  Object.fromEntries(ids.map((id) => [`/v25.0/${id}/insights`, [refusal, told({ views: 1 })]]))
const REST = ALL.filter((name) => name !== 'reach').join(',')

test.each([
  ['(#100) The Media Insights API does not support the reach metric for this media product type.'],
  ['(#100) metric[1] must be one of the following values: views, likes, comments'],
])('a metric that is refused for three posts is left out for all, for a day: %s', async (message) => {
  const refusal = refused(100, undefined, message)
  const results = await start({
    ...refusing(['1', '2', '3'], refusal),
    [INSIGHTS]: [told({ views: 2 }), told({ reach: 3 })],
  })
  expect(await results.read(job({ postIds: ['1', '2', '3'] }))).toMatchObject({ posts: { size: 3 } })
  expect(await results.read(job())).toEqual(read({ views: 2 }))
  now += DAY_MS
  expect(await results.read(job())).toEqual(read({ reach: 3 }))
  expect(asked().slice(-4)).toEqual([ALL.join(','), REST, REST, ALL.join(',')])
})

test('a metric that is refused for one post is asked for of others, and that it works is remembered', async () => {
  const refusal = refused(100, undefined, '(#100) metric[1] must be one of the following values: views')
  const results = await start({
    ...refusing(['1', '2', '3'], refusal),
    [INSIGHTS]: [told({ reach: 3 }), told({ reach: 4 })],
  })
  await results.read(job({ postIds: ['1', '2'] }))
  expect(await results.read(job())).toEqual(read({ reach: 3 }))
  await results.read(job({ postIds: ['3'] }))
  expect(await results.read(job())).toEqual(read({ reach: 4 }))
})

test('after a refusal that names none each metric is asked for alone', async () => {
  const answers = [
    unnamed,
    told({ views: 1 }),
    ...ALL.slice(2).map(() => unnamed),
    told({ ig_reels_video_view_total_time: 5 }),
  ]
  const ids = ['1', '2', '3']
  const results = await start({
    ...Object.fromEntries(ids.map((id) => [`/v25.0/${id}/insights`, answers])),
    [INSIGHTS]: [told({ views: 2 })],
  })
  expect(await results.read(job({ postIds: ['1'] }))).toMatchObject({
    posts: new Map([['1', { views: 1, total_watch_ms: 5 }]]),
  })
  expect(asked()).toEqual([ALL.join(','), ...ALL])
  await results.read(job({ postIds: ['2', '3'] }))
  expect(await results.read(job())).toEqual(read({ views: 2 }))
  expect(asked().at(-1)).toBe('views,ig_reels_video_view_total_time')
})

test('a permission for some metrics only is none for those', async () => {
  const results = await start({
    [INSIGHTS]: [withheld, told({ views: 1 }), ...ALL.slice(1).map(() => withheld)],
  })
  expect(await results.read(job())).toEqual(read({ views: 1 }))
})

test('if no metric works even alone, the permission is missing', async () => {
  const results = await start({ [INSIGHTS]: [withheld, ...ALL.map(() => withheld), told({ views: 1 })] })
  expect(await results.read(job())).toMatchObject({ kind: 'not_allowed', failure: { kind: 'rejected' } })
  // Nothing was learned about the metrics.
  expect(await results.read(job())).toEqual(read({ views: 1 }))
  expect(asked().at(-1)).toBe(ALL.join(','))
})

test('if every metric is refused as unknown, no account is blamed', async () => {
  const results = await start({ [INSIGHTS]: [unnamed, ...ALL.map(() => unnamed)] })
  expect(await results.read(job())).toMatchObject({ kind: 'unreadable', failure: { kind: 'rejected' } })
})

test.each([
  ['that nobody can read is gone', { [NODE]: [missing], [ME]: [json({ id: '1' })] }, GONE],
  [
    'that can be read shows that the permission is missing',
    { [NODE]: [json({ id: POST })] },
    { kind: 'not_allowed' },
  ],
  ['is not called gone while Instagram has trouble', { [NODE]: [refused(2)] }, { kind: 'unreadable' }],
  [
    'is not called gone by a token that can do nothing',
    { [NODE]: [missing], [ME]: [refused(190, 463)] },
    { kind: 'unreadable', failure: { kind: 'account' } },
  ],
])('a missing post %s', async (_what, script, outcome) => {
  const results = await start({ [INSIGHTS]: [missing], ...script })
  expect(await results.read(job())).toMatchObject(outcome)
})

test.each([
  [refused(190, 463), 'account'],
  [refused(4), 'throttled'],
  [refused(80_002), 'throttled'],
  [refused(2), 'unreachable'],
  [{ status: 502, body: '<html>' }, 'unreachable'],
  [json({ data: 'none' }), 'unexpected'],
])('%j says nothing of the post', async (answer, kind) => {
  const results = await start({ [INSIGHTS]: [answer] })
  expect(await results.read(job())).toMatchObject({ kind: 'unreadable', failure: { kind } })
  expect(server.requests).toHaveLength(1)
})

test('nothing is asked for no posts, or once the read is called off', async () => {
  const results = await start({})
  expect(await results.read(job({ postIds: [] }))).toEqual(GONE)
  expect(await results.read(job({ signal: AbortSignal.abort() }))).toMatchObject({ kind: 'unreadable' })
  expect(server.requests).toEqual([])
})
