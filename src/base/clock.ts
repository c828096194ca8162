import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from './db/open.ts'

/** One time for every process on a database. */
export type Clock = {
  /** Epoch ms, whole: a moment that comes back from the database is the one that was kept. */
  now(): number
  stop(): void
}

const READ_EVERY_MS = 20_000

/**
 * The database's clock, carried on between two readings by what this machine counts since its start. What a server writes down
 * ("again in five seconds") is read by others on other machines: with one clock for all of them, none can put a post off or
 * bring it forward because its own clock is wrong, or is set while it works.
 *
 * @throws when the database does not answer the first reading. Later ones may fail; the clock goes on without them.
 */
export async function openClock(db: Db, log: Pick<Logger, 'warn'>): Promise<Clock> {
  let ahead = await read(db)
  const timer = setInterval(() => {
    read(db).then(
      (found) => {
        ahead = found
      },
      (error: unknown) => log.warn({ err: error }, "the database's clock could not be read; ours goes on"),
    )
  }, READ_EVERY_MS)
  timer.unref()
  return { now: () => Math.floor(performance.now() + ahead), stop: () => clearInterval(timer) }
}

/** How far the database's clock is ahead of what this process counts, taken in the middle of the question. */
async function read(db: Db): Promise<number> {
  const asked = performance.now()
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db)
  const answered = performance.now()
  const [row] = rows
  if (row === undefined) throw new Error('The database does not tell the time.')
  return row.now - (asked + answered) / 2
}
