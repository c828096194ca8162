import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import { waiting, whileLocked } from '#test/support/lock-waits.ts'
import { putIntoSchedule } from '#test/support/planning/put-into-schedule.ts'
import { delivered, postInstagram } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { notifyWake } from '../../db/bus.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startDeliveryWorker, WORKER_SETTINGS, type Worker } from './worker.ts'

const MINUTE_MS = 60_000

let testServer: TestServer
let ada: Person
let account: Account
let aheadMs = 0
let stoodStillAt: number | null = null
let workers: Worker[] = []

beforeAll(async () => {
  testServer = await startTestServer({
    env: { OVERDUE_GRACE_MINUTES: '10' },
    now: () => (stoodStillAt ?? Date.now()) + aheadMs,
  })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  account = await linkAccount(ada, { platform: 'instagram', brandId })
})
const stopWorkers = async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  workers = []
}
afterEach(async () => {
  await stopWorkers()
  stoodStillAt = null
  // The late posts of one test are no neighbours of the next one's.
  aheadMs += MINUTE_MS + 1000
})
afterAll(() => testServer.stop())

const { outageMs } = WORKER_SETTINGS
const startWorkers = (count: number): void => {
  workers = Array.from({ length: count }, () =>
    startDeliveryWorker(workerDeps(testServer.deps), { ...QUICK, outageMs }),
  )
}

/** Ends with the moment from which on nobody looks. */
async function workFor(look: () => Promise<unknown>): Promise<void> {
  startWorkers(1)
  await look()
  await stopWorkers()
}

async function hasLooked(): Promise<boolean> {
  const { seen_at: seen } = await testServer.deps.db
    .selectFrom('worker_heartbeat')
    .select('seen_at')
    .executeTakeFirstOrThrow()
  return seen !== null && seen.getTime() > testServer.deps.now() - MINUTE_MS
}

async function letPass(ms: number): Promise<void> {
  aheadMs += ms
  await notifyWake(testServer.deps.db)
}

const makePost = (text: string): Promise<Post> => postInstagram(ada, account.account_id, sampleVideo(), text)

const timelineOf = async (post: Post): Promise<string[]> => {
  const { events } = await ada.call('getPost', { params: { postId: post.post_id } })
  return events.map(({ message }) => message)
}

const isSpaced = (line: string): boolean => line.includes('late posts to this account go out a minute apart')

it('late posts go out one by one after an outage, and those beyond the grace are held', async () => {
  await workFor(() => until('a look', hasLooked))
  const tooLate = await makePost('too late')
  await letPass(11 * MINUTE_MS)
  const first = await makePost('first')
  const second = await makePost('second')
  await letPass(5 * MINUTE_MS)
  // However long the workers take, they look in the moment in which the outage ends.
  stoodStillAt = Date.now()
  startWorkers(2)
  const missed = await delivered(ada, tooLate, ['blocked'])
  expect(missed).toMatchObject({
    cause: 'missed',
    reason: { message: 'This post was due while Reelay was not posting, so it did not go out.' },
    due_at: tooLate.deliveries[0]?.due_at,
    actions: ['retry', 'cancel'],
    attempt: 1,
  })
  await until('the second to be put off', async () => (await timelineOf(second)).some(isSpaced))
  stoodStillAt = null
  await letPass(MINUTE_MS)
  await delivered(ada, first, ['published'])
  await delivered(ada, second, ['published'])
  expect((await timelineOf(first)).some(isSpaced)).toBe(false)
  // However many workers come back, it is one outage.
  expect(await testServer.deps.db.selectFrom('outages').selectAll().execute()).toHaveLength(1)
  await ada.call('retryDelivery', { params: { deliveryId: missed.delivery_id } })
  await delivered(ada, tooLate, ['published'])
  expect((await livePosts(testServer)).map(({ text }) => text).toSorted()).toEqual([
    'first',
    'second',
    'too late',
  ])
})

it('a restart is no outage, and what waited for it goes out', async () => {
  await workFor(() => until('a look', hasLooked))
  const post = await makePost('over a restart')
  await letPass(4 * MINUTE_MS)
  startWorkers(1)
  await delivered(ada, post, ['published'])
  expect((await timelineOf(post)).some(isSpaced)).toBe(false)
})

/** Whole minutes from now until these posts go out; what is being sent or was just sent goes out now. */
async function goOutIn(posts: readonly Post[]): Promise<number[]> {
  const rows = await testServer.deps.db
    .selectFrom('deliveries')
    .select(['state', 'wake_at'])
    .where(
      'post_id',
      'in',
      posts.map(({ post_id }) => post_id),
    )
    .execute()
  const now = testServer.deps.now()
  return rows
    .map(({ state, wake_at }) =>
      state === 'scheduled' ? Math.floor(((wake_at?.getTime() ?? 0) - now) / MINUTE_MS) : 0,
    )
    .toSorted((a, b) => a - b)
}

/** Waits until the worker and the request both want to release late posts of the account, and lets them. */
async function letBothIn(begin: () => void): Promise<void> {
  const { db } = testServer.deps
  const lockAccount = sql`select pg_advisory_xact_lock(hashtextextended(
    'late posts ' || platform || ' ' || external_id, 0)) from accounts where account_id = ${account.account_id}`
  await whileLocked(db, lockAccount, async () => {
    begin()
    await until('both to wait', async () => {
      await waiting(db, '%late posts%')
      const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%late posts%'`.execute(
        db,
      )
      return (rows[0]?.waiting ?? 0) >= 2
    })
  })
}

it.each([
  [
    'the schedule is resumed first',
    async (resume: () => Promise<unknown>) => {
      await resume()
      startWorkers(2)
    },
  ],
  [
    'the worker comes back first',
    async (resume: () => Promise<unknown>, areSpaced: () => Promise<unknown>) => {
      startWorkers(2)
      await areSpaced()
      await resume()
    },
  ],
  [
    'both come at once',
    async (resume: () => Promise<unknown>) => {
      let resumed: Promise<unknown> = Promise.resolve()
      await letBothIn(() => {
        startWorkers(1)
        resumed = resume()
      })
      await resumed
    },
  ],
])('late posts of an outage and of a pause go out a minute apart: %s', async (name, release) => {
  const { user_id } = await ada.call('getUser')
  const { schedule_id: scheduleId } = await testServer.deps.db
    .insertInto('schedules')
    .values({ user_id, brand_id: account.brand_id, name })
    .returning('schedule_id')
    .executeTakeFirstOrThrow()
  const setPause = (paused: boolean) =>
    ada.call('pauseSchedule', { params: { scheduleId }, body: { paused } })
  const ofSchedule = await makePost(`${name}: of the schedule`)
  await putIntoSchedule(testServer.deps.db, ofSchedule, scheduleId)
  await setPause(true)
  await workFor(() => delivered(ada, ofSchedule, ['blocked']))
  const ofOutage = [await makePost(`${name}: first`), await makePost(`${name}: second`)]
  await letPass(6 * MINUTE_MS)
  stoodStillAt = Date.now()
  const areApart = (some: readonly Post[]) =>
    until('them to go out a minute apart', async () => new Set(await goOutIn(some)).size === some.length)
  await release(
    () => setPause(false),
    () => areApart(ofOutage),
  )
  const posts = [ofSchedule, ...ofOutage]
  await areApart(posts)
  expect((await goOutIn(posts)).at(-1)).toBeLessThanOrEqual(3)
  stoodStillAt = null
  await letPass(3 * MINUTE_MS)
  for (const post of posts) await delivered(ada, post, ['published'])
})
