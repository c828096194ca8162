import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { CALLS_PER_USER, WAITING_CALLS_PER_USER } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import { whileLocked } from '#test/support/lock-waits.ts'
import { postTikTok } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  livePosts,
  pathOf,
  platformCalls,
  type Person,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { POOLS } from './deps.ts'
import { startWorkers } from './start-workers.ts'
import { workerDeps } from './worker-deps.ts'

let testServer: TestServer
let ada: Person
let bo: Person
beforeAll(async () => {
  // Stuck statements stay stuck, however slow the machine is.
  testServer = await startTestServer({ worker: true, statementTimeoutMs: 600_000 })
  ;[ada, bo] = await Promise.all([signUp(testServer, 'Ada'), signUp(testServer, 'Bo')])
})
afterAll(() => testServer.stop())

const countWaiting = async (db: Db = testServer.deps.backgroundDb): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.count ?? 0
}
const waitingAre = (count: number) =>
  until(`${count} statements to wait`, async () => (await countWaiting()) === count)
/** Delays calls like slow ones, without taking time. Nothing else reads this table meanwhile. */
const lockNotices = sql`lock table notifications in access exclusive mode`

const whileStuck = (lock: RawBuilder<unknown>, work: () => Promise<void>) =>
  whileLocked(testServer.deps.backgroundDb, lock, work)

it('of fifty calls of a user a few run at once, the others wait, and the rest is refused', async () => {
  const statuses: number[] = []
  const refused = 50 - CALLS_PER_USER - WAITING_CALLS_PER_USER
  let calls: Promise<unknown>[] = []
  await whileStuck(lockNotices, async () => {
    calls = Array.from({ length: 50 }, async () => {
      const { status, headers } = await ada.request('/notifications')
      statuses.push(status)
      if (status === 429) expect(headers.get('retry-after')).toBe('1')
    })
    await until('those to be refused', async () => statuses.length === refused)
    await waitingAre(CALLS_PER_USER)
  })
  await Promise.all(calls)
  expect(statuses).toEqual(statuses.map((_, i) => (i < refused ? 429 : 200)))
})

const guess = () => randomBytes(32).toString('base64url')

it('guesses of addresses that need no log-in keep few connections busy', async () => {
  const guesses: Promise<Response>[] = []
  await whileStuck(sql`lock table media_links, posters, pictures in access exclusive mode`, async () => {
    for (const folder of ['media', 'posters', 'pictures', 'media'])
      for (let i = 0; i < 10; i++) guesses.push(fetch(`${testServer.url}/${folder}/${guess()}`))
    await waitingAre(3)
    expect((await ada.request('/notifications')).status).toBe(200)
  })
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([404]))
})

const askWith = (key: string) =>
  fetch(`${testServer.url}/api/v1/user`, { headers: { authorization: `Bearer ${key}` } })

it('guesses of API keys keep one connection busy', async () => {
  const { secret } = await ada.call('createApiKey', {
    body: { name: 'n8n', scopes: ['read'], expires_in_days: 1 },
  })
  const calls: Promise<Response>[] = []
  await whileStuck(sql`lock table api_keys in access exclusive mode`, async () => {
    for (let i = 0; i < 30; i++) calls.push(askWith(`reelay_${guess()}`))
    calls.push(askWith(secret))
    await waitingAre(1)
    expect((await ada.request('/notifications')).status).toBe(200)
    expect(await countWaiting()).toBe(1)
  })
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses).toEqual(calls.map((_, i) => (i < 30 ? 401 : 200)))
})

it('uploads that begin with their first bytes are created a few at once', async () => {
  const busy = await signUp(testServer, 'Mass')
  const { user_id } = await busy.call('getUser')
  const creations: Promise<Response>[] = []
  await whileStuck(sql`select from users where user_id = ${user_id} for update`, async () => {
    for (let i = 0; i < 15; i++)
      creations.push(
        busy.request('/uploads', {
          method: 'POST',
          headers: {
            'tus-resumable': '1.0.0',
            'upload-length': '1000',
            'content-type': 'application/offset+octet-stream',
          },
          body: new Uint8Array(10),
        }),
      )
    await waitingAre(CALLS_PER_USER)
    expect((await ada.request('/notifications')).status).toBe(200)
  })
  const statuses = (await Promise.all(creations)).map(({ status }) => status)
  expect(statuses).toEqual(creations.map(() => 201))
})

