import { afterEach, expect, test } from 'vitest'
import type { Numbers } from '#domain/results/reading.ts'
import type { ResultsJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { answer, configAt, NOW, refusal } from './testing.ts'

const VIDEOS = '/youtube/v3/videos'
const REPORTS = '/v2/reports'
const ANALYTICS = 'https://www.googleapis.com/auth/yt-analytics.readonly'
const ID = 'AbCdEfGhIj0'

let server: ScriptedServer
afterEach(() => server.close())

async function start(replies: readonly Scripted[], reports: readonly Scripted[] = []) {
  server = await scriptedServer({ [VIDEOS]: replies, [REPORTS]: reports })
  return createYouTube(configAt(server), () => NOW).results
}

const job = (
  postIds: readonly string[],
  signal = new AbortController().signal,
  scopes: readonly string[] = [],
): ResultsJob => ({
  account: { accessToken: 'ya29.1', externalId: 'UC1', username: 'ann' },
  postIds,
  scopes,
  signal,
})
const video = (statistics: object, status: object = { uploadStatus: 'processed' }, id = ID) => ({
  id,
  statistics,
  status,
})
const withheld = (why: 'not_allowed' | 'missed') => ({
  shares: why,
  followers_gained: why,
  average_watch_ms: why,
  total_watch_ms: why,
})
const NOT_ALLOWED = withheld('not_allowed')
const allowed = (postIds: readonly string[]) => job(postIds, undefined, [ANALYTICS])
/** With the columns in another order than they were asked for. */
const report = (...rows: unknown[][]) =>
  answer({
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      'video',
      'subscribersGained',
      'estimatedMinutesWatched',
      'averageViewDuration',
      'shares',
    ].map((name) => ({ name })),
    ...(rows.length > 0 && { rows }),
  })
const counts = { viewCount: '2310', likeCount: '98', favoriteCount: '0', commentCount: '0' }

test('numbers of several videos are one call of one unit', async () => {
  const results = await start([answer({ items: [video(counts)] })])
  expect(await results.read(job([ID, 'gone']))).toEqual({
    kind: 'read',
    posts: new Map([[ID, { views: 2310, likes: 98, comments: 0, ...NOT_ALLOWED }]]),
  })
  const query = new URL(`http://x${server.requests[0]?.url}`).searchParams
  expect(Object.fromEntries(query)).toEqual({ part: 'statistics,status', id: `${ID},gone` })
})

test('a hidden count is not zero', async () => {
  const results = await start([
    answer({ items: [video({ viewCount: '5', favoriteCount: '0' }), video({}, {}, 'b')] }),
  ])
  expect(await results.read(job([ID, 'b']))).toEqual({
    kind: 'read',
    posts: new Map<string, Numbers>([
      [ID, { views: 5, ...NOT_ALLOWED }],
      ['b', { ...NOT_ALLOWED }],
    ]),
  })
})

test.each([
  ['private', { uploadStatus: 'processed', privacyStatus: 'private' }, true],
  ['rejected', { uploadStatus: 'rejected', privacyStatus: 'public' }, false],
  ['deleted', { uploadStatus: 'deleted', privacyStatus: 'public' }, false],
])("the channel's own %s video is there: %s", async (_what, status, isThere) => {
  const results = await start([answer({ items: [video(counts, status)] })])
  expect(await results.read(job([ID]))).toMatchObject({ posts: { size: isThere ? 1 : 0 } })
})

test('nothing is asked for no videos', async () => {
  const results = await start([])
  expect(await results.read(job([]))).toEqual({ kind: 'read', posts: new Map() })
  expect(server.requests).toEqual([])
})

test.each([
  [refusal(403, 'insufficientPermissions'), 'not_allowed', 'rejected'],
  [refusal(403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'), 'not_allowed', 'rejected'],
  [refusal(401, 'authError'), 'unreadable', 'account'],
  [refusal(403, 'quotaExceeded'), 'unreadable', 'throttled'],
  [refusal(500, 'backendError'), 'unreadable', 'unreachable'],
  [{ status: 200, body: '<html>' }, 'unreadable', 'unexpected'],
] as const)('%j is %s', async (reply, kind, failure) => {
  const results = await start([reply])
  const outcome = await results.read(job([ID]))
  expect(outcome).toMatchObject({ kind, failure: { kind: failure } })
  // Neither a quota of units nor a permission for numbers holds uploads.
  expect(outcome).not.toHaveProperty('failure.stops')
})

test('a read that is called off makes no call', async () => {
  const results = await start([])
  expect(await results.read(job([ID], AbortSignal.abort()))).toMatchObject({ kind: 'unreadable' })
  expect(server.requests).toEqual([])
})

test('shares, watch time and subscribers of several videos are one report, and a video without a row has none', async () => {
  const results = await start(
    [answer({ items: [video(counts), video(counts, {}, 'b'), video(counts, {}, 'c')] })],
    [report([ID, 12, 90, 7, 3], ['b', 0, 1, null, -1])],
  )
  expect(await results.read(allowed([ID, 'b', 'c', 'gone']))).toEqual({
    kind: 'read',
    posts: new Map([
      [
        ID,
        {
          views: 2310,
          likes: 98,
          comments: 0,
          shares: 3,
          followers_gained: 12,
          average_watch_ms: 7000,
          total_watch_ms: 5_400_000,
        },
      ],
      ['b', { views: 2310, likes: 98, comments: 0, followers_gained: 0, total_watch_ms: 60_000 }],
      ['c', { views: 2310, likes: 98, comments: 0 }],
    ]),
  })
  const query = new URL(`http://x${server.requests[1]?.url}`).searchParams
  expect(Object.fromEntries(query)).toEqual({
    ids: 'channel==MINE',
    startDate: '2005-02-14',
    endDate: '2026-11-22',
    metrics: 'shares,subscribersGained,averageViewDuration,estimatedMinutesWatched',
    dimensions: 'video',
    filters: `video==${ID},b,c`,
  })
})

test('a report without rows has no numbers, and none is asked for where no video is left', async () => {
  const results = await start([answer({ items: [video(counts)] }), answer({ items: [] })], [report()])
  expect(await results.read(allowed([ID]))).toEqual({
    kind: 'read',
    posts: new Map([[ID, { views: 2310, likes: 98, comments: 0 }]]),
  })
  expect(await results.read(allowed([ID]))).toEqual({ kind: 'read', posts: new Map() })
  expect(server.requests).toHaveLength(3)
})

test.each([
  [refusal(403, 'insufficientPermissions'), 'not_allowed', [ANALYTICS], 'rejected'],
  [refusal(403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'), 'not_allowed', [ANALYTICS], 'rejected'],
  [refusal(403, 'forbidden'), 'missed', [], 'rejected'],
  [refusal(403, 'accessNotConfigured'), 'missed', [], 'throttled'],
  [refusal(403, 'quotaExceeded'), 'missed', [], 'throttled'],
  [refusal(401, 'authError'), 'missed', [], 'account'],
  [refusal(500, 'backendError'), 'missed', [], 'unreachable'],
  [{ status: 200, body: '<html>' }, 'missed', [], 'unexpected'],
] as const)('counts are read although the report is %j', async (reply, why, lostScopes, kind) => {
  const results = await start([answer({ items: [video(counts)] })], [reply])
  expect(await results.read(allowed([ID]))).toMatchObject({
    kind: 'read',
    posts: new Map([[ID, { views: 2310, likes: 98, comments: 0, ...withheld(why) }]]),
    withheld: { failure: { kind }, lostScopes },
  })
})
