import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { cutWaiting, whileLocked } from '#test/support/lock-waits.ts'
import { delivered, postInstagram, uploadVideo } from '#test/support/publish.ts'
import { putIntoSchedule as putPostIntoSchedule } from '#test/support/planning/put-into-schedule.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { notifyWake } from '../db/bus.ts'
import { startHousekeeping } from '../housekeeping.ts'
import { startDeliveryWorker, type Worker } from '../deliveries/worker/worker.ts'
import { workerDeps } from '../worker-deps.ts'

const GRACE_MS = 5 * 60_000

let testServer: TestServer
let ada: Person
let account: Account
let scheduleId: number
let aheadMs = 0
let worker: Worker | null = null

beforeAll(async () => {
  testServer = await startTestServer({
    env: { OVERDUE_GRACE_MINUTES: '5' },
    now: () => Date.now() + aheadMs,
  })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  ada = await signUp(testServer)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  account = await linkAccount(ada, { platform: 'instagram', brandId: brand_id })
  const { user_id } = await ada.call('getUser')
  const schedule = await testServer.deps.db
    .insertInto('schedules')
    .values({ user_id, brand_id, name: 'Mornings' })
    .returning('schedule_id')
    .executeTakeFirstOrThrow()
  scheduleId = schedule.schedule_id
})
afterEach(async () => {
  await worker?.stop()
  worker = null
  // Keeps the late posts of one test away from those of the next one.
  aheadMs += 61_000
})
afterAll(() => testServer.stop())

const work = (crashPoint?: (name: string) => Promise<void>): void => {
  worker = startDeliveryWorker(workerDeps(testServer.deps, crashPoint), QUICK)
}

async function letPass(ms: number): Promise<void> {
  aheadMs += ms
  await notifyWake(testServer.deps.db)
}

type What = 'account' | 'brand' | 'schedule'
function setPause(what: What, paused: boolean): Promise<PauseResult> {
  const body = { paused }
  switch (what) {
    case 'account':
      return ada.call('pauseAccount', { params: { accountId: account.account_id }, body })
    case 'brand':
      return ada.call('pauseBrand', { params: { brandId: account.brand_id }, body })
    case 'schedule':
      return ada.call('pauseSchedule', { params: { scheduleId }, body })
  }
}

const makePost = (text: string): Promise<Post> => postInstagram(ada, account.account_id, sampleVideo(), text)

const putIntoSchedule = (post: Post): Promise<void> =>
  putPostIntoSchedule(testServer.deps.db, post, scheduleId)

const held = (post: Post): Promise<Delivery> => delivered(ada, post, ['blocked'])
const liveAs = async (text: string) =>
  (await livePosts(testServer)).filter((post) => post.text === text).length

describe.each<What>(['account', 'brand', 'schedule'])('while the %s is paused', (what) => {
  it('what comes due waits, and goes out once when it is resumed', async () => {
    const post = await makePost(`by ${what}`)
    await putIntoSchedule(post)
    await setPause(what, true)
    work()
    expect(await held(post)).toMatchObject({
      cause: 'paused',
      reason: { message: `Posting is paused for this ${what}.` },
      due_at: null,
      actions: ['cancel'],
      attempt: 1,
    })
    expect(await setPause(what, false)).toEqual({
      paused: false,
      released: 1,
      missed: 0,
      missed_post_ids: [],
    })
    expect(await delivered(ada, post, ['published', 'failed'])).toMatchObject({ status: 'published' })
    expect(await liveAs(`by ${what}`)).toBe(1)
  })
})

