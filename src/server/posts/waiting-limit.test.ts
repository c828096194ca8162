import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { WAITING_DELIVERIES_MAX } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'
import { schedulePost, uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

let testServer: TestServer
let ada: Person
let accounts: [AccountId, AccountId]
let post: Post

beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  accounts = [
    (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id,
    (await linkAccount(ada, { platform: 'instagram', brandId })).account_id,
  ]
  const { video_id: videoId } = await uploadVideo(ada)
  post = await schedulePost(ada, { videoId, text: 'first', accountIds: [accounts[0]], inDays: 30 })
  await addWaiting(WAITING_DELIVERIES_MAX - 2)
})
afterAll(() => testServer.stop())

/** Further posts like the first one. */
const addWaiting = (count: number) =>
  sql`with made as (
      insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
      select user_id, video_id, text, publish_at, publish_local, timezone
      from posts, generate_series(1, ${count}::int) where post_id = ${post.post_id} returning post_id)
    insert into deliveries (user_id, post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at)
    select user_id, made.post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at
    from made cross join deliveries d where d.post_id = ${post.post_id}`.execute(testServer.deps.db)

const DAY = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)
const MESSAGE = 'Up to 50,000 posts can wait, one for each account, and 49,999 do. Cancel some first.'

const targets = () => accounts.map((account_id) => ({ account_id, options: {} }))

describe('a user with nearly as many waiting deliveries as a user may have', () => {
  it('is refused a post to more accounts than there is room for', async () => {
    const refused = ada.call('createPost', {
      body: {
        video_id: post.video.video_id,
        text: 'second',
        targets: targets(),
        publish_at: { local: `${DAY}T10:00`, timezone: 'Europe/Lisbon' },
      },
    })
    await expect(refused).rejects.toThrow(`"targets":["${MESSAGE}"]`)
  })

  it('is refused a file with more posts, which leaves none', async () => {
    const names = accounts.join(' ')
    const csv = `caption,video,accounts,time\nthird,${post.video.video_id},${names},${DAY} 10:00`
    const refused = ada.call('importPosts', { body: { csv } })
    await expect(refused).rejects.toThrow(`"csv":["${MESSAGE}"]`)
  })

  it('adds one account to a post, and no other after it', async () => {
    const { post_id: postId } = post
    const { version } = await ada.call('getPost', { params: { postId } })
    await ada.call('editPost', { params: { postId }, body: { version, targets: targets() } })
    const another = ada.call('createPost', {
      body: { video_id: post.video.video_id, text: 'fourth', targets: targets().slice(0, 1) },
    })
    await expect(another).rejects.toThrow('answered 422')
  })

  it('swaps an account of a post', async () => {
    const { post_id: postId } = post
    const { version } = await ada.call('getPost', { params: { postId } })
    const edited = await ada.call('editPost', {
      params: { postId },
      body: { version, targets: targets().slice(1) },
    })
    expect(edited.deliveries.map(({ account_id }) => account_id)).toEqual([accounts[1]])
  })
})
