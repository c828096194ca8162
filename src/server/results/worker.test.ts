import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Platform, ResultsJob, ResultsOutcome } from '#platforms/kit/platform.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import { schedulePost, signUpToPost } from '#test/support/publish.ts'
import { signIn, startTestServer, type TestServer, until } from '#test/support/test-server.ts'
import { workerDeps } from '../worker-deps.ts'
import { type Numbers, takeReading } from '#domain/results/reading.ts'
import { followResults, readResultsNow } from '../deliveries/result-rows.ts'
import { recordUsage } from '../rate-limit/circuit-breaker.ts'
import { claimReaders, listDueResults, removeScopes, saveReadings } from './store.ts'
import { startResultsWorker } from './worker.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let testServer: TestServer
/** The server's clock, in ms ahead of the real one. */
let ahead = 0
const now = () => Date.now() + ahead
beforeAll(async () => {
  testServer = await startTestServer({ now })
})
afterAll(() => testServer.stop())

let asked: ResultsJob[]
let answer: (job: ResultsJob) => ResultsOutcome
beforeEach(async () => {
  await testServer.deps.db.deleteFrom('result_readers').execute()
  asked = []
  answer = ({ postIds }) => ({ kind: 'read', posts: new Map(postIds.map((id) => [id, { views: 7 }])) })
})

/** The worker with platforms that read as the test says, three posts a call. */
function startWorker() {
  const deps = workerDeps(testServer.deps)
  const tiktok = deps.platforms.tiktok
  if (!tiktok) throw new Error('TikTok is off.')
  const results: Platform['results'] = {
    scopes: ['user.info.basic'],
    idsPerCall: 3,
    read: async (job) => {
      asked.push(job)
      return answer(job)
    },
  }
  const platforms = { ...deps.platforms, tiktok: { ...tiktok, results } }
  return startResultsWorker({ ...deps, platforms, log: pino({ level: 'silent' }) }, { pollMs: QUICK.pollMs })
}

/** A user with so many live posts on TikTok, a minute apart. */
async function withLivePosts(count: number) {
  const { person, tiktok, videoId } = await signUpToPost(testServer)
  // Sessions end as the clock moves.
  const again = () => signIn(testServer, person.email)
  const postIds: number[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const post = await schedulePost(person, {
      videoId,
      text: `Post ${nth}`,
      accountIds: [tiktok],
      inDays: 300,
    })
    const deliveryId = post.deliveries[0]?.delivery_id ?? 0
    const row = await testServer.deps.db
      .updateTable('deliveries')
      .set({
        state: 'published',
        wake_at: null,
        data: JSON.stringify({ at: now() + nth * 60_000, postId: `${deliveryId}` }),
      })
      .where('delivery_id', '=', deliveryId)
      .returning(['user_id', 'account_id'])
      .executeTakeFirstOrThrow()
    const live = { at: now() + nth * 60_000, kind: 'published', session: null, postId: '1', url: null }
    await followResults(
      testServer.deps.db,
      {
        deliveryId,
        postId: post.post_id,
        userId: row.user_id,
        accountId: row.account_id,
        goesOutAt: new Date(),
      },
      { kind: 'scheduled' } as never, // only the kinds count
      live as never,
    )
    postIds.push(post.post_id)
  }
  const results = async (nth = 0) => {
    const { deliveries } = await (
      await again()
    ).call('getPostResults', {
      params: { postId: postIds[nth] ?? 0 },
    })
    const [delivery] = deliveries
    if (!delivery) throw new Error('The post has no results.')
    return delivery
  }
  const viewsAt = async (ageH: number, nth = 0) =>
    (await results(nth)).marks.find(({ age_hours }) => age_hours === ageH)?.values.views
  return { again, tiktok, results, viewsAt }
}

/** Moves the clock and waits until everything due has been read, or tried. */
async function pass(ms: number): Promise<void> {
  ahead += ms
  const worker = startWorker()
  await until('all that is due to be read', async () => {
    const due = await testServer.deps.db
      .selectFrom('result_readers')
      .select('account_id')
      .where('wake_at', '<=', new Date(now()))
      .executeTakeFirst()
    return due === undefined
  })
  await worker.stop()
}