it('a post that falls into a pause says so before it is due, in lists and calendar', async () => {
  const day = new Date(testServer.deps.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const { video_id } = await uploadVideo(ada)
  const post = await ada.call('createPost', {
    body: {
      video_id,
      text: 'planned',
      targets: [{ account_id: account.account_id }],
      publish_at: { local: `${day}T12:00`, timezone: 'UTC' },
    },
  })
  const shown = async () => {
    const { posts } = await ada.call('getCalendar', { query: { from: day, days: 1 } })
    const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
    return [delivery?.status, delivery?.paused, posts[0]?.held_for]
  }
  expect(await shown()).toEqual(['scheduled', null, null])
  await setPause('brand', true)
  expect(await shown()).toEqual(['scheduled', 'brand', 'paused'])
  const pauseUntil = (end: string) =>
    ada.call('pauseBrand', { params: { brandId: account.brand_id }, body: { paused: true, until: end } })
  await pauseUntil(`${day}T12:01:00.000Z`)
  expect(await shown()).toEqual(['scheduled', 'brand', 'paused'])
  await pauseUntil(`${day}T12:00:00.000Z`)
  expect(await shown()).toEqual(['scheduled', null, null])
  await setPause('brand', false)
  expect(await shown()).toEqual(['scheduled', null, null])
})

const pausedUntil = async () => (await ada.call('listAccounts')).map(({ paused_until }) => paused_until)

const inAMinute = () => new Date(testServer.deps.now() + 60_000).toISOString()

it('a pause until a time ends by itself, and what it held goes out once', async () => {
  const end = inAMinute()
  const pause = (body: { paused: true; until?: string }) =>
    ada.call('pauseAccount', { params: { accountId: account.account_id }, body })
  const post = await makePost('until then')
  await pause({ paused: true, until: end })
  expect(await pausedUntil()).toEqual([end])
  work()
  await held(post)
  await startHousekeeping(testServer.deps).stop()
  expect(await pausedUntil()).toEqual([end])
  await letPass(61_000)
  await startHousekeeping(testServer.deps).stop()
  expect(await pausedUntil()).toEqual([null])
  await delivered(ada, post, ['published'])
  expect(await liveAs('until then')).toBe(1)
})

it('a pause without an end replaces one that has an end', async () => {
  const params = { accountId: account.account_id }
  await ada.call('pauseAccount', { params, body: { paused: true, until: inAMinute() } })
  await setPause('account', true)
  await letPass(61_000)
  await startHousekeeping(testServer.deps).stop()
  expect(await isPaused()).toEqual([true])
  await setPause('account', false)
})

it.each([
  ['has passed', { paused: true, until: '2020-01-01T00:00:00.000Z' }, 'Choose a time to come.'],
  ['is years away', { paused: true, until: '2099-01-01T00:00:00.000Z' }, 'A pause can last up to 365 days.'],
  [
    'is that of no pause',
    { paused: false, until: '2099-01-01T00:00:00.000Z' },
    'Only a pause can have an end.',
  ],
])('an end that %s is refused', async (_, body, message) => {
  const answer = ada.call('pauseAccount', { params: { accountId: account.account_id }, body })
  await expect(answer).rejects.toThrow(`"errors":{"until":["${message}"]}`)
  expect(await isPaused()).toEqual([false])
})

const isPaused = async () => (await ada.call('listAccounts')).map(({ paused }) => paused)

it('an account says that it is paused', async () => {
  await setPause('account', true)
  expect(await isPaused()).toEqual([true])
  await setPause('account', false)
  expect(await isPaused()).toEqual([false])
})

it('what was due longer ago than the grace when it is resumed waits for its user', async () => {
  const post = await makePost('too late')
  await setPause('account', true)
  work()
  await held(post)
  await letPass(GRACE_MS + 60_000)
  expect(await setPause('account', false)).toEqual({
    paused: false,
    released: 0,
    missed: 1,
    missed_post_ids: [post.post_id],
  })
  const missed = await held(post)
  expect(missed).toMatchObject({ cause: 'missed', actions: ['retry', 'cancel'] })
  expect(Date.parse(missed.due_at ?? '')).toBe(Date.parse(post.deliveries[0]?.due_at ?? ''))
  await ada.call('retryDelivery', { params: { deliveryId: missed.delivery_id } })
  expect(await delivered(ada, post, ['published', 'failed'])).toMatchObject({ status: 'published' })
})

it('the late posts of one account go out a minute apart, in the order in which they were due', async () => {
  const first = await makePost('first of two')
  const second = await makePost('second of two')
  await setPause('brand', true)
  work()
  await held(first)
  await held(second)
  await worker?.stop()
  expect(await setPause('brand', false)).toMatchObject({ released: 2, missed: 0 })
  const [waiting] = (await ada.call('getPost', { params: { postId: second.post_id } })).deliveries
  expect(waiting).toMatchObject({ status: 'scheduled', reason: { code: 'waiting_late' } })
  work()
  await delivered(ada, first, ['published'])
  await letPass(61_000)
  await delivered(ada, second, ['published'])
})

const wakeOf = async ({ post_id }: Post): Promise<number> => {
  const row = await testServer.deps.db
    .selectFrom('deliveries')
    .select('wake_at')
    .where('post_id', '=', post_id)
    .executeTakeFirstOrThrow()
  return row.wake_at?.getTime() ?? 0
}

/** Two posts, two minutes late: one held by the schedule, one only by the account. */
async function holdTwo(name: string): Promise<[Post, Post]> {
  const [ofSchedule, other] = [
    await makePost(`${name} of the schedule`),
    await makePost(`${name} of the account`),
  ]
  await putIntoSchedule(ofSchedule)
  await setPause('schedule', true)
  await setPause('account', true)
  work()
  await held(ofSchedule)
  await held(other)
  await worker?.stop()
  await testServer.deps.db
    .updateTable('deliveries')
    .set({ goes_out_at: new Date(testServer.deps.now() - 120_000) })
    .where('post_id', 'in', [ofSchedule.post_id, other.post_id])
    .execute()
  return [ofSchedule, other]
}

it('a late post released after another of its account goes out a minute later', async () => {
  const [ofSchedule, other] = await holdTwo('one by one')
  await letPass(120_000)
  await setPause('account', false)
  work()
  await delivered(ada, other, ['published'])
  await setPause('schedule', false)
  const live = (await ada.call('getPost', { params: { postId: other.post_id } })).deliveries[0]
  expect(await wakeOf(ofSchedule)).toBe(Date.parse(live?.published_at ?? '') + 60_000)
  await letPass(61_000)
  await delivered(ada, ofSchedule, ['published'])
})

it('late posts of an account released at the same time go out a minute apart', async () => {
  const posts = await holdTwo('together')
  await letPass(120_000)
  await setPause('account', false)
  await setPause('account', true)
  await Promise.all([setPause('account', false), setPause('schedule', false)])
  const [one, two] = await Promise.all(posts.map(wakeOf))
  expect(Math.abs((one ?? 0) - (two ?? 0))).toBeGreaterThanOrEqual(60_000)
  work()
  await letPass(61_000)
  for (const post of posts) await delivered(ada, post, ['published'])
})

it('the late posts of a paused schedule that is deleted go out a minute apart', async () => {
  const schedule = await ada.call('createSchedule', {
    body: {
      brand_id: account.brand_id,
      name: 'Deleted while paused',
      slots: [{ weekday: 1, time: '08:00', platforms: null }],
    },
  })
  const params = { scheduleId: schedule.schedule_id }
  const posts = [await makePost('first of the deleted'), await makePost('second of the deleted')]
  for (const post of posts) await putPostIntoSchedule(testServer.deps.db, post, schedule.schedule_id)
  await ada.call('pauseSchedule', { params, body: { paused: true } })
  work()
  for (const post of posts) await held(post)
  await worker?.stop()
  await ada.call('deleteSchedule', { params })
  const [one, two] = await Promise.all(posts.map(wakeOf))
  expect((two ?? 0) - (one ?? 0)).toBe(60_000)
  work()
  await letPass(61_000)
  for (const post of posts) await delivered(ada, post, ['published'])
})

const isSpaced = async (post: Post) => {
  const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
  return delivery?.reason?.code === 'waiting_late'
}

it('late posts whose pause nobody ended go out a minute apart', async () => {
  const { db } = testServer.deps
  const posts = [await makePost('first of the forgotten'), await makePost('second of the forgotten')]
  for (const post of posts) await putIntoSchedule(post)
  await setPause('schedule', true)
  work()
  for (const post of posts) await held(post)
  await worker?.stop()
  // Simulates a worker that held them while the schedule was resumed: they are found within the hour.
  await db.updateTable('schedules').set({ paused_at: null }).where('schedule_id', '=', scheduleId).execute()
  const ids = posts.map(({ post_id }) => post_id)
  await db.updateTable('deliveries').set({ wake_at: new Date() }).where('post_id', 'in', ids).execute()
  work()
  await until('one of them to be put off', async () =>
    (await Promise.all(posts.map(isSpaced))).includes(true),
  )
  await letPass(61_000)
  for (const post of posts) await delivered(ada, post, ['published'])
})

it('a post that is paused twice waits for both to be resumed', async () => {
  const post = await makePost('twice')
  await setPause('account', true)
  await setPause('brand', true)
  work()
  await held(post)
  expect(await setPause('account', false)).toMatchObject({ released: 0 })
  expect(await held(post)).toMatchObject({
    cause: 'paused',
    reason: { message: 'Posting is paused for this brand.' },
  })
  await setPause('brand', false)
  await delivered(ada, post, ['published'])
})

it('what a paused brand held goes out at once when its account moves to another brand', async () => {
  const post = await makePost('moved')
  await setPause('brand', true)
  work()
  await held(post)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Alpine' } })
  const moveTo = (brandId: number) =>
    ada.call('moveAccount', { params: { accountId: account.account_id }, body: { brand_id: brandId } })
  await moveTo(brand_id)
  await delivered(ada, post, ['published'])
  await moveTo(account.brand_id)
  await setPause('brand', false)
})

const timelineOf = async ({ post_id }: Post): Promise<string[]> => {
  const { events } = await ada.call('getPost', { params: { postId: post_id } })
  return events.map(({ status }) => status)
}

/** A worker that stops at a point of its code until it is released. */
function workUpTo(point: string): { reached: Promise<void>; letGo: () => void } {
  const reached = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  work(async (name) => {
    if (name !== point) return
    reached.resolve()
    await gone.promise
  })
  return { reached: reached.promise, letGo: gone.resolve }
}

const publishCalls = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'publish').length

