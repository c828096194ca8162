import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import { schedulePost, uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { deleteEndedVideos } from './delete-ended-videos.ts'

let testServer: TestServer
let ada: Person
let accountId: AccountId
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  accountId = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
})
afterAll(() => testServer.stop())

const upload = async () => (await uploadVideo(ada)).video_id
const schedule = (videoId: VideoId) =>
  schedulePost(ada, { videoId, text: 'Hello', accountIds: [accountId], inDays: 100 })
async function postAndEnd(videoId: VideoId): Promise<void> {
  const post = await schedule(videoId)
  await ada.call('cancelDelivery', { params: { deliveryId: post.deliveries[0]?.delivery_id ?? 0 } })
}
const namedIds = async () =>
  (await ada.call('listVideos', { query: { search: 'video-' } })).videos.map((video) => video.video_id)
const deleteAfter = (days: number, retentionDays: number | null, stopping = new AbortController().signal) => {
  const { deps } = testServer
  const now = () => deps.now() + days * 86_400_000
  return deleteEndedVideos({ ...deps, retentionDays, now }, stopping)
}

it('deletes only videos whose posts have all ended long enough ago', async () => {
  const { db, storage } = testServer.deps
  const { user_id: userId } = await ada.call('getUser')
  await sql`insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
    select ${userId}, md5(i::text), 'unused.mp4', 'video/mp4', 1, repeat('0', 64), '{}'
    from generate_series(1, 1001) as i`.execute(db)
  const [ended, waiting, drafted, unused] = [await upload(), await upload(), await upload(), await upload()]
  await postAndEnd(ended)
  await postAndEnd(ended)
  await postAndEnd(waiting)
  await schedule(waiting)
  await postAndEnd(drafted)
  const content = { video_id: drafted, text: '', platform_options: {}, targets: [], publish_at: null }
  await ada.call('saveDraft', { params: { draftId: randomUUID() }, body: { version: 0, content } })
  const all = [unused, drafted, waiting, ended]
  const { storage_key: key } = await db
    .selectFrom('videos')
    .select('storage_key')
    .where('video_id', '=', ended)
    .executeTakeFirstOrThrow()

  await deleteAfter(31, null)
  await deleteAfter(29, 30)
  await deleteAfter(31, 30, AbortSignal.abort())
  expect(await namedIds()).toEqual(all)
  expect(await storage.stat(key)).not.toBeNull()

  await deleteAfter(31, 30)
  expect(await namedIds()).toEqual(all.slice(0, 3))
  expect(await storage.stat(key)).toBeNull()
  const { items } = await ada.call('listPosts')
  expect(items.filter(({ video }) => video.video_id === ended)).toHaveLength(2)
})
