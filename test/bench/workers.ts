/**
 * What many workers cost the database that they claim from, beside one: the product's own rounds, claims and saves, without the platforms' calls
 * between them. `npm run bench -- workers [waiting] [seconds]`
 *
 * Each worker has a pool of two connections. All of them are in this process, so only what the database spends is as with many machines.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import { pino } from 'pino'
import { createEncrypter } from '#base/encryption.ts'
import { openDb } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { claimDue, type Claimed, type ClaimRequest, nextWakeAt } from '#server/deliveries/claim/claim-due.ts'
import { createTurns } from '#server/deliveries/claim/turns.ts'
import { openClaim } from '#server/deliveries/store.ts'
import { WORKER_SETTINGS } from '#server/deliveries/worker/worker.ts'
import { repeatRounds } from '#server/lease/repeat-rounds.ts'
import { createTestDatabase, startTestDatabases } from '../support/database/test-database.ts'
import { saveClaimed } from './claims.ts'
import { databaseProcess, usageOf } from './processes.ts'
import { type Measurement, report } from './report.ts'
import { removeUser, seedDue, seedOthers } from './seed.ts'

const WORKERS = [5, 10, 50] as const
const USERS = 100
/** A million deliveries a day. */
const PER_SECOND = 12
/** Of the simulated platforms: a call, and how long after it a delivery is looked at again. */
const CALL_MS = 300
const CHECK_MS = 2000
const BURST = 1000

const waiting = Number(process.argv[2] ?? 300_000)
const seconds = Number(process.argv[3] ?? 60)

let statements = 0
Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args: unknown[]) {
      statements += 1
      return Reflect.apply<unknown, unknown[], unknown>(query, client, args)
    },
  }),
})

/** `late`: ms from when a delivery was due to its claim. `firstAt`, `lastAt`: of the claims, epoch ms. */
type Counts = {
  rounds: number
  empty: number
  claims: number
  published: number
  firstAt: number
  lastAt: number
  readonly late: number[]
}
type Cost = Counts & {
  readonly s: number
  readonly statements: number
  readonly cpuS: number
  readonly rows: number
}

const stopDatabases = await startTestDatabases()
const database = await createTestDatabase()
const db = openDb(database.url, { connections: 1 })
const encrypter = createEncrypter([randomBytes(32).toString('hex')])
const root = await databaseProcess(process.env['TEST_DATABASE_URL'] ?? '')
try {
  await seedOthers(db, 1000, Math.ceil(waiting / 1000), Date.now())
  await sql`vacuum analyze`.execute(db)
  const one = await measure(1)
  const rows: Measurement[] = []
  for (const count of WORKERS) rows.push(...compare(count, one, await measure(count)))
  const about = `So many workers over one database in which ${waiting} deliveries wait; floor: one worker. Idle: nothing is due for ${seconds / 2} s. Steady: ${PER_SECOND} deliveries a second for ${seconds} s, of ${USERS} users of ten accounts, each claimed twice. Burst: ${BURST} of them due at once. A platform's call takes ${CALL_MS} ms.`
  report({ name: 'workers', about, rows })
} finally {
  await db.destroy()
  await database.drop()
  await stopDatabases()
}

type Costs = Readonly<Record<'idle' | 'steady' | 'burst', Cost>>

async function measure(count: number): Promise<Costs> {
  return {
    idle: await costOf(count, () => sleep((seconds * 1000) / 2)),
    steady: await withDue(PER_SECOND * seconds, 1000 / PER_SECOND, count),
    burst: await withDue(BURST, 0, count),
  }
}

