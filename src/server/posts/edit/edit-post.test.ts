import { makeState, setState } from '#test/support/delivery-states.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { Post, PostDetail } from '#contract/posts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { startWorkers } from '#server/start-workers.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  linkAccount,
  livePosts,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'

const HOUR_MS = 3_600_000
/** Its clocks never change. */
const ZONE = 'Asia/Tokyo'
let clock = 0
let worker: ReturnType<typeof startWorkers> | null = null
let goOn = () => {}
let creator = 'nova'
const serverNow = () => Date.now() + clock

let testServer: TestServer
let ada: Person
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: serverNow })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  // In turns: TikTok limits the uploads that begin in a minute to an account.
  creator = creator === 'nova' ? 'atlas' : 'nova'
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId, creator })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
  video = (await uploadVideo(ada)).video_id
})

const at = (inHours: number) => {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' })
  return { local: shown.format(serverNow() + inHours * HOUR_MS).replace(' ', 'T'), timezone: ZONE }
}

const create = (inHours: number | null, accounts = [tiktok, instagram], text = 'Hello') =>
  ada.call('createPost', {
    body: {
      video_id: video,
      text,
      targets: accounts.map((account_id) => ({ account_id, options: {} })),
      ...(inHours !== null && { publish_at: at(inHours) }),
    },
  })

const move = (post: Post, publish_at: ReturnType<typeof at> | null, version = post.version) =>
  ada.request(`/posts/${post.post_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ version, publish_at }),
    headers: { 'content-type': 'application/json' },
  })

const seen = (post: Post) => ada.call('getPost', { params: { postId: post.post_id } })

async function refused(answer: Response) {
  const { code, message, errors } = ProblemBody.parse(await answer.json())
  return [answer.status, code, errors ?? message]
}

const liveOf = async ({ text }: Post) =>
  (await livePosts(testServer)).filter((one) => one.text === text).length

const statusOf = async (post: Post) => (await seen(post)).deliveries[0]?.status
const published = (post: Post) =>
  until('the post to be live', async () => ((await statusOf(post)) === 'published' ? true : null))

/** Starts a worker that stands still where it first comes by this point, until `goOn`. */
async function stopAt(point: string): Promise<void> {
  const going = Promise.withResolvers<void>()
  goOn = going.resolve
  const reached = Promise.withResolvers<void>()
  worker = startWorkers(
    workerDeps(testServer.deps, async (name) => {
      if (name !== point) return
      reached.resolve()
      await going.promise
    }),
    QUICK,
  )
  await reached.promise
}

describe('a post that is moved', () => {
  it('goes out at its new time, with a line in the timeline', async () => {
    const post = await create(24)
    const later = at(48)
    const moved = await ada.call('editPost', {
      params: { postId: post.post_id },
      body: { version: 1, publish_at: later },
    })
    expect(moved).toMatchObject({ version: 2, timezone: ZONE })
    expect(Date.parse(moved.publish_at ?? '') - Date.parse(post.publish_at ?? '')).toBeGreaterThan(
      22 * HOUR_MS,
    )
    expect(moved.deliveries.map(({ due_at }) => due_at)).toEqual([moved.publish_at, moved.publish_at])
    const { events } = await seen(post)
    expect(events.at(-1)?.message).toContain(`${later.local.slice(11)} (${ZONE}).`)
  })

  it('is listed where it goes out', async () => {
    const [first, second] = [await create(24), await create(30)]
    await move(first, at(60))
    const { items } = await ada.call('listPosts', { query: { status: 'upcoming' } })
    expect(items.map(({ post_id }) => post_id)).toEqual([second.post_id, first.post_id])
  })

  it('goes out at once where it is moved to now', async () => {
    const post = await create(24)
    expect((await move(post, null)).status).toBe(200)
    const { publish_at, timezone, deliveries } = await seen(post)
    expect([publish_at, timezone]).toEqual([null, null])
    for (const { due_at } of deliveries) expect(Date.parse(due_at ?? '')).toBeLessThanOrEqual(serverNow())
    // Nothing is left for the workers of the tests below.
    await ada.call('deletePost', { params: { postId: post.post_id } })
  })

  it('stays where it is for a time that has passed or does not exist, or from an old version', async () => {
    const post = await create(24)
    expect(await refused(await move(post, at(-2)))).toEqual([
      422,
      'invalid',
      { 'publish_at.local': ['This time has passed. Choose a later one.'] },
    ])
    const never = { local: '2031-02-30T10:00', timezone: ZONE }
    expect((await move(post, never)).status).toBe(422)
    expect((await move(post, at(30))).status).toBe(200)
    expect(await refused(await move(post, at(40)))).toEqual([
      409,
      'conflict',
      'This post was changed somewhere else, perhaps in another tab.',
    ])
    expect(await seen(post)).toMatchObject({ version: 2 })
  })

  it('of two moves at once takes one', async () => {
    const post = await create(24)
    const answers = await Promise.all([move(post, at(30)), move(post, at(40)), move(post, at(50))])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409])
    expect((await seen(post)).version).toBe(2)
  })

  it('leaves its schedule', async () => {
    const post = await create(24)
    const { db } = testServer.deps
    const { user_id, brand_id } = await db
      .selectFrom('brands')
      .innerJoin('posts', 'posts.user_id', 'brands.user_id')
      .select(['brands.user_id', 'brands.brand_id'])
      .where('posts.post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    const { schedule_id } = await db
      .insertInto('schedules')
      .values({ user_id, brand_id, name: 'Mornings' })
      .returning('schedule_id')
      .executeTakeFirstOrThrow()
    const slotted = { schedule_id, slot_local: '2026-12-01T08:00' }
    await db.updateTable('posts').set(slotted).where('post_id', '=', post.post_id).execute()
    expect((await move(post, at(30))).status).toBe(200)
    const row = await db
      .selectFrom('posts')
      .select(['schedule_id', 'slot_local'])
      .where('post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ schedule_id: null, slot_local: null })
  })
})

const edit = (post: Post, change: object) =>
  ada.request(`/posts/${post.post_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ version: post.version, ...change }),
    headers: { 'content-type': 'application/json' },
  })
