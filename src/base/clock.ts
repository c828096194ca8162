import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from './db/open.ts'

/** The same time in every process on a database. */
export type Clock = {
  /** Whole epoch ms, so that a time read back from the database equals the one that was stored. */
  now(): number
  stop(): void
}

const READ_EVERY_MS = 20_000

/**
 * The database's clock, advanced between readings by this machine's monotonic clock. Servers store times that others read:
 * a machine whose own clock is wrong, or is set while it runs, then moves no post.
 *
 * @throws when a reading fails at the start. Later ones may fail: the last offset stays in use.
 */
export async function openClock(db: Db, log: Pick<Logger, 'warn'>): Promise<Clock> {
  const { least, most } = await readOffset(db)
  // The first reading also opened a connection, so it may be seconds wide; the second corrects it.
  let offsetMs = within(await readOffset(db), (least + most) / 2)
  const timer = setInterval(() => {
    readOffset(db).then(
      (range) => {
        offsetMs = within(range, offsetMs)
      },
      (error: unknown) =>
        log.warn({ err: error }, "could not read the database's clock: the last offset stays in use"),
    )
  }, READ_EVERY_MS)
  timer.unref()
  return { now: () => Math.floor(performance.now() + offsetMs), stop: () => clearInterval(timer) }
}

/** In ms: the database's clock was read between the question and the answer, which is all that is known where either had to wait. */
type OffsetRange = { readonly least: number; readonly most: number }

const within = ({ least, most }: OffsetRange, offsetMs: number): number =>
  Math.min(Math.max(offsetMs, least), most)

/** The database's clock minus the monotonic clock. */
async function readOffset(db: Db): Promise<OffsetRange> {
  const asked = performance.now()
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db)
  const answered = performance.now()
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no time.')
  return { least: row.now - answered, most: row.now - asked }
}
