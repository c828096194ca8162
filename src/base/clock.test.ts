import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { openClock, type Clock } from './clock.ts'
import { openDb, type Db } from './db/open.ts'

let database: TestDatabase
let db: Db
let clock: Clock
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
})
afterAll(async () => {
  vi.useRealTimers()
  clock.stop()
  await db.destroy()
  await database.drop()
})

it("the clock is the database's, whatever this machine's is set to", async () => {
  const before = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: before + 7_200_000 })
  clock = await openClock(db, pino({ level: 'silent' }))
  expect(Date.now() - before).toBeGreaterThanOrEqual(7_200_000)
  expect(clock.now() - before).toBeGreaterThanOrEqual(-1_000)
  expect(clock.now() - before).toBeLessThan(600_000)
})

it('the clock returns whole milliseconds, as the database does', () => {
  const reported = Array.from({ length: 50 }, () => clock.now())
  expect(reported).toEqual(reported.map((ms) => new Date(ms).getTime()))
})

it("the clock advances while the machine's is set back", () => {
  const then = clock.now()
  vi.setSystemTime(then - 3_600_000)
  expect(clock.now()).toBeGreaterThanOrEqual(then)
})

it('a reading that waits for a connection does not put the clock ahead', async () => {
  const narrow = openDb(database.url, { connections: 1 })
  const occupy = () => sql`select pg_sleep(2)`.execute(narrow)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const [, late] = await Promise.all([occupy(), openClock(narrow, pino({ level: 'silent' }))])
  try {
    expect(await aheadMs(late, narrow)).toBeLessThan(500)
    const occupied = occupy()
    vi.advanceTimersByTime(20_000)
    await Promise.all([occupied, sql`select`.execute(narrow)])
    expect(await aheadMs(late, narrow)).toBeLessThan(500)
  } finally {
    late.stop()
    vi.useRealTimers()
    await narrow.destroy()
  }
})

/** A lower bound: the database's clock is read afterwards. */
async function aheadMs(ours: Clock, on: Db): Promise<number> {
  const now = ours.now()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(on)
  return now - Number(rows[0]?.now)
}