it('no post begins to be published once a pause is answered', async () => {
  const post = await makePost('decided and not begun')
  const before = await publishCalls()
  const stop = workUpTo('before commit')
  await stop.reached
  await setPause('account', true)
  stop.letGo()
  expect(await held(post)).toMatchObject({ cause: 'paused' })
  expect(await publishCalls()).toBe(before)
  await setPause('account', false)
  await delivered(ada, post, ['published'])
  expect(await liveAs('decided and not begun')).toBe(1)
  expect(await publishCalls()).toBe(before + 1)
})

it('a call that the database kept from beginning is made later, once', async () => {
  const { db } = testServer.deps
  const post = await makePost('kept from beginning')
  const before = await publishCalls()
  const stop = workUpTo('before commit')
  await stop.reached
  const brand = sql`select from brands where brand_id = ${account.brand_id} for update`
  await whileLocked(db, brand, async () => {
    stop.letGo()
    await cutWaiting(db, '%for share%')
  })
  const saved = await delivered(ada, post, ['preparing', 'unconfirmed'])
  expect(saved.status).toBe('preparing')
  expect(await publishCalls()).toBe(before)
  await worker?.stop()
  // Its lease has ended.
  await db.updateTable('deliveries').set({ leased_until: null }).where('post_id', '=', post.post_id).execute()
  work()
  await delivered(ada, post, ['published', 'unconfirmed'])
  expect(await timelineOf(post)).not.toContain('unconfirmed')
  expect(await publishCalls()).toBe(before + 1)
})

