import { sql } from 'kysely'
import { DELIVERY_STATES } from '#contract/deliveries.ts'
import type { Outage } from '#domain/delivery/overdue.ts'
import type { Db } from '#base/db/open.ts'

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
    // Of workers that start at once, the first records the outage; the others wait for the row.
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

/** A clock was wrong, and has been set back: what ended in times to come was none. */
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

const SENT_STATES = DELIVERY_STATES.filter((state) => state !== 'cancelled')

/**
 * How many posts to the same platform account were due from `from` on and before this one. Counted by time alone, so every worker
 * gets the same answer whatever their states are.
 */
export async function countAhead(
  db: Db,
  {
    deliveryId,
    from,
    graceMs,
  }: { readonly deliveryId: number; readonly from: number; readonly graceMs: number },
): Promise<number> {
  const own = await db
    .selectFrom('deliveries')
    .select('goes_out_at')
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst()
  const at = own?.goes_out_at?.getTime() ?? from
  // One that an earlier outage has put off is among those that were due with it.
  const { ahead } = await countAheadQuery(db, {
    deliveryId,
    from: at < from ? at - graceMs : from,
  }).executeTakeFirstOrThrow()
  return ahead
}

export const countAheadQuery = (db: Db, it: { readonly deliveryId: number; readonly from: number }) =>
  db
    .selectFrom('deliveries as own')
    .innerJoin('accounts as mine', 'mine.account_id', 'own.account_id')
    .innerJoin('accounts as same', (join) =>
      join.onRef('same.platform', '=', 'mine.platform').onRef('same.external_id', '=', 'mine.external_id'),
    )
    .innerJoin('deliveries as other', 'other.account_id', 'same.account_id')
    .select((eb) => eb.fn.countAll<number>().as('ahead'))
    .where('own.delivery_id', '=', it.deliveryId)
    .where('other.state', 'in', SENT_STATES)
    .where('other.goes_out_at', '>=', new Date(it.from))
    .where('other.goes_out_at', '<=', (eb) =>
      eb.selectFrom('deliveries').select('goes_out_at').where('delivery_id', '=', it.deliveryId),
    )
    .where(sql<boolean>`(other.goes_out_at, other.delivery_id) < (own.goes_out_at, own.delivery_id)`)