function compare(count: number, one: Costs, many: Costs): Measurement[] {
  const row = (
    when: keyof Costs,
    what: string,
    unit: string,
    value: (cost: Cost) => number,
  ): Measurement => ({
    what: `${count}, ${when}: ${what}`,
    unit,
    floor: [value(one[when])],
    ours: [value(many[when])],
  })
  return [
    row('idle', 'statements', 'a second', (it) => it.statements / it.s),
    row('idle', 'database', 'ms a second', (it) => (it.cpuS * 1000) / it.s),
    row('steady', 'rounds', 'a claim', (it) => it.rounds / it.claims),
    row('steady', 'rounds that found nothing', '%', (it) => (it.empty * 100) / it.rounds),
    row('steady', 'statements', 'a claim', (it) => it.statements / it.claims),
    row('steady', 'rows read', 'a claim', (it) => it.rows / it.claims),
    row('steady', 'database', 'ms a claim', (it) => (it.cpuS * 1000) / it.claims),
    row('steady', '95 % are claimed within', 'ms', (it) => percentile(it.late, 0.95)),
    row('burst', 'statements', 'a claim', (it) => it.statements / it.claims),
    row('burst', 'database', 'ms a claim', (it) => (it.cpuS * 1000) / it.claims),
    row('burst', 'claims', 'a second', (it) => (it.claims * 1000) / (it.lastAt - it.firstAt)),
  ]
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

/** What so many workers spend until they have published `count` deliveries that are due so far apart. */
async function withDue(count: number, apartMs: number, workers: number): Promise<Cost> {
  const { rows } = await sql<{ user_id: number }>`
    insert into users (uid, email, nickname, timezone)
    select gen_random_uuid(), 'due@example.com', 'Due', 'UTC' from generate_series(1, ${USERS}::int) returning user_id`.execute(
    db,
  )
  const users = rows.map(({ user_id }) => user_id)
  for (const user of users) await seedDue(db, user, Math.ceil(count / USERS))
  const mine = sql`user_id = any(${users}::bigint[])`
  await sql`analyze deliveries`.execute(db)
  // All are due in their turns, from some seconds after the workers have started.
  await sql`update deliveries d set wake_at = to_timestamp(${(Date.now() + 3000) / 1000}::float8) + nth * ${apartMs}::float8 * interval '1 millisecond'
    from (select delivery_id, row_number() over (order by delivery_id % 997, delivery_id) as nth from deliveries where ${mine}) as numbered
    where numbered.delivery_id = d.delivery_id`.execute(db)
  const cost = await costOf(workers, async (counts) => {
    while (counts.published < USERS * Math.ceil(count / USERS)) await sleep(100)
  })
  for (const user of users) await removeUser(db, user)
  return cost
}

/** What so many workers and the database spend while `work` runs. */
async function costOf(count: number, work: (counts: Readonly<Counts>) => Promise<void>): Promise<Cost> {
  const counts: Counts = {
    rounds: 0,
    empty: 0,
    claims: 0,
    published: 0,
    firstAt: Infinity,
    lastAt: 0,
    late: [],
  }
  const rows = await rowsRead()
  const workers = Array.from({ length: count }, () => startWorker(counts))
  await sleep(1000)
  const before = {
    ...counts,
    statements,
    cpuS: usageOf([root]).cpuS,
    at: performance.now(),
  }
  await work(counts)
  const s = (performance.now() - before.at) / 1000
  const cost = {
    s,
    rounds: counts.rounds - before.rounds,
    empty: counts.empty - before.empty,
    claims: counts.claims - before.claims,
    published: counts.published,
    firstAt: counts.firstAt,
    lastAt: counts.lastAt,
    late: counts.late,
    statements: statements - before.statements,
    cpuS: usageOf([root]).cpuS - before.cpuS,
    rows: 0,
  }
  await Promise.all(workers.map((stop) => stop()))
  return { ...cost, rows: (await rowsRead()) - rows }
}

/** Other connections must have ended: PostgreSQL counts what an open one has read up to 10 s later, or when it is asked to. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read) + sum(idx_tup_fetch) as read from pg_stat_user_tables where relname = 'deliveries'`.execute(
    db,
  )
  return Number(rows[0]?.read)
}

function startWorker(counts: Counts): () => Promise<void> {
  const own = openDb(database.url, { connections: 2 })
  const turns = { call: createTurns(), upload: createTurns() }
  const running = new Map<Promise<void>, Claimed>()
  const request = (): ClaimRequest => requestOf([...running.values()], turns)
  const start = (claimed: Claimed) => {
    turns[claimed.slot].take(claimed.row.user_id)
    counts.claims += 1
    counts.lastAt = Date.now()
    counts.firstAt = Math.min(counts.firstAt, counts.lastAt)
    counts.late.push(counts.lastAt - (claimed.row.wake_at?.getTime() ?? 0))
    const done = deliver(own, claimed, counts).finally(() => {
      running.delete(done)
      rounds.wake()
    })
    running.set(done, claimed)
  }
  const rounds = repeatRounds(
    { bus: { onWake: () => () => {} }, log: pino({ level: 'error' }) },
    {
      what: 'deliveries',
      pollMs: WORKER_SETTINGS.pollMs,
      apartMs: 50,
      now: Date.now,
      async claim() {
        let found = 0
        for await (const claimed of claimDue(own, request)) {
          claimed.forEach(start)
          found += claimed.length
        }
        counts.rounds += 1
        if (found === 0) counts.empty += 1
        return found
      },
      nextAt: () => nextWakeAt(own, request()),
    },
  )
  return async () => {
    await rounds.stop()
    await Promise.all(running.keys())
    await own.destroy()
  }
}

function requestOf(
  running: readonly Claimed[],
  turns: Readonly<Record<Claimed['slot'], ReturnType<typeof createTurns>>>,
): ClaimRequest {
  return {
    now: Date.now(),
    leaseMs: WORKER_SETTINGS.leaseMs,
    push: ['tiktok'],
    pull: ['instagram'],
    calls: {
      slots: WORKER_SETTINGS.slots.calls,
      usedBy: running.filter(({ slot }) => slot === 'call').map(({ row }) => row.user_id),
      turns: turns.call.users(),
    },
    uploads: {
      slots: WORKER_SETTINGS.slots.uploads,
      running: running
        .filter(({ slot }) => slot === 'upload')
        .map(({ row, bytes }) => ({ userId: row.user_id, bytesLeft: bytes, elapsedS: 0 })),
      turns: turns.upload.users(),
      uplink: { bytesPerS: 100_000_000, isMeasured: true, lifeS: 3600 },
    },
  }
}

/** The first claim sends it, the second finds it live. */
async function deliver(own: Kysely<DB>, { row }: Claimed, counts: Counts): Promise<void> {
  await sleep(CALL_MS)
  const claim = openClaim(row, encrypter)
  if (claim.state.kind !== 'scheduled') {
    await saveClaimed(own, encrypter, claim, { state: null, wakeAt: null })
    counts.published += 1
    return
  }
  const now = Date.now()
  const state = {
    kind: 'processing',
    attempt: 1,
    repeats: 0,
    session: { id: 'x' },
    since: now,
    checks: 0,
    commits: 1,
    reason: null,
  } as const
  await saveClaimed(own, encrypter, claim, { state, wakeAt: now + CHECK_MS })
}