it('takes marks at their ages, leaves a gap where the server was down, and keeps on', async () => {
  const { viewsAt, results } = await withLivePosts(1)
  expect(await viewsAt(1)).toEqual({ value: null, missing: 'not_yet' })
  await pass(HOUR + 60_000)
  expect(await viewsAt(1)).toEqual({ value: 7, missing: null })
  // Down for two days.
  await pass(2 * DAY)
  expect(await viewsAt(24)).toEqual({ value: null, missing: 'missed' })
  expect((await results()).latest?.values).toMatchObject({
    views: { value: 7 },
    likes: { missing: 'not_yet' },
    saves: { missing: 'not_offered' },
  })
  await pass(5 * DAY)
  expect(await viewsAt(168)).toEqual({ value: 7, missing: null })
  expect(asked).toHaveLength(3)
})

it('asks for several posts of an account in one call, also for some that are due later', async () => {
  await withLivePosts(4)
  await pass(HOUR + 1000)
  expect(asked.map(({ postIds }) => postIds.length)).toEqual([1])
  await pass(10 * 60_000)
  expect(asked.map(({ postIds }) => postIds.length)).toEqual([1, 3])
  await pass(29 * HOUR)
  asked = []
  // Two days old: the first is due, two more go along early, the fourth is due later.
  await pass(18 * HOUR - 9 * 60_000)
  expect(asked.map(({ postIds }) => postIds.length)).toEqual([3])
  await pass(5 * 60_000)
  expect(asked.map(({ postIds }) => postIds.length)).toEqual([3, 1])
})

it('a post that is not shown a day apart is gone, and back when it is shown', async () => {
  const { results, viewsAt } = await withLivePosts(1)
  await pass(HOUR)
  answer = () => ({ kind: 'read', posts: new Map() })
  await pass(2 * DAY)
  expect(await results()).toMatchObject({ gone_since: null })
  await pass(2 * DAY)
  const { gone_since, latest } = await results()
  expect(gone_since).not.toBeNull()
  expect(latest?.values.views).toEqual({ value: 7, missing: null })
  await pass(3 * DAY)
  expect(await viewsAt(168)).toEqual({ value: null, missing: 'gone' })
  answer = ({ postIds }) => ({ kind: 'read', posts: new Map(postIds.map((id) => [id, { views: 9 }])) })
  await pass(21 * DAY)
  expect(await results()).toMatchObject({ gone_since: null, latest: { values: { views: { value: 9 } } } })
})

it('an account without the permission is not asked, and is once it grants it', async () => {
  const { again, tiktok, viewsAt } = await withLivePosts(1)
  const scopes = testServer.deps.db.updateTable('accounts').where('account_id', '=', tiktok)
  await scopes.set({ scopes: [] }).execute()
  await pass(HOUR)
  expect(asked).toEqual([])
  expect(await viewsAt(1)).toEqual({ value: null, missing: 'not_allowed' })
  await scopes.set({ scopes: ['user.info.basic'] }).execute()
  await pass(2 * HOUR)
  expect(asked).toHaveLength(1)
  expect((await (await again()).call('listResults', { query: { age: 'now' } })).rows).toMatchObject([
    { cells: [{ views: { value: 7, missing: null }, usual: null, band: null }] },
  ])
})

it('a permission that was taken away is known from then on, and posting goes on', async () => {
  const { again, viewsAt } = await withLivePosts(1)
  const failure = { kind: 'rejected', reason: { code: 'scope_not_authorized' } } as never
  answer = () => ({ kind: 'not_allowed', failure })
  await pass(HOUR)
  expect(await viewsAt(1)).toEqual({ value: null, missing: 'not_allowed' })
  await pass(DAY)
  expect(asked).toHaveLength(1)
  expect(await (await again()).call('listAccounts')).toMatchObject([
    { health: { status: 'ok' } },
    { health: { status: 'ok' } },
  ])
})

