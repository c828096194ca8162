import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
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
import { startWorker, WORKER_SETTINGS, type Worker } from './worker.ts'

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
afterEach(stopWorkers)
afterAll(() => testServer.stop())

const { outageMs } = WORKER_SETTINGS
const startWorkers = (count: number): void => {
  workers = Array.from({ length: count }, () =>
    startWorker(workerDeps(testServer.deps), { ...QUICK, outageMs }),
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
  await letPass(20 * MINUTE_MS)
  const first = await makePost('first')
  const second = await makePost('second')
  await letPass(5 * MINUTE_MS)
  // However long the workers take, they look in the moment in which the outage ends.
  stoodStillAt = Date.now()
  startWorkers(2)
  const missed = await delivered(ada, tooLate, ['blocked'])
  expect(missed).toMatchObject({
    cause: 'missed',
    reason: { message: 'This was due while Reelay was not running, so it was not posted.' },
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
