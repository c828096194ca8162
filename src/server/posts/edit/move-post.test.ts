import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
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
const now = () => Date.now() + clock

let testServer: TestServer
let ada: Person
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
  video = (await uploadVideo(ada)).video_id
})

const at = (inHours: number) => {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' })
  return { local: shown.format(now() + inHours * HOUR_MS).replace(' ', 'T'), timezone: ZONE }
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
    for (const { due_at } of deliveries) expect(Date.parse(due_at ?? '')).toBeLessThanOrEqual(now())
    // Nothing is left for the workers of the tests below.
    await ada.call('deletePost', { params: { postId: post.post_id } })
  })

  it('stays where it is for a time that has passed or does not exist, or from an old version', async () => {
    const post = await create(24)
    expect(await refused(await move(post, at(-2)))).toEqual([
      422,
      'invalid',
      { 'publish_at.local': ['This time has passed.'] },
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

  it('leaves its queue', async () => {
    const post = await create(24)
    const { db } = testServer.deps
    const { user_id, brand_id } = await db
      .selectFrom('brands')
      .innerJoin('posts', 'posts.user_id', 'brands.user_id')
      .select(['brands.user_id', 'brands.brand_id'])
      .where('posts.post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    const { queue_id } = await db
      .insertInto('queues')
      .values({ user_id, brand_id, name: 'Mornings' })
      .returning('queue_id')
      .executeTakeFirstOrThrow()
    const queued = { queue_id, slot_local: '2026-12-01T08:00' }
    await db.updateTable('posts').set(queued).where('post_id', '=', post.post_id).execute()
    expect((await move(post, at(30))).status).toBe(200)
    const row = await db
      .selectFrom('posts')
      .select(['queue_id', 'slot_local'])
      .where('post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ queue_id: null, slot_local: null })
  })
})

describe('a move while a worker is at it', () => {
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
      await until('the worker to let go of the post', async () => {
        const row = await testServer.deps.db
          .selectFrom('deliveries')
          .select(['leased_until', 'state'])
          .where('post_id', '=', post.post_id)
          .executeTakeFirstOrThrow()
        return row.leased_until === null ? row : null
      })
      expect([await statusOf(post), await liveOf(post)]).toEqual(['scheduled', 0])
      clock = HOUR_MS / 2
      await published(post)
      expect(await liveOf(post)).toBe(1)
    },
  )

  it('loses once the start is saved, and the post goes out once, now', async () => {
    const post = await create(null, [tiktok], 'Started')
    await stopAt('after save preparing')
    const [status, code] = await refused(await move(post, at(5)))
    expect([status, code]).toEqual([409, 'in_flight'])
    goOn()
    await published(post)
    expect(await liveOf(post)).toBe(1)
    expect(await seen(post)).toMatchObject({ version: 1, publish_at: null })
  })
})