const tell = (numbers: Numbers, lostScopes?: readonly string[]) => {
  answer = ({ postIds }) => ({
    kind: 'read',
    posts: new Map(postIds.map((id) => [id, numbers])),
    ...(lostScopes && {
      withheld: { failure: { kind: 'rejected', reason: { code: 'x' } } as never, lostScopes },
    }),
  })
}

it('numbers that need a permission are added to a mark once it is granted, and taking it away leaves the others', async () => {
  const { results, tiktok } = await withLivePosts(1)
  const { db } = testServer.deps
  const at = async (ageH: number) =>
    (await results()).marks.find(({ age_hours }) => age_hours === ageH)?.values
  const scopesOf = async () =>
    (await db.selectFrom('accounts').select('scopes').where('account_id', '=', tiktok).executeTakeFirst())
      ?.scopes
  tell({ views: 5, shares: 'not_allowed' })
  await pass(HOUR)
  expect(asked[0]?.scopes).toContain('user.info.basic')
  expect(await at(1)).toMatchObject({ views: { value: 5 }, shares: { value: null, missing: 'not_allowed' } })
  tell({ views: 6, shares: 2 })
  await db.transaction().execute((trx) => readResultsNow(trx, tiktok, now()))
  await pass(60_000)
  expect(await at(1)).toMatchObject({ views: { value: 5 }, shares: { value: 2, missing: null } })
  expect((await results()).latest?.values).toMatchObject({ views: { value: 6 }, shares: { value: 2 } })

  const [scope = ''] = (await scopesOf()) ?? []
  tell({ views: 7, shares: 'not_allowed' }, [scope])
  await pass(DAY)
  expect(await scopesOf()).not.toContain(scope)
  expect((await results()).latest?.values).toMatchObject({
    views: { value: 7 },
    shares: { missing: 'not_allowed' },
  })
})

it('what could not be read beside the other numbers is read again soon', async () => {
  const { results } = await withLivePosts(1)
  answer = ({ postIds }) => ({
    kind: 'read',
    posts: new Map(postIds.map((id) => [id, { views: 5, shares: 'missed' }])),
    withheld: {
      failure: { kind: 'unreachable', reason: { code: 'x', message: 'm', remedy: 'r' } } as never,
      lostScopes: [],
    },
  })
  await pass(HOUR)
  answer = ({ postIds }) => ({
    kind: 'read',
    posts: new Map(postIds.map((id) => [id, { views: 6, shares: 2 }])),
  })
  await pass(16 * 60_000)
  const [mark] = (await results()).marks
  expect(mark?.values).toMatchObject({ views: { value: 5 }, shares: { value: 2 } })
})

it('a failed reading is tried again and leaves no mark', async () => {
  const { viewsAt } = await withLivePosts(1)
  answer = () => ({ kind: 'unreadable', failure: { kind: 'unreachable', reason: { code: 'x' } } as never })
  await pass(HOUR)
  expect(await viewsAt(1)).toEqual({ value: null, missing: 'not_yet' })
  answer = ({ postIds }) => ({ kind: 'read', posts: new Map(postIds.map((id) => [id, { views: 8 }])) })
  await pass(16 * 60_000)
  expect(await viewsAt(1)).toEqual({ value: 8, missing: null })
})

it('a post that cannot be read does not keep the others of its account from being read', async () => {
  const { viewsAt } = await withLivePosts(5)
  let first: readonly string[] = []
  answer = ({ postIds }) => {
    if (first.length === 0) first = postIds
    return postIds.includes(first[0] ?? '')
      ? { kind: 'unreadable', failure: { kind: 'rejected', reason: { code: 'x' } } as never }
      : { kind: 'read', posts: new Map(postIds.map((id) => [id, { views: 8 }])) }
  }
  await pass(HOUR + 5 * 60_000)
  expect(await viewsAt(1, 4)).toEqual({ value: 8, missing: null })
})

