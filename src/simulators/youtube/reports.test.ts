import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  linkYouTube,
  sampleVideo,
  start,
  until,
  youtubeAuthorize,
  youtubeCall,
  youtubeInitiate,
  youtubePut,
  type Client,
} from '../test-client.ts'

const ANALYTICS = 'https://www.googleapis.com/auth/yt-analytics.readonly'
const DAY_S = 86_400

let client: Client
let token: string
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', { youtube_processing_ms: 0 })
  await link()
})

const scope = `${youtubeAuthorize().get('scope') ?? ''} ${ANALYTICS}`
const link = async (untick = '') => {
  token = (await linkYouTube(client, 'nova', { scope }, untick)).access_token
}
const pass = async (days: number) => {
  await client.control('POST', '/clock', { advance_s: days * DAY_S })
  await link()
}

async function publish(): Promise<string> {
  const video = sampleVideo()
  const before = (await client.posts()).length
  const session = await youtubeInitiate(client, token, video.length)
  await youtubePut(session.headers.get('location') ?? '', token, video, 0)
  const posts = await until(client.posts, (all) => all.length > before)
  return posts.at(-1)?.id ?? ''
}

const query = (id: string, change: Record<string, string> = {}, access = token) => {
  const parameters = new URLSearchParams({
    ids: 'channel==MINE',
    startDate: '2005-02-14',
    endDate: '2100-01-01',
    metrics: 'views,subscribersGained,averageViewDuration,estimatedMinutesWatched,shares',
    dimensions: 'video',
    filters: `video==${id}`,
    ...change,
  })
  return youtubeCall(client, access, `/v2/reports?${parameters.toString()}`)
}
const rowsOf = async (id: string, change: Record<string, string> = {}) =>
  (await query(id, change))['rows'] as (string | number)[][] | undefined

test('a report ends with the last day that ended two days ago, and has no rows before that', async () => {
  const id = await publish()
  expect(await query(id)).toMatchObject({
    status: 200,
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [{ name: 'video' }, { name: 'views' }, { name: 'subscribersGained' }, {}, {}, {}],
  })
  await pass(2)
  expect(await rowsOf(id)).toBeUndefined()
  await pass(2)
  const [first = []] = (await rowsOf(id)) ?? []
  expect(first[0]).toBe(id)
  await pass(7)
  const [later = []] = (await rowsOf(id)) ?? []
  for (const nth of [1, 2, 4, 5]) expect(later[nth]).toBeGreaterThan(Number(first[nth]) - 1)
  expect(later[1]).toBeGreaterThan(Number(first[1]))
})

test('only what was watched between two days counts', async () => {
  const id = await publish()
  await pass(30)
  const [all = []] = (await rowsOf(id, { metrics: 'views' })) ?? []
  const now = Date.now() + 30 * DAY_S * 1000
  const day = (ago: number) => new Date(now - ago * DAY_S * 1000).toISOString().slice(0, 10)
  const [some = []] = (await rowsOf(id, { metrics: 'views', startDate: day(20), endDate: day(10) })) ?? []
  expect(Number(some[1])).toBeGreaterThan(0)
  expect(Number(some[1])).toBeLessThan(Number(all[1]))
  expect(await rowsOf(id, { startDate: day(60), endDate: day(40) })).toBeUndefined()
})

test("deleted videos and those of other channels have no rows, and the channel's private ones do", async () => {
  const id = await publish()
  const other = await publish()
  await pass(10)
  const turn = (visibility: string, which: string) =>
    client.control('POST', '/visibility', { platform: 'youtube', id: which, visibility })
  await turn('private', id)
  await turn('deleted', other)
  expect((await rowsOf(`${other},${id}`))?.map(([video]) => video)).toEqual([id])
  const { access_token } = await linkYouTube(client, 'quiet', { scope })
  expect((await query(id, {}, access_token))['rows']).toBeUndefined()
})

test.each([
  [{ metrics: 'views,nonsense' }],
  [{ metrics: '' }],
  [{ dimensions: 'day' }],
  [{ filters: '' }],
  [{ ids: 'channel==UCother' }],
  [{ startDate: '2026-1-1' }],
  [{ startDate: '2026-11-02', endDate: '2026-11-01' }],
])('%j is refused', async (change: Record<string, string>) => {
  const { status, error } = await query('a', change)
  expect([status, error?.errors?.[0]?.reason]).toEqual([400, 'badRequest'])
})

const reasonOf = async () => {
  const { status, error } = await query('a')
  return [status, error?.errors?.[0]?.reason]
}

test('a report needs both permissions, and the API to be switched on', async () => {
  expect(await reasonOf()).toEqual([200, undefined])
  for (const box of ['yt-analytics.readonly', 'youtube.readonly']) {
    await client.control('DELETE', '')
    await link(box)
    expect(await reasonOf()).toEqual([403, 'insufficientPermissions'])
  }
  await client.control('DELETE', '')
  await link()
  await client.control('POST', '/apps', { platform: 'youtube', analytics_enabled: false })
  expect(await reasonOf()).toEqual([403, 'accessNotConfigured'])
  const videos = await youtubeCall(client, token, '/youtube/v3/videos?part=status&id=a')
  expect(videos.status).toBe(200)
})

test('reports have a quota of their own', async () => {
  await client.control('POST', '/settings', { youtube_quota_units: 0, youtube_quota_reports: 1 })
  expect((await query('a')).status).toBe(200)
  expect(await reasonOf()).toEqual([403, 'quotaExceeded'])
})
