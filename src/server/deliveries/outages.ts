import { sql } from 'kysely'
import type { Outage } from '#domain/delivery/overdue.ts'
import type { Db } from '#base/db/open.ts'
import { selectWithPause } from './find-pause.ts'

const BEAT_MS = 60_000
/** Longer than a post can be overdue. */
const KEPT_MS = 400 * 86_400_000

/**
 * Call before claiming: records the worker's heartbeat and the outage that it ends, so that what is claimed next is known to be
 * late. `outageMs`: the longest gap between heartbeats that is no outage.
 */
export function createHeartbeat(
  { db, now }: { readonly db: Db; readonly now: () => number },
  outageMs: number,
): () => Promise<void> {
  let last: number | null = null
  return async () => {
    const at = now()
    if (last !== null && at >= last && at - last < BEAT_MS) return
    await recordHeartbeat(db, at, outageMs)
    last = at
  }
}

async function recordHeartbeat(db: Db, now: number, outageMs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Workers that start at the same time wait for this row: the first one records the outage.
    const { seen_at: seen } = await trx
      .selectFrom('worker_heartbeat')
      .select('seen_at')
      .forUpdate()
      .executeTakeFirstOrThrow()
    // The clocks of workers differ: one that runs behind must not record a false outage.
    const isBehind = seen !== null && seen.getTime() > now && seen.getTime() <= now + outageMs
    if (isBehind) return
    await trx
      .updateTable('worker_heartbeat')
      .set({ seen_at: new Date(now) })
      .execute()
    if (seen === null || seen.getTime() > now) return forgetAfter(trx, now + outageMs)
    if (now - seen.getTime() <= outageMs) return
    await trx
      .deleteFrom('outages')
      .where('until', '<', new Date(now - KEPT_MS))
      .execute()
    await trx
      .insertInto('outages')
      .values({ since: seen, until: new Date(now) })
      .execute()
  })
}

/** An outage that ends in the future comes from a clock that was wrong and has been set back. */
async function forgetAfter(trx: Db, at: number): Promise<void> {
  await trx.deleteFrom('outages').where('until', '>', new Date(at)).execute()
}

/** The outage that lasted at a time (epoch ms). */
export async function findOutage(db: Db, at: number): Promise<Outage | null> {
  const row = await db
    .selectFrom('outages')
    .select(['since', 'until'])
    .where('since', '<=', new Date(at))
    .where('until', '>', new Date(at))
    .orderBy('until', 'desc')
    .executeTakeFirst()
  return row ? { since: row.since.getTime(), until: row.until.getTime() } : null
}

/** The posts to the same platform account that were due in an outage, within the grace, whoever made them. */
export const selectLate = (
  db: Db,
  scope: { readonly accountId: number; readonly outage: Outage; readonly graceMs: number },
) =>
  selectWithPause(db)
    .where(
      sql<boolean>`d.account_id in (select same.account_id from accounts mine join accounts same using (platform, external_id)
        where mine.account_id = ${scope.accountId})`,
    )
    .where('d.state', '=', 'scheduled')
    .where('d.wake_at', '>=', new Date(Math.max(scope.outage.since, scope.outage.until - scope.graceMs)))
    .where('d.wake_at', '<', new Date(scope.outage.until))
    // A delivery that had started, or that its user sent again, does not wait.
    .where('d.attempt', '=', 1)
    .where('d.session', 'is', null)
