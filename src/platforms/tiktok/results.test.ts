import { afterEach, expect, test } from 'vitest'
import type { ResultsJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createTikTok } from './index.ts'

const QUERY = '/v2/video/query/'
const [ONE, OTHER] = ['7412345678901234567', '7412345678901234568']

let server: ScriptedServer
afterEach(() => server.close())

async function start(answers: readonly Scripted[]) {
  server = await scriptedServer({ [QUERY]: answers })
  return createTikTok(
    {
      mode: 'practice',
      clientKey: 'key',
      clientSecret: 'secret',
      authorizeUrl: server.url,
      apiUrl: server.url,
      uploadHosts: [],
      postUrl: server.url,
      appAudited: true,
    },
    () => 0,
  ).results
}

const job = (postIds: readonly string[], signal = new AbortController().signal): ResultsJob => ({
  account: { accessToken: 'act.1', externalId: '-000', username: 'ann' },
  postIds,
  scopes: [],
  signal,
})
const videos = (list: readonly object[]): Scripted => ({
  body: JSON.stringify({ data: { videos: list }, error: { code: 'ok', message: '', log_id: '2026' } }),
})
const refused = (code: string, status: number): Scripted => ({
  status,
  body: JSON.stringify({ data: {}, error: { code, message: 'words', log_id: '2026' } }),
})

test('numbers are asked for in one call, with the fields in the address', async () => {
  const results = await start([
    videos([{ id: ONE, view_count: 1043, like_count: 51, comment_count: 4, share_count: 0 }]),
  ])
  expect(await results.read(job([ONE, OTHER]))).toEqual({
    kind: 'read',
    posts: new Map([[ONE, { views: 1043, likes: 51, comments: 4, shares: 0 }]]),
  })
  const [request] = server.requests
  expect(request?.url).toBe(`${QUERY}?fields=id,view_count,like_count,comment_count,share_count`)
  expect(request?.headers.authorization).toBe('Bearer act.1')
  expect(JSON.parse(request?.body ?? '')).toEqual({ filters: { video_ids: [ONE, OTHER] } })
})

test.each([
  ['a field that is missing or null', videos([{ id: ONE, view_count: 7, like_count: null }]), { views: 7 }],
  ['a figure that is none', videos([{ id: ONE, view_count: 'many', like_count: -1 }]), {}],
])('%s is no zero', async (_what, answer, numbers) => {
  const results = await start([answer])
  expect(await results.read(job([ONE]))).toEqual({ kind: 'read', posts: new Map([[ONE, numbers]]) })
})

test('an id as a bare number keeps its digits, and a video that nobody asked for is left out', async () => {
  const results = await start([
    {
      body: `{"data":{"videos":[{"id":${ONE},"view_count":1},{"id":"${OTHER}","view_count":2}]},"error":{"code":"ok"}}`,
    },
  ])
  expect(await results.read(job([ONE]))).toEqual({ kind: 'read', posts: new Map([[ONE, { views: 1 }]]) })
})

test('nothing is asked for no posts', async () => {
  const results = await start([])
  expect(await results.read(job([]))).toEqual({ kind: 'read', posts: new Map() })
  expect(server.requests).toEqual([])
})

test.each([
  [refused('scope_not_authorized', 401), 'not_allowed', 'rejected'],
  [refused('scope_permission_missed', 400), 'not_allowed', 'rejected'],
  [refused('access_token_invalid', 401), 'unreadable', 'account'],
  [refused('invalid_params', 400), 'unreadable', 'rejected'],
  [refused('internal_error', 500), 'unreadable', 'unreachable'],
  [{ status: 502, body: '<html>' }, 'unreadable', 'unreachable'],
  [{ body: '{"data":{"videos":"none"},"error":{"code":"ok"}}' }, 'unreadable', 'unexpected'],
] as const)('%j is %s', async (answer, kind, failure) => {
  const results = await start([answer])
  expect(await results.read(job([ONE]))).toMatchObject({ kind, failure: { kind: failure } })
})

test('a limit on numbers holds no posts', async () => {
  const results = await start([refused('rate_limit_exceeded', 429)])
  const outcome = await results.read(job([ONE]))
  expect(outcome).toMatchObject({ kind: 'unreadable', failure: { kind: 'throttled', retryAfterS: 65 } })
  expect(outcome).not.toHaveProperty('failure.stops')
})

test('a read that is called off makes no call', async () => {
  const results = await start([])
  expect(await results.read(job([ONE], AbortSignal.abort()))).toMatchObject({ kind: 'unreadable' })
  expect(server.requests).toEqual([])
})
