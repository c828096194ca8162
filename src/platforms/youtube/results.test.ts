import { afterEach, expect, test } from 'vitest'
import type { ResultsJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { answer, configAt, NOW, refusal } from './testing.ts'

const VIDEOS = '/youtube/v3/videos'
const ID = 'AbCdEfGhIj0'

let server: ScriptedServer
afterEach(() => server.close())

async function start(replies: readonly Scripted[]) {
  server = await scriptedServer({ [VIDEOS]: replies })
  return createYouTube(configAt(server), () => NOW).results
}

const job = (postIds: readonly string[], signal = new AbortController().signal): ResultsJob => ({
  account: { accessToken: 'ya29.1', externalId: 'UC1', username: 'ann' },
  postIds,
  signal,
})
const video = (statistics: object, status: object = { uploadStatus: 'processed' }, id = ID) => ({
  id,
  statistics,
  status,
})
const counts = { viewCount: '2310', likeCount: '98', favoriteCount: '0', commentCount: '0' }

test('numbers of several videos are one call of one unit', async () => {
  const results = await start([answer({ items: [video(counts)] })])
  expect(await results.read(job([ID, 'gone']))).toEqual({
    kind: 'read',
    posts: new Map([[ID, { views: 2310, likes: 98, comments: 0 }]]),
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
    posts: new Map([
      [ID, { views: 5 }],
      ['b', {}],
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