it('an outcome that the database did not take is saved again', async () => {
  const { db } = testServer.deps
  const post = await makePost('saved again')
  const before = await publishCalls()
  const stop = workUpTo('after commit')
  await stop.reached
  const row = sql`select from deliveries where post_id = ${post.post_id} for update`
  await whileLocked(db, row, async () => {
    stop.letGo()
    await cutWaiting(db, '%"state" =%')
  })
  await delivered(ada, post, ['published', 'unconfirmed'])
  expect(await timelineOf(post)).not.toContain('unconfirmed')
  expect(await publishCalls()).toBe(before + 1)
})

it('a post that is being sent is held at once', async () => {
  const post = await makePost('on its way')
  const stop = workUpTo('after preparing call')
  await stop.reached
  await setPause('account', true)
  const [sent] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
  expect(sent).toMatchObject({ status: 'blocked', cause: 'paused' })
  stop.letGo()
  await worker?.stop()
  expect(await held(post)).toMatchObject({ cause: 'paused', attempt: 2 })
  await setPause('account', false)
  work()
  await delivered(ada, post, ['published'])
  expect(await liveAs('on its way')).toBe(1)
})

it('what was paused by a schedule that is gone goes out by itself', async () => {
  const post = await makePost('of a deleted schedule')
  await putIntoSchedule(post)
  await setPause('schedule', true)
  work()
  await held(post)
  const { db } = testServer.deps
  await db
    .updateTable('schedules')
    .set({ deleted_at: new Date() })
    .where('schedule_id', '=', scheduleId)
    .execute()
  await db
    .updateTable('deliveries')
    .set({ wake_at: new Date() })
    .where('post_id', '=', post.post_id)
    .execute()
  await notifyWake(db)
  await until('it to be live', async () => (await liveAs('of a deleted schedule')) === 1)
})
