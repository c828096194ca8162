import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { until } from './test-server.ts'

export async function whileLocked<R>(
  db: Db,
  query: RawBuilder<unknown>,
  work: (holder: Db) => Promise<R>,
): Promise<R> {
  const holder = await db.startTransaction().execute()
  try {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(holder)
    await query.execute(holder)
    return await work(holder)
  } finally {
    await holder.rollback().execute()
  }
}

/** The process of the database in which such a query waits for a lock. */
export const waiting = (db: Db, like = '%'): Promise<number> =>
  until('a query to wait for a lock', async () => {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ilike ${like}`.execute(db)
    return rows[0]?.pid ?? null
  })

/** Cuts connections whose queries wait for a lock. */
export async function cutWaiting(db: Db, like: string): Promise<void> {
  await sql`select pg_terminate_backend(${await waiting(db, like)}::int)`.execute(db)
}