const edited = async (post: Post, change: object) => {
  const answer = await edit(post, change)
  return [answer.status, await seen(post)] as const
}
const textsOf = ({ targets }: PostDetail) => targets.map(({ text }) => text)
const statusesOf = async (post: Post) => (await seen(post)).deliveries.map(({ status }) => status)

describe('a post that is changed', () => {
  it('has its new text, video and options, with a line for each account', async () => {
    const post = await create(24)
    const { video_id } = await uploadVideo(ada)
    const targets = [
      { account_id: tiktok, options: { privacy_level: 'SELF_ONLY' } },
      { account_id: instagram, text: 'Own' },
    ]
    const [status, now] = await edited(post, { text: 'New', video_id, targets })
    expect([status, now.version, now.text, now.video.video_id]).toEqual([200, 2, 'New', video_id])
    expect(textsOf(now)).toEqual(['New', 'Own'])
    expect(now.targets[0]?.options).toMatchObject({ privacy_level: 'SELF_ONLY' })
    expect(now.publish_at).toBe(post.publish_at)
    expect(now.events.slice(2).map(({ message }) => message)).toEqual([
      'Changed: video, text, options.',
      'Changed: video, text.',
    ])
  })

  it('keeps the own texts of accounts where only the shared one changes', async () => {
    const post = await create(24)
    await edit(post, { targets: [{ account_id: tiktok, text: 'Own' }, { account_id: instagram }] })
    const [, now] = await edited(await seen(post), { text: 'New' })
    expect([textsOf(now), now.version]).toEqual([['Own', 'New'], 3])
  })

  it('goes to the accounts that it names from then on, at its time', async () => {
    const post = await create(24, [tiktok])
    const [, now] = await edited(post, { targets: [{ account_id: instagram }] })
    expect(now.deliveries).toMatchObject([
      { account_id: instagram, status: 'scheduled', due_at: post.publish_at },
    ])
    expect(now.events.map(({ message }) => message)).toEqual(['Waiting for its time.'])
    const waiting = await ada.call('getAccountWaiting', { params: { accountId: tiktok } })
    expect(waiting.posts).toBe(0)
  })

  it('is refused like a new post, and then stays as it is', async () => {
    const post = await create(24)
    const problems = async (change: object) => {
      const [status, code, errors] = await refused(await edit(post, change))
      return [status, code, errors instanceof Object ? Object.keys(errors) : null]
    }
    const tooLong = 'x'.repeat(2201)
    expect(await problems({ text: tooLong })).toEqual([422, 'invalid', ['text']])
    expect(await problems({ targets: [] })).toEqual([422, 'invalid', ['targets']])
    const options = { privacy_level: 'NOBODY' }
    expect(await problems({ targets: [{ account_id: tiktok, options }] })).toEqual([
      422,
      'invalid',
      ['targets.0.options.privacy_level'],
    ])
    expect(await problems({ video_id: 999_999 })).toEqual([404, 'not_found', null])
    expect(await problems({ targets: [{ account_id: 999_999 }] })).toEqual([404, 'not_found', null])
    expect(await seen(post)).toMatchObject({ version: 1, text: 'Hello' })
  })

  it('keeps what has started; a change that concerns that is refused with its name', async () => {
    const post = await create(24)
    await setState(
      testServer,
      { post_id: post.post_id, account_id: tiktok },
      makeState('preparing', Date.now()),
    )
    const concerned = [{ account_id: tiktok, text: 'Other' }, { account_id: instagram }]
    const { video_id } = await uploadVideo(ada)
    const left = [{ account_id: instagram }]
    for (const change of [{ targets: concerned }, { targets: left }, { video_id }]) {
      const [status, code, message] = await refused(await edit(post, change))
      expect([status, code, message]).toEqual([
        409,
        'in_flight',
        `Posting to @${creator} has already started or ended, so it can no longer be changed.`,
      ])
    }
    const [status, now] = await edited(post, { text: 'New', publish_at: at(40) })
    expect([status, textsOf(now)]).toEqual([200, ['Hello', 'New']])
    const [first, second] = now.deliveries
    expect([first?.status, first?.due_at, second?.due_at]).toEqual([
      'preparing',
      post.publish_at,
      now.publish_at,
    ])
    await ada.call('cancelDelivery', { params: { deliveryId: first?.delivery_id } })
    await ada.call('cancelDelivery', { params: { deliveryId: second?.delivery_id } })
    expect((await edit(now, { text: 'Newer' })).status).toBe(409)
  })

  it('waits for its account although that must be linked again', async () => {
    const post = await create(24, [instagram])
    await setState(testServer, { post_id: post.post_id }, makeState('blocked', Date.now()))
    const { db } = testServer.deps
    await db
      .updateTable('accounts')
      .set({ relink_reason: 'Link it again.' })
      .where('account_id', '=', instagram)
      .execute()
    const [status, now] = await edited(post, { text: 'New', publish_at: at(40) })
    expect([status, textsOf(now), await statusesOf(post)]).toEqual([200, ['New'], ['blocked']])
  })
})

