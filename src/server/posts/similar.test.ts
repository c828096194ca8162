import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

const DAY_MS = 86_400_000

let testServer: TestServer
let ada: Person
let first: AccountId
let second: AccountId
let video: VideoId
let otherVideo: VideoId

beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  first = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  second = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
  video = (await uploadVideo(ada, sampleVideo().file)).video_id
  otherVideo = (await uploadVideo(ada, sampleVideo().file)).video_id
})
afterAll(() => testServer.stop())

const post = async (videoId: VideoId, text: string, accountId: AccountId) => {
  const made = await ada.call('createPost', {
    body: { video_id: videoId, text, targets: [{ account_id: accountId }] },
  })
  return made.post_id
}

const similar = async (videoId: VideoId, texts: readonly [AccountId, string][]) => {
  const targets = texts.map(([account_id, text]) => ({ account_id, text }))
  const { items } = await ada.call('findSimilarPosts', { body: { video_id: videoId, targets } })
  return items.map(({ account_id, post_id, same }) => ({ account_id, post_id, same }))
}

const goesOut = (postId: number, at: number) =>
  testServer.deps.db
    .updateTable('deliveries')
    .set({ goes_out_at: new Date(at) })
    .where('post_id', '=', postId)
    .execute()

test('the latest post with the same video or caption is named for each account', async () => {
  const older = await post(video, 'Lemon tart', first)
  await goesOut(older, Date.now() - DAY_MS)
  const latest = await post(video, 'Lemon tart', first)
  const asked: [AccountId, string][] = [
    [first, 'Lemon tart'],
    [second, 'Lemon tart'],
  ]
  expect(await similar(video, asked)).toEqual([{ account_id: first, post_id: latest, same: 'both' }])
  expect(await similar(video, [[first, 'Plum cake']])).toEqual([
    { account_id: first, post_id: latest, same: 'video' },
  ])
  expect(await similar(otherVideo, asked)).toEqual([{ account_id: first, post_id: latest, same: 'text' }])
  expect(await similar(otherVideo, [[first, 'Plum cake']])).toEqual([])
  await goesOut(older, Date.now() - 8 * DAY_MS)
  await goesOut(latest, Date.now() + 8 * DAY_MS)
  expect(await similar(video, asked)).toEqual([])
})

test('the same file that was uploaded twice is the same video', async () => {
  const { file } = sampleVideo()
  const copies = [await uploadVideo(ada, file), await uploadVideo(ada, file)] as const
  const made = await post(copies[0].video_id, 'Twice', second)
  expect(await similar(copies[1].video_id, [[second, 'Other']])).toEqual([
    { account_id: second, post_id: made, same: 'video' },
  ])
})

test('another post to the account at the same minute is named, unless one is similar', async () => {
  const there = await post(video, 'Rye', second)
  await goesOut(there, Date.parse('2090-05-01T10:00:40Z'))
  const ask = async (videoId: VideoId, local: string, after_minutes = 0) => {
    const targets = [{ account_id: second, text: 'Oat', after_minutes }]
    const publish_at = { local, timezone: 'Europe/Lisbon' }
    return (await ada.call('findSimilarPosts', { body: { video_id: videoId, targets, publish_at } })).items
  }
  expect(await ask(otherVideo, '2090-05-01T11:00')).toMatchObject([
    { account_id: second, post_id: there, same: 'time' },
  ])
  expect(await ask(otherVideo, '2090-05-01T11:01')).toEqual([])
  expect(await ask(otherVideo, '2090-05-01T10:30', 30)).toMatchObject([{ post_id: there }])
  expect(await ask(otherVideo, '2090-05-01T11:00', 30)).toEqual([])
})

test('an empty caption, a cancelled and a deleted post do not count as similar', async () => {
  const silent = await post(video, '', second)
  expect(await similar(otherVideo, [[second, '']])).toEqual([])
  const { deliveries } = await ada.call('getPost', { params: { postId: silent } })
  for (const { delivery_id } of deliveries)
    await ada.call('cancelDelivery', { params: { deliveryId: delivery_id } })
  expect(await similar(video, [[second, '']])).toEqual([])
  const deleted = await post(video, 'Gone', second)
  await ada.call('deletePost', { params: { postId: deleted } })
  expect(await similar(video, [[second, 'Gone']])).toEqual([])
})

test("another user's posts to the same accounts are not revealed", async () => {
  await post(video, 'Ours', first)
  const eve = await signUp(testServer, 'Eve')
  const { video_id } = await uploadVideo(eve)
  const asked = { body: { video_id, targets: [{ account_id: first, text: 'Ours' }] } }
  expect((await eve.call('findSimilarPosts', asked)).items).toEqual([])
})
