import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  linkYouTube,
  sampleVideo,
  start,
  until,
  youtubeCall,
  youtubeInitiate,
  youtubePut,
  type Client,
} from '../test-client.ts'

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

const link = async () => {
  token = (await linkYouTube(client)).access_token
}

async function publish(forKids = false): Promise<string> {
  const video = sampleVideo()
  const before = (await client.posts()).length
  const session = await youtubeInitiate(client, token, video.length, {
    snippet: { title: 'A title', description: 'Hello' },
    status: { privacyStatus: 'public', selfDeclaredMadeForKids: forKids },
  })
  await youtubePut(session.headers.get('location') ?? '', token, video, 0)
  const posts = await until(client.posts, (all) => all.length > before)
  return posts.at(-1)?.id ?? ''
}

const list = (ids: string, access = token) =>
  youtubeCall(client, access, `/youtube/v3/videos?part=statistics,status&id=${ids}`)
const counts = async (id: string) => (await list(id)).items?.[0]?.['statistics'] as Record<string, string>
const turn = (id: string, visibility: string) =>
  client.control('POST', '/visibility', { platform: 'youtube', id, visibility })

test('counts are texts that grow by the clock', async () => {
  const id = await publish()
  await client.control('POST', '/clock', { advance_s: DAY_S })
  await link()
  const first = await counts(id)
  for (const name of ['viewCount', 'likeCount', 'favoriteCount', 'commentCount'])
    expect(first[name]).toMatch(/^\d+$/)
  await client.control('POST', '/clock', { advance_s: DAY_S })
  await link()
  expect(Number((await counts(id))['viewCount'])).toBeGreaterThan(Number(first['viewCount']))
})

test('a count that is hidden or switched off is absent', async () => {
  const id = await publish()
  await client.control('POST', '/numbers', { platform: 'youtube', id, views: 2310, likes: null })
  expect(await counts(id)).toMatchObject({ viewCount: '2310' })
  expect(await counts(id)).not.toHaveProperty('likeCount')
  expect(await counts(await publish(true))).not.toHaveProperty('commentCount')
})

test('an own private video is there, and a deleted one is not', async () => {
  const id = await publish()
  await turn(id, 'private')
  expect((await list(id)).items).toMatchObject([{ id, status: { privacyStatus: 'private' } }])
  const other = (await linkYouTube(client, 'quiet')).access_token
  expect((await list(id, other)).items).toEqual([])
  await turn(id, 'deleted')
  expect(await list(id)).toMatchObject({ status: 200, items: [], pageInfo: { totalResults: 0 } })
})

test('at most 50 ids, and a withdrawn permission', async () => {
  const ids = Array.from({ length: 51 }, (_none, at) => `id${at}`)
  expect(await list(ids.slice(1).join(','))).toMatchObject({ status: 200 })
  expect(await list(ids.join(','))).toMatchObject({ status: 400 })
  const scopes = ['https://www.googleapis.com/auth/youtube.readonly']
  await client.control('POST', '/withdraw', { platform: 'youtube', username: 'nova', scopes })
  const refused = await list('id1')
  expect([refused.status, refused.error?.errors?.[0]?.reason]).toEqual([403, 'insufficientPermissions'])
})