it('a number takes the place of a reason while it counts for its age, and no other number', async () => {
  const { viewsAt, tiktok } = await withLivePosts(1)
  const { db } = testServer.deps
  answer = () => ({ kind: 'read', posts: new Map() })
  await pass(HOUR)
  expect(await viewsAt(1)).toEqual({ value: null, missing: 'gone' })
  for (const views of [5, 6]) {
    answer = ({ postIds }) => ({ kind: 'read', posts: new Map(postIds.map((id) => [id, { views }])) })
    await db.transaction().execute((trx) => readResultsNow(trx, tiktok, now()))
    await pass(60_000)
  }
  expect(await viewsAt(1)).toEqual({ value: 5, missing: null })
})

it('what is read while its account is unlinked or linked again is not saved', async () => {
  const { again, results, tiktok } = await withLivePosts(1)
  const { db } = testServer.deps
  ahead += HOUR
  answer = ({ postIds }) => ({ kind: 'read', posts: new Map(postIds.map((id) => [id, { views: 5 }])) })
  const [reader] = await claimReaders(db, { now: now(), leaseMs: 60_000, limit: 1 })
  if (reader?.accountId !== tiktok) throw new Error('The account was not claimed.')
  await db.transaction().execute((trx) => readResultsNow(trx, tiktok, now()))
  const [due] = await listDueResults(db, tiktok, now(), 1)
  if (!due) throw new Error('Nothing is due.')
  const reading = takeReading(due, { kind: 'numbers', numbers: { views: 5 } }, now())
  await saveReadings(db, reader, [{ ...reading, deliveryId: due.deliveryId }], {
    now: now(),
    notBefore: now(),
  })
  await removeScopes(db, reader, ['user.info.basic'])
  expect((await results()).latest).toBeNull()
  expect((await (await again()).call('listAccounts')).length).toBe(2)
  const { scopes } = await db
    .selectFrom('accounts')
    .select('scopes')
    .where('account_id', '=', tiktok)
    .executeTakeFirstOrThrow()
  expect(scopes).toContain('user.info.basic')
})

it('readings leave calls that run short to the posts, and go on after that', async () => {
  const { tiktok } = await withLivePosts(1)
  const { db } = testServer.deps
  ahead += HOUR
  const about = { platform: 'tiktok', accountId: tiktok, now: now() } as const
  for (const [percent, what] of [
    [85, 'slow'],
    [99, 'calls'],
  ] as const) {
    await recordUsage(db, about, { appPercent: percent, accountPercent: null, regainS: 0 })
    expect(await db.selectFrom('platform_cooldowns').select('what').execute()).toContainEqual({ what })
    await pass(0)
    expect(asked).toEqual([])
  }
  // No post goes out that could try whether calls are answered again.
  await pass(2 * HOUR)
  expect(asked).toHaveLength(1)
  await db.deleteFrom('platform_cooldowns').execute()
})

it('an account that was unlinked is not read, and says so', async () => {
  const { again, tiktok, viewsAt, results } = await withLivePosts(1)
  await pass(HOUR)
  await (await again()).call('unlinkAccount', { params: { accountId: tiktok }, query: { cancel_posts: 0 } })
  await pass(DAY)
  expect(asked).toHaveLength(1)
  expect(await viewsAt(1)).toEqual({ value: 7, missing: null })
  expect(await viewsAt(24)).toEqual({ value: null, missing: 'unlinked' })
  expect(await results()).toMatchObject({ linked: false, next_reading_at: null })
})

it('readings wait while a post to the account is about to go out', async () => {
  const { tiktok } = await withLivePosts(1)
  const { db } = testServer.deps
  ahead += HOUR
  const [waiting] = await db
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('account_id', '=', tiktok)
    .execute()
  await db
    .updateTable('deliveries')
    .set({ state: 'scheduled', wake_at: new Date(now() + 30_000) })
    .where('delivery_id', '=', waiting?.delivery_id ?? 0)
    .execute()
  const worker = startWorker()
  await sleep(5 * QUICK.pollMs)
  expect(asked).toEqual([])
  ahead += 2 * 60_000
  await db
    .updateTable('deliveries')
    .set({ state: 'published', wake_at: null })
    .where('account_id', '=', tiktok)
    .execute()
  await until('the account to be read', async () => asked.length === 1)
  await worker.stop()
})
