import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, PostId, VideoId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import type { Post } from '#contract/posts.ts'
import { addDays } from '#domain/schedule/days.ts'
import { localAt } from '#domain/schedule/schedule.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import { schedulePost, signUpToPost } from '#test/support/publish.ts'
import {
  control,
  linkAccount,
  type Person,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { moveAccountPosts } from './move-account-posts.ts'

const DAY_MS = 86_400_000

let testServer: TestServer
let ada: Person
let brandId: BrandId
let nova: AccountId
let instagram: AccountId
let videoId: VideoId
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ;({ person: ada, brandId, tiktok: nova, instagram, videoId } = await signUpToPost(testServer))
})

const schedule = (text: string, inDays: number, accountIds = [nova, instagram]) =>
  schedulePost(ada, { videoId, text, accountIds, inDays })
const seen = ({ post_id }: Pick<Post, 'post_id'>) => ada.call('getPost', { params: { postId: post_id } })
const statusesOf = async (post: Post) => (await seen(post)).deliveries.map(({ status }) => status)
const idsOf = (posts: readonly { readonly post_id: PostId }[]) => posts.map(({ post_id }) => post_id)

describe('several posts at once', () => {
  it('are deleted or cancelled, each on its own', async () => {
    const [one, two, three] = [await schedule('One', 3), await schedule('Two', 4), await schedule('Three', 5)]
    const cancelled = await ada.call('bulkPosts', { body: { action: 'cancel', post_ids: idsOf([one, two]) } })
    expect(cancelled).toEqual({ done: [{ post_id: one.post_id }, { post_id: two.post_id }], refused: [] })
    expect(await statusesOf(one)).toEqual(['cancelled', 'cancelled'])
    const again = await ada.call('bulkPosts', { body: { action: 'cancel', post_ids: idsOf([three, one]) } })
    expect(again).toEqual({
      done: [{ post_id: three.post_id }],
      refused: [{ post_id: one.post_id, message: 'This post has nothing left to cancel.' }],
    })
    const gone = [...idsOf([one, three]), 999_999 as PostId, one.post_id]
    const deleted = await ada.call('bulkPosts', { body: { action: 'delete', post_ids: gone } })
    expect([idsOf(deleted.done), idsOf(deleted.refused)]).toEqual([idsOf([one, three]), [999_999]])
    expect(idsOf((await ada.call('listPosts')).items)).toEqual([two.post_id])
  })

  it('go on where they have begun', async () => {
    const post = await schedule('Begun', 3, [nova])
    const begun = makeState('preparing', Date.now(), { session: {}, commits: 1 })
    await setState(testServer, { post_id: post.post_id }, begun)
    for (const action of ['delete', 'cancel'] as const) {
      const { done, refused } = await ada.call('bulkPosts', { body: { action, post_ids: [post.post_id] } })
      expect([done, idsOf(refused)]).toEqual([[], [post.post_id]])
    }
    const moved = await ada.call('bulkPosts', {
      body: { action: 'move', by_minutes: 60, post_ids: [post.post_id] },
    })
    expect(moved.refused).toMatchObject([
      { message: expect.stringContaining('has already started') as string },
    ])
  })

  it('are moved by the same time, or to the same time', async () => {
    const [one, two] = [await schedule('One', 3), await schedule('Two', 4)]
    const body = { action: 'move', by_minutes: 24 * 60 + 15, post_ids: idsOf([one, two]) } as const
    expect((await ada.call('bulkPosts', { body })).refused).toEqual([])
    const lisbon = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Lisbon', timeStyle: 'short' })
    for (const post of [one, two]) {
      const { publish_at, version } = await seen(post)
      expect([lisbon.format(new Date(publish_at ?? '')), version]).toEqual(['08:15', 2])
    }
    const day = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)
    const publish_at = { local: `${day}T12:00`, timezone: 'Asia/Tokyo' }
    await ada.call('bulkPosts', { body: { action: 'move', publish_at, post_ids: idsOf([one, two]) } })
    for (const post of [one, two]) expect((await seen(post)).publish_at).toBe(`${day}T03:00:00.000Z`)
  })

  it('go out one after the other from a time on', async () => {
    const [one, two] = [await schedule('One', 3), await schedule('Two', 4)]
    const day = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)
    const publish_at = { local: `${day}T23:50`, timezone: 'UTC' }
    const post_ids = idsOf([two, one])
    await ada.call('bulkPosts', { body: { action: 'move', publish_at, apart_minutes: 15, post_ids } })
    const next = addDays(day, 1)
    expect([(await seen(two)).publish_at, (await seen(one)).publish_at]).toEqual([
      `${day}T23:50:00.000Z`,
      `${next}T00:05:00.000Z`,
    ])
  })

  it('take the next free slots of their brand, one each', async () => {
    const add = (name: string, platforms: PlatformId[] | null, time: string) =>
      ada.call('createSchedule', {
        body: { brand_id: brandId, name, slots: [{ weekday: 1, time, platforms }] },
      })
    await add('Other platform', ['instagram'], '07:00')
    const { schedule_id } = await add('Mondays', null, '09:00')
    const [one, two] = [await schedule('One', 30, [nova]), await schedule('Two', 31, [nova])]
    const body = { action: 'move', next_slots: true, post_ids: idsOf([two, one]) } as const
    expect((await ada.call('bulkPosts', { body })).refused).toEqual([])
    const [first, second] = [await seen(two), await seen(one)]
    expect([first.schedule_id, second.schedule_id]).toEqual([schedule_id, schedule_id])
    expect(Date.parse(second.publish_at ?? '') - Date.parse(first.publish_at ?? '')).toBeGreaterThan(
      6 * DAY_MS,
    )
  })

  it('stay where they are if their brand has no posting schedule', async () => {
    const post = await schedule('Alone', 3)
    const body = { action: 'move' as const, next_slots: true as const, post_ids: [post.post_id] }
    expect(await ada.call('bulkPosts', { body })).toEqual({
      done: [],
      refused: [{ post_id: post.post_id, message: 'The brand of this post has no posting schedule.' }],
    })
    expect((await seen(post)).publish_at).toBe(post.publish_at)
  })

  it('are moved once where the call is sent again with the versions that were seen', async () => {
    const [one, two] = [await schedule('One', 3), await schedule('Two', 4)]
    const moved = { action: 'move', by_minutes: 60, post_ids: idsOf([one, two]) } as const
    const body = { ...moved, versions: [one.version, two.version] }
    expect((await ada.call('bulkPosts', { body })).refused).toEqual([])
    const again = await ada.call('bulkPosts', { body })
    expect([again.done, idsOf(again.refused)]).toEqual([[], idsOf([one, two])])
    const hour = 3_600_000
    for (const post of [one, two])
      expect(Date.parse((await seen(post)).publish_at ?? '')).toBe(Date.parse(post.publish_at ?? '') + hour)
  })

  it('stay where they would be moved into the past, or have no time', async () => {
    const soon = await schedule('Soon', 1)
    const now = await ada.call('createPost', {
      body: { video_id: videoId, text: 'Now', targets: [{ account_id: nova, options: {} }] },
    })
    const post_ids = idsOf([soon, now])
    const { done, refused } = await ada.call('bulkPosts', {
      body: { action: 'move', by_minutes: -3 * 24 * 60, post_ids },
    })
    expect([done, refused]).toEqual([
      [],
      [
        { post_id: soon.post_id, message: 'This time has passed. Choose a later one.' },
        { post_id: now.post_id, message: 'This post has no time of its own. Choose a date and time for it.' },
      ],
    ])
    const unclear = { action: 'move', post_ids: idsOf([soon]) }
    for (const body of [
      unclear,
      { ...unclear, by_minutes: 5, next_slots: true },
      { ...unclear, by_minutes: 5, apart_minutes: 5 },
      { ...unclear, by_minutes: 5, publish_at: { local: '2030-01-01T10:00', timezone: 'UTC' } },
    ]) {
      const answer = await ada.request('/posts/bulk', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.status).toBe(422)
    }
  })

  it('are made into drafts with their own texts and options', async () => {
    const post = await ada.call('createPost', {
      body: {
        video_id: videoId,
        text: 'Shared',
        targets: [
          { account_id: nova, options: { privacy_level: 'SELF_ONLY' } },
          { account_id: instagram, text: 'Own', options: {} },
        ],
      },
    })
    const { done } = await ada.call('bulkPosts', {
      body: { action: 'duplicate', post_ids: [post.post_id] },
    })
    const draftId = done[0]?.draft_id ?? ''
    const { content } = await ada.call('getDraft', { params: { draftId } })
    expect(content).toMatchObject({
      video_id: videoId,
      text: 'Shared',
      platform_options: {},
      targets: [
        { account_id: nova, text: null, options: { posted: { privacy_level: 'SELF_ONLY' } } },
        { account_id: instagram, text: 'Own', options: { posted: {} } },
      ],
      publish_at: null,
    })
  })

  it('leave the titles that captions propose to the captions', async () => {
    const [one, other] = await Promise.all(
      ['lumi', 'kanavio'].map(async (creator) => {
        await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
          platform: 'youtube',
          username: creator,
        })
        return (await linkAccount(ada, { platform: 'youtube', brandId, creator })).account_id
      }),
    )
    if (one === undefined || other === undefined) return expect.unreachable()
    const options = { privacy: 'unlisted', made_for_kids: false }
    const post = await ada.call('createPost', {
      body: {
        video_id: videoId,
        text: 'Shared',
        targets: [
          { account_id: one, options: { ...options, title: 'Shared' } },
          { account_id: other, text: 'Own\nMore', options: { ...options, title: 'Own' } },
        ],
      },
    })
    const { done } = await ada.call('bulkPosts', { body: { action: 'duplicate', post_ids: [post.post_id] } })
    const { content } = await ada.call('getDraft', { params: { draftId: done[0]?.draft_id ?? '' } })
    expect(content.platform_options.youtube?.['posted']).toMatchObject({ privacy: 'unlisted' })
    expect(content.platform_options.youtube?.['posted']).not.toHaveProperty('title')
    expect(content.targets).toMatchObject([
      { text: null, options: null },
      { text: 'Own\nMore', options: null },
    ])
  })

  it('plan the draft of a scheduled post for a day later', async () => {
    const post = await schedule('Soon', 3)
    const { done } = await ada.call('bulkPosts', { body: { action: 'duplicate', post_ids: [post.post_id] } })
    const { content } = await ada.call('getDraft', { params: { draftId: done[0]?.draft_id ?? '' } })
    const timezone = 'Europe/Lisbon'
    const [day = '', time] = localAt(Date.parse(post.publish_at ?? ''), timezone).split('T')
    expect(content.publish_at).toEqual({ local: `${addDays(day, 1)}T${time}`, timezone })
  })

  it('share in the draft what most accounts of a platform have, and the cover', async () => {
    const [bakes, harbour, mill] = await Promise.all(
      ['bakes', 'harbour', 'mill'].map(async (creator) => {
        await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
          platform: 'instagram',
          username: creator,
        })
        return (await linkAccount(ada, { platform: 'instagram', brandId, creator })).account_id
      }),
    )
    if (bakes === undefined || harbour === undefined || mill === undefined) return expect.unreachable()
    const options = { thumb_offset: 500 }
    const post = await ada.call('createPost', {
      body: {
        video_id: videoId,
        text: 'Shared',
        targets: [
          { account_id: bakes, options: { ...options, collaborators: ['bakers'] } },
          { account_id: harbour, options },
          { account_id: mill, options },
          { account_id: nova, options: { privacy_level: 'SELF_ONLY', video_cover_timestamp_ms: 500 } },
        ],
      },
    })
    const { done } = await ada.call('bulkPosts', { body: { action: 'duplicate', post_ids: [post.post_id] } })
    const { content } = await ada.call('getDraft', { params: { draftId: done[0]?.draft_id ?? '' } })
    expect(content.platform_options).toMatchObject({
      instagram: { posted: { collaborators: [], thumb_offset: 500 } },
      tiktok: { coverMs: 500 },
    })
    expect(content.platform_options.tiktok).not.toHaveProperty('posted')
    expect(content.targets.map((target) => target.options)).toMatchObject([
      { posted: { collaborators: ['bakers'] } },
      null,
      null,
      { posted: { privacy_level: 'SELF_ONLY' } },
    ])
  })
})

