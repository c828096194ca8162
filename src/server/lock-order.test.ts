import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountId, BrandId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { cutWaiting, waiting, whileLocked } from '#test/support/lock-waits.ts'
import { uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { beginUnlessPaused } from './deliveries/find-pause.ts'

let testServer: TestServer
let ada: Person
let brand_id: BrandId
let account_id: AccountId
let schedule: Schedule
/** Two posts of the schedule, in the order of publication. */
let first: Post
let second: Post

beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  brand_id = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  account_id = (await linkAccount(ada, { platform: 'instagram', brandId: brand_id })).account_id
  const { video_id } = await uploadVideo(ada)
  const slots = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: '08:00', platforms: null }))
  schedule = await ada.call('createSchedule', { body: { brand_id, name: 'Mornings', slots } })
  const makePost = (text: string) =>
    ada.call('createPost', {
      body: {
        video_id,
        text,
        targets: [{ account_id, options: {} }],
        schedule: { schedule_id: schedule.schedule_id, place: 'next' },
      },
    })
  first = await makePost('first')
  second = await makePost('second')
})

const deliveryOf = ({ deliveries: [delivery] }: Post) => {
  if (!delivery) throw new Error('it has no delivery')
  return delivery.delivery_id
}
const lock = {
  brand: () => sql`select from brands where brand_id = ${brand_id} for update`,
  schedule: () => sql`select from schedules where schedule_id = ${schedule.schedule_id} for update`,
  account: () => sql`select from accounts where account_id = ${account_id} for update`,
  user: () => sql`select from users where email = ${ada.email} for update`,
  post: () => sql`select from posts where post_id = ${first.post_id} for update`,
  delivery: (post: Post) => sql`select from deliveries where delivery_id = ${deliveryOf(post)} for update`,
}
const edit = (its: object) =>
  ada.request(`/posts/${first.post_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ version: first.version, ...its }),
    headers: { 'content-type': 'application/json' },
  })
const beginCall = () => {
  const claim = { accountId: account_id, postId: first.post_id }
  return beginUnlessPaused(testServer.deps.db, claim, async () => 'called')
}
const deleteBrand = () =>
  ada.call('deleteBrand', { params: { brandId: brand_id }, query: { cancel_posts: 2 } })
const cancel = () => ada.call('cancelDelivery', { params: { deliveryId: deliveryOf(first) } })
const moveUp = () =>
  ada.call('editPost', {
    params: { postId: second.post_id },
    body: { version: second.version, schedule: { schedule_id: schedule.schedule_id, place: 'top' } },
  })
/** Moves to the free slot after those of the two posts. */
const moveInCalendar = () => {
  const at = new Date(Date.parse(second.goes_out_at) + 86_400_000).toISOString()
  return edit({ moment: { at, timezone: 'UTC', schedule_id: schedule.schedule_id } })
}
const noTime = { publish_at: null }

async function holdByPause(): Promise<void> {
  const { db } = testServer.deps
  await ada.call('pauseBrand', { params: { brandId: brand_id }, body: { paused: true } })
  await sql`update deliveries set state = 'blocked', data = data || ${JSON.stringify({
    cause: 'paused',
    until: null,
    reason: { code: 'paused', message: 'Paused.', remedy: 'Resume.', detail: null },
  })}::jsonb, goes_out_at = now() - delivery_id * interval '1 second' where post_id in (${first.post_id}, ${second.post_id})`.execute(
    db,
  )
}
const resume = async () => {
  await ada.call('pauseBrand', { params: { brandId: brand_id }, body: { paused: false } })
}

/** Pairs in lock order: a transaction that waits for the first has not locked the second. */
const ORDER: [string, () => RawBuilder<unknown>, () => Promise<unknown>, () => RawBuilder<unknown>][] = [
  ['an irreversible call: brand, account', lock.brand, beginCall, lock.account],
  ['an irreversible call: brand, schedule', lock.brand, beginCall, lock.schedule],
  ['an irreversible call: schedule, account', lock.schedule, beginCall, lock.account],
  ['an irreversible call: account, user', lock.account, beginCall, lock.user],
  ['deleting a brand: account, post', lock.account, deleteBrand, lock.post],
  ['cancelling: account, post', lock.account, cancel, lock.post],
  ['moving a post in the calendar: schedule, post', lock.schedule, moveInCalendar, lock.post],
  ['moving a post up: deliveries by id', () => lock.delivery(first), moveUp, () => lock.delivery(second)],
]

it.each(ORDER)('%s', async (_name, lockFirst, work, lockSecond) => {
  const { db } = testServer.deps
  let done: Promise<unknown> = Promise.resolve()
  await whileLocked(db, lockFirst(), async (holder) => {
    done = work()
    await waiting(db)
    await sql`${lockSecond()} nowait`.execute(holder)
  })
  await done
})

it('resuming: deliveries by id, whichever was due first', async () => {
  await holdByPause()
  const { db } = testServer.deps
  let done = Promise.resolve()
  await whileLocked(db, lock.delivery(first), async (holder) => {
    done = resume()
    await waiting(db)
    await sql`${lock.delivery(second)} nowait`.execute(holder)
  })
  await done
})

it('resuming: platform account, deliveries', async () => {
  await holdByPause()
  const { db } = testServer.deps
  const lockAccount = sql`select pg_advisory_xact_lock(hashtextextended(
    'late posts ' || platform || ' ' || external_id, 0)) from accounts where account_id = ${account_id}`
  let done = Promise.resolve()
  await whileLocked(db, lockAccount, async (holder) => {
    done = resume()
    await waiting(db, '%late posts%')
    await sql`${lock.delivery(first)} nowait`.execute(holder)
    await sql`${lock.account()} nowait`.execute(holder)
  })
  await done
})

it('a notice of a post is written while the post is being changed', async () => {
  const { db } = testServer.deps
  let done: Promise<Response> | null = null
  await whileLocked(db, lock.delivery(first), async (holder) => {
    done = edit(noTime)
    await waiting(db)
    await sql`select from posts where post_id = ${first.post_id} for key share nowait`.execute(holder)
  })
  expect((await (done ?? edit(noTime))).status).toBe(200)
})

const pausable = {
  brand: () => [sql`brands where brand_id = ${brand_id}`, 'pauseBrand', { brandId: brand_id }] as const,
  schedule: () =>
    [
      sql`schedules where schedule_id = ${schedule.schedule_id}`,
      'pauseSchedule',
      { scheduleId: schedule.schedule_id },
    ] as const,
}

it.each(['brand', 'schedule'] as const)('a call begins while its %s is being changed', async (what) => {
  const [row] = pausable[what]()
  await whileLocked(testServer.deps.db, sql`select from ${row} for no key update`, async () => {
    expect(await (await beginCall())?.outcome).toBe('called')
  })
})

it.each(['brand', 'schedule'] as const)('the pause of a %s waits for a call that begins', async (what) => {
  const { db } = testServer.deps
  const [row, name, params] = pausable[what]()
  let paused: Promise<unknown> = Promise.resolve()
  await whileLocked(db, sql`select from ${row} for key share`, async () => {
    paused = ada.call(name, { params, body: { paused: true } })
    await waiting(db)
  })
  expect(await paused).toMatchObject({ paused: true })
  expect(await beginCall()).toBeNull()
})

it('a call whose locks are lost before it began was not made, and may be made again', async () => {
  const { db } = testServer.deps
  let calls = 0
  const begin = () =>
    beginUnlessPaused(db, { accountId: account_id, postId: first.post_id }, async () => (calls += 1))
  await whileLocked(db, lock.brand(), async () => {
    const begun = begin().catch((error: unknown) => error)
    await cutWaiting(db, '%for share%')
    expect(await begun).toBeInstanceOf(Error)
  })
  expect(calls).toBe(0)
  expect(await (await begin())?.outcome).toBe(1)
})