const released = (post: Post) =>
  until('the worker to let go of the post', async () => {
    const row = await testServer.deps.db
      .selectFrom('deliveries')
      .select(['leased_until', 'state'])
      .where('post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    return row.leased_until === null ? row : null
  })

describe('a change while a worker is at it', () => {
  afterEach(async () => {
    goOn()
    await worker?.stop()
    worker = null
    clock = 0
  })

  it.each(['claimed scheduled', 'before save preparing'])(
    'wins before the start is saved (%s), and the post goes out once, later',
    async (point) => {
      const post = await create(null, [tiktok], `Moved, ${point}`)
      await stopAt(point)
      expect((await move(post, at(0.4))).status).toBe(200)
      goOn()
      await released(post)
      expect([await statusOf(post), await liveOf(post)]).toEqual(['scheduled', 0])
      clock = HOUR_MS / 2
      await published(post)
      expect(await liveOf(post)).toBe(1)
    },
  )

  it('into a slot wins before the start is saved, and the post goes out once, from that slot', async () => {
    const { local, timezone } = at(0.4)
    const [brand] = await ada.call('listBrands')
    if (!brand) throw new Error('There is no brand.')
    const { brand_id, title } = brand
    await ada.call('renameBrand', { body: { brand_id, title, timezone } })
    const slot = { weekday: new Date(`${local}Z`).getUTCDay() || 7, time: local.slice(11), platforms: null }
    const { schedule_id } = await ada.call('createSchedule', {
      body: { brand_id, name: 'Soon', slots: [slot] },
    })
    const post = await create(null, [tiktok], 'Into a slot')
    await stopAt('before save preparing')
    const moment = { at: new Date(`${local}:00+09:00`).toISOString(), timezone }
    expect((await edit(post, { moment })).status).toBe(200)
    goOn()
    await released(post)
    expect(await seen(post)).toMatchObject({ schedule_id, deliveries: [{ status: 'scheduled' }] })
    expect(await liveOf(post)).toBe(0)
    clock = HOUR_MS / 2
    await published(post)
    expect(await liveOf(post)).toBe(1)
  })

  it('loses once the start is saved, and the post goes out once, now', async () => {
    const post = await create(null, [tiktok], 'Started')
    await stopAt('after save preparing')
    const moment = { at: new Date(serverNow() + HOUR_MS).toISOString(), timezone: ZONE }
    for (const answer of [await move(post, at(5)), await edit(post, { moment })])
      expect((await refused(answer)).slice(0, 2)).toEqual([409, 'in_flight'])
    goOn()
    await published(post)
    expect(await liveOf(post)).toBe(1)
    expect(await seen(post)).toMatchObject({ version: 1, publish_at: null })
  })

  it('of the text goes out, and the old text does not', async () => {
    const post = await create(null, [tiktok], 'Old words')
    await stopAt('before save preparing')
    const [status, now] = await edited(post, { text: 'New words' })
    expect(status).toBe(200)
    goOn()
    await published(post)
    expect([await liveOf(post), await liveOf(now)]).toEqual([0, 1])
  })

  it('that removes its account sends nothing to it', async () => {
    const post = await create(null, [tiktok, instagram], 'To one')
    await stopAt('before save preparing')
    expect((await edit(post, { targets: [{ account_id: instagram }] })).status).toBe(200)
    goOn()
    await published(post)
    const live = (await livePosts(testServer)).filter(({ text }) => text === 'To one')
    expect(live.map(({ platform }) => platform)).toEqual(['instagram'])
  })
})
