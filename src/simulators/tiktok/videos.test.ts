import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  initBody,
  linkTikTok,
  putChunk,
  sampleVideo,
  start,
  tiktokPost,
  until,
  type Client,
} from '../test-client.ts'

const SCOPES = 'user.info.basic,video.publish,video.list'
const COUNTS = 'id,view_count,like_count,comment_count,share_count'
const DAY_S = 86_400

let client: Client
let token: string

beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', { tiktok_processing_ms: 0, tiktok_moderation_ms: 0 })
  await link()
})

const link = async () => {
  token = (await linkTikTok(client, 'nova', '', SCOPES)).access_token
}

async function publish(access = token, info: Record<string, unknown> = {}): Promise<string> {
  const video = sampleVideo()
  const before = (await client.posts()).length
  const { data } = await tiktokPost(
    client,
    access,
    'video/init',
    initBody(video.length, video.length, 1, info),
  )
  await putChunk(data.upload_url, video, 0, video.length - 1)
  const posts = await until(client.posts, (all) => all.length > before)
  return posts.at(-1)?.id ?? ''
}

type Answer = {
  status: number
  data: { videos: Record<string, number>[] }
  error: { code: string; message: string }
}

async function query(ids: unknown, fields = COUNTS, access = token): Promise<Answer> {
  const response = await fetch(
    `${client.url}/tiktok/v2/video/query/${fields === '' ? '' : `?fields=${fields}`}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filters: { video_ids: ids } }),
    },
  )
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
}

test('counts grow by the clock, fast on the first day and slowly later', async () => {
  const id = await publish()
  const views: number[] = []
  for (const days of [0, 1, 1, 26]) {
    await client.control('POST', '/clock', { advance_s: days * DAY_S })
    await link()
    const [video] = (await query([id])).data.videos
    views.push(video?.['view_count'] ?? -1)
    expect(video).toMatchObject({ id })
    expect(
      Object.values(video ?? {})
        .slice(1)
        .every(Number.isInteger),
    ).toBe(true)
  }
  const [none = 0, one = 0, two = 0, four = 0] = views
  expect(none).toBeLessThan(10)
  expect(one).toBeGreaterThan(40)
  expect(two - one).toBeLessThan(one - none)
  expect(four).toBeGreaterThan(two)
  const [video] = (await query([id])).data.videos
  expect((video?.['like_count'] ?? 0) / four).toBeGreaterThan(0.03)
  expect((video?.['like_count'] ?? 1) / four).toBeLessThan(0.1)
})

test('only the fields that were asked for are told, of the posts that are there', async () => {
  const id = await publish()
  const mine = await query([id, '7600000000000000001'], 'id,share_url,title')
  expect(mine.data.videos).toEqual([
    { id, share_url: `${client.url}/tiktok/@nova/video/${id}`, title: 'Hello' },
  ])
  const other = (await linkTikTok(client, 'atlas', '', SCOPES)).access_token
  expect((await query([id], COUNTS, other)).data.videos).toEqual([])
})

test('posts that are private or deleted are absent, without an error', async () => {
  const id = await publish()
  const turn = (visibility: string) =>
    client.control('POST', '/visibility', { platform: 'tiktok', id, visibility })
  const count = async () => (await query([id])).data.videos.length
  await turn('private')
  expect(await count()).toBe(0)
  await turn('public')
  expect(await count()).toBe(1)
  await turn('deleted')
  expect(await query([id])).toMatchObject({ status: 200, data: { videos: [] }, error: { code: 'ok' } })
  expect(await client.posts()).toEqual([])
  await expect(turn('public')).rejects.toThrow('id must be that of a post')
})

test.each([
  ['no fields', ['1'], '', 'invalid_params'],
  ['an unknown field', ['1'], 'id,save_count', 'invalid_params'],
  ['no ids', [], COUNTS, 'invalid_params'],
  ['21 ids', Array.from({ length: 21 }, (_none, at) => String(at + 1)), COUNTS, 'invalid_params'],
  ['ids that are numbers', [1], COUNTS, 'invalid_params'],
  ['ids that are none', ['one'], COUNTS, 'invalid_params'],
])('%s: refused', async (_what, ids, fields, code) => {
  expect(await query(ids, fields)).toMatchObject({ status: 400, error: { code } })
})

test('the scope is demanded, and may be taken away', async () => {
  const plain = (await linkTikTok(client)).access_token
  const refused = { status: 401, error: { code: 'scope_not_authorized' } }
  expect(await query(['1'], COUNTS, plain)).toMatchObject(refused)
  expect(await query(['1'])).toMatchObject({ status: 200 })
  const scopes = ['video.list']
  await client.control('POST', '/withdraw', { platform: 'tiktok', username: 'nova', scopes })
  expect(await query(['1'])).toMatchObject(refused)
  expect(await tiktokPost(client, token, 'creator_info/query', {})).toMatchObject({ status: 200 })
})

test('the app may ask 600 times a minute, for all its creators together', async () => {
  const other = (await linkTikTok(client, 'atlas', '', SCOPES)).access_token
  for (let calls = 0; calls < 600; calls += 100)
    await Promise.all(Array.from({ length: 100 }, () => query(['1'])))
  expect(await query(['1'], COUNTS, other)).toMatchObject({
    status: 429,
    error: { code: 'rate_limit_exceeded' },
  })
  await client.control('POST', '/clock', { advance_s: 61 })
  expect(await query(['1'], COUNTS, other)).toMatchObject({ status: 200 })
})

test('numbers can be set, and hidden', async () => {
  const id = await publish()
  const set = (counters: object) =>
    client.control('POST', '/numbers', { platform: 'tiktok', id, ...counters })
  expect(await set({ views: 1000, shares: null })).toMatchObject({ views: 1000, shares: null })
  const [video] = (await query([id])).data.videos
  expect(video).toMatchObject({ view_count: 1000 })
  expect(video?.['like_count']).toBeGreaterThan(30)
  expect(video).not.toHaveProperty('share_count')
  await expect(set({ dislikes: 1 })).rejects.toThrow('There is no counter')
  await expect(set({ views: 1.5 })).rejects.toThrow('whole number')
})