const movePosts = (from: AccountId, to: AccountId, posts: number) =>
  ada.request(`/accounts/${from}/move-posts`, {
    method: 'POST',
    body: JSON.stringify({ to_account_id: to, posts }),
    headers: { 'content-type': 'application/json' },
  })

describe('before an account or a brand goes', () => {
  it('its waiting posts move to another account, with their texts and times', async () => {
    const [one, both] = [await schedule('One', 3), await schedule('Both', 4)]
    const other = (await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })).account_id
    const twice = await schedule('Twice', 5, [nova, other])
    expect(ProblemBody.parse(await (await movePosts(nova, other, 2)).json()).code).toBe('posts_waiting')
    expect((await movePosts(nova, instagram, 3)).status).toBe(422)
    expect((await movePosts(nova, nova, 3)).status).toBe(422)

    const { done, refused } = await ada.call('moveAccountPosts', {
      params: { accountId: nova },
      body: { to_account_id: other, posts: 3 },
    })
    expect(idsOf(done)).toEqual(idsOf([one, both]))
    expect(refused).toEqual([{ post_id: twice.post_id, message: 'This post already goes to that account.' }])
    const moved = await seen(one)
    expect(moved.deliveries.map(({ account_id, due_at }) => [account_id, due_at])).toEqual([
      [instagram, one.publish_at],
      [other, one.publish_at],
    ])
    expect(moved.targets.map(({ text }) => text)).toEqual(['One', 'One'])
    const waiting = await ada.call('getAccountWaiting', { params: { accountId: nova } })
    expect(waiting.posts).toBe(1)
  })

  it('a call moves and tries no more posts than its limits, and says how many are left', async () => {
    const other = (await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })).account_id
    await schedule('Refused', 3, [nova, other])
    const [first] = [await schedule('First', 4, [nova]), await schedule('Second', 5, [nova])]
    const userId = (await ada.call('getUser')).user_id
    const move = { from: nova, to: other, posts: 3 }
    const { deps } = testServer
    const postDeps = { ...deps, quotaBytes: null }
    const all = await moveAccountPosts(postDeps, userId, move, { limit: 2, most: 1 })
    expect([all.done, all.refused.length, all.left]).toEqual([[], 1, 2])
    const { done, refused, left } = await moveAccountPosts(postDeps, userId, move, { limit: 1, most: 3 })
    expect([idsOf(done), refused.length, left]).toEqual([[first.post_id], 1, 1])
  })

  it.each(['missed', 'paused'] as const)(
    'posts whose time has passed stay with it, or they would go out at once (%s)',
    async (cause) => {
      const [late, next] = [await schedule('Late', 3, [nova]), await schedule('Next', 4, [nova])]
      const dueAt = Date.now() - 86_400_000
      await setState(testServer, { post_id: late.post_id }, makeState('blocked', dueAt, { cause, dueAt }))
      const other = (await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })).account_id
      const { done, refused } = await ada.call('moveAccountPosts', {
        params: { accountId: nova },
        body: { to_account_id: other, posts: 2 },
      })
      expect([idsOf(done), idsOf(refused)]).toEqual([[next.post_id], [late.post_id]])
      expect((await seen(late)).deliveries).toMatchObject([{ account_id: nova, status: 'blocked' }])
    },
  )

  it('an account moves to another brand with its posts', async () => {
    const post = await schedule('Kept', 3, [nova])
    const { brand_id } = await ada.call('createBrand', { body: { title: 'Southwind' } })
    const moved = await ada.call('moveAccount', { params: { accountId: nova }, body: { brand_id } })
    expect(moved).toMatchObject({ account_id: nova, brand_id })
    expect((await ada.call('getBrandWaiting', { params: { brandId } })).posts).toBe(0)
    expect((await seen(post)).brand_title).toBe('Southwind')
    const gone = { account_id: nova, brand_id: brandId }
    expect((await ada.request(`/brands/${brandId}`, { method: 'DELETE' })).status).toBe(204)
    const answer = await ada.request(`/accounts/${gone.account_id}/brand`, {
      method: 'PUT',
      body: JSON.stringify({ brand_id: gone.brand_id }),
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, await statusesOf(post)]).toEqual([404, ['scheduled']])
  })
})