it('of very many log-ins from one network some wait, and the rest is refused', async () => {
  const calls: Promise<Response>[] = []
  let refused = 0
  await whileStuck(sql`lock table identity_sessions in access exclusive mode`, async () => {
    for (let i = 0; i < 310; i++) {
      const call = fetch(`${testServer.url}/identity/v1/token?key=reelay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ grant_type: 'refresh_token', refresh_token: guess() }),
      })
      void call.then(async (answer) => {
        if ((await answer.clone().text()).includes('TOO_MANY_ATTEMPTS_TRY_LATER')) refused += 1
      })
      calls.push(call)
    }
    await until('those to be refused', async () => refused === 10)
  })
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 400))
  expect(refused).toBe(10)
})

/** Each call that a user can make, except uploads and streams, which have limits of their own. */
const limited = (Object.entries(API) as [string, Endpoint][]).filter(
  ([, endpoint]) =>
    endpoint.auth !== 'none' &&
    endpoint.file === undefined &&
    endpoint.long === undefined &&
    endpoint.stream === undefined,
)

it('every call of a user waits behind those that run', async () => {
  const busy = await signUp(testServer, 'Busy')
  const row = testServer.deps.db.updateTable('users').where('email', '=', busy.email)
  await row.set({ operator_by: 'granted' }).execute()
  const { brand_id: brandId } = await busy.call('createBrand', { body: { title: 'Northwind' } })
  const feed = await busy.call('createFeed', { params: { brandId } })
  await whileStuck(lockNotices, async () => {
    const stop = new AbortController()
    const calls = Array.from({ length: CALLS_PER_USER + WAITING_CALLS_PER_USER }, () =>
      busy.request('/notifications', { signal: stop.signal }).catch(() => null),
    )
    await waitingAre(CALLS_PER_USER)
    await until('the waiting list to be full', async () => (await busy.request('/user')).status === 429)
    for (const [name, endpoint] of limited) {
      const url = pathOf(endpoint, {
        params: Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, one = '']) => [one, '1'])),
      })
      expect([name, (await busy.request(url, { method: endpoint.method })).status]).toEqual([name, 429])
    }
    for (const [method, url] of [
      ['HEAD', '/uploads/1'],
      ['POST', '/uploads'],
      ['DELETE', '/uploads/1'],
    ] as const)
      expect([method, url, (await busy.request(url, { method })).status]).toEqual([method, url, 429])
    expect((await fetch(feed.url)).status).toBe(429)
    // A stream's missed events are read in order too; it ends, and its client reconnects later.
    const stream = await busy.request('/events', { headers: { 'last-event-id': '1' } })
    expect([stream.status, await stream.text()]).toEqual([200, ': hello\n\n'])
    stop.abort()
    await Promise.all(calls)
  })
})

it("while all of a user's calls are stuck, others see their screens, log in and publish", async () => {
  const { brand_id } = await bo.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(bo, { platform: 'tiktok', brandId: brand_id })
  await whileStuck(lockNotices, async () => {
    const stop = new AbortController()
    const calls = Array.from({ length: 30 }, () =>
      ada.request('/notifications', { signal: stop.signal }).catch(() => null),
    )
    await waitingAre(CALLS_PER_USER)
    for (const screen of ['/overview', '/posts', '/calendar?from=2026-11-01&days=42', '/videos'])
      expect((await bo.request(screen)).status).toBe(200)
    expect((await signIn(testServer, bo.email)).token).not.toBe('')
    const { post_id } = await postTikTok(bo, account_id, sampleVideo())
    await until('the post to be live', async () => {
      const { deliveries } = await bo.call('getPost', { params: { postId: post_id } })
      return deliveries.every(({ status }) => status === 'published')
    })
    expect(await countWaiting()).toBe(CALLS_PER_USER)
    stop.abort()
    await Promise.all(calls)
  })
  expect(await livePosts(testServer)).toHaveLength(1)
})

it('with every connection of the API taken, people log in and the worker goes on', async () => {
  const full = await startTestServer()
  const eve = await signUp(full, 'Eve')
  const { brand_id } = await eve.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(eve, { platform: 'tiktok', brandId: brand_id })
  await postTikTok(eve, account_id, sampleVideo())
  const { db, backgroundDb } = full.deps
  const taken: Promise<unknown>[] = []
  await whileLocked(backgroundDb, lockNotices, async () => {
    for (let i = 0; i < 40; i++) taken.push(sql`select count(*) from notifications`.execute(db))
    await until('every connection to wait', async () => (await countWaiting(backgroundDb)) === POOLS.api)
    expect((await signIn(full, eve.email)).token).not.toBe('')
    const worker = startWorkers(workerDeps(full.deps), QUICK)
    await until('the worker to send the video', async () =>
      (await platformCalls(full)).some(({ call }) => call.includes('init')),
    )
    taken.push(worker.stop())
  })
  await Promise.all(taken)
  await full.stop()
})

it('a screen whose statement takes too long is answered 503, and what it wrote is undone', async () => {
  const quick = await startTestServer({ statementTimeoutMs: 200 })
  const someone = await signUp(quick, 'Eve')
  await whileLocked(quick.deps.backgroundDb, sql`lock table brands in access exclusive mode`, async () => {
    const answers = [
      await someone.request('/brands'),
      await someone.request('/brands', {
        method: 'POST',
        body: '{"title":"Mine"}',
        headers: { 'content-type': 'application/json' },
      }),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10'])
      expect(await answer.json()).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('too long') as string,
      })
    }
  })
  expect(await someone.call('listBrands')).toEqual([])
  await quick.stop()
})
