import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from './db/open.ts'

export type Clock = {
  /** Whole epoch ms, so that a time read back from the database equals the one that was stored. */
  now(): number
  stop(): void
}

const READ_EVERY_MS = 20_000

/**
 * The database's clock, advanced between readings by this machine's monotonic clock: a wrong or changed clock of one server
 * then moves no post. @throws when the first reading fails; after a later failure the last offset stays in use.
 */
export async function openClock(db: Db, log: Pick<Logger, 'warn'>): Promise<Clock> {
  // The first reading may have waited for a connection to open, so its range can be seconds wide.
  const { min, max } = await readOffset(db)
  let offsetMs = clamp((min + max) / 2, await readOffset(db))
  const timer = setInterval(() => {
    readOffset(db).then(
      (range) => {
        offsetMs = clamp(offsetMs, range)
      },
      (error: unknown) =>
        log.warn({ err: error }, "could not read the database's clock: the last offset stays in use"),
    )
  }, READ_EVERY_MS)
  timer.unref()
  return { now: () => Math.floor(performance.now() + offsetMs), stop: () => clearInterval(timer) }
}

/**
 * In ms. The database read its clock at an unknown moment between query and reply, so a reading gives a range for the
 * offset. Clamping to the range never moves the clock further away from the true offset.
 */
type OffsetRange = { readonly min: number; readonly max: number }

const clamp = (offsetMs: number, { min, max }: OffsetRange): number => Math.min(Math.max(offsetMs, min), max)

async function readOffset(db: Db): Promise<OffsetRange> {
  const asked = performance.now()
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db)
  const answered = performance.now()
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no time.')
  return { min: row.now - answered, max: row.now - asked }
}
