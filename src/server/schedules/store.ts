import { sql } from 'kysely'
import type { Queue, QueueSlot } from '#contract/planning/queues.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'

/** A queue as it is stored, with the zone that its slots are in. */
export type QueueRow = {
  readonly queue_id: number
  readonly user_id: number
  readonly brand_id: number
  readonly name: string
  readonly timezone: string
  readonly paused_at: Date | null
  readonly jitter_minutes: number
  readonly version: number
  readonly slots: QueueSlot[]
}

const selectQueues = (db: Db) =>
  db
    .selectFrom('queues as q')
    .innerJoin('brands as b', 'b.brand_id', 'q.brand_id')
    .innerJoin('users as u', 'u.user_id', 'q.user_id')
    .select([
      'q.queue_id',
      'q.user_id',
      'q.brand_id',
      'q.name',
      'q.paused_at',
      'q.jitter_minutes',
      'q.version',
      sql<string>`coalesce(b.timezone, u.timezone)`.as('timezone'),
      sql<QueueSlot[]>`(
        select coalesce(json_agg(json_build_object('weekday', s.weekday, 'time', s.time, 'platforms', s.platforms)
          order by s.weekday, s.time), '[]')
        from queue_slots s where s.queue_id = q.queue_id)`.as('slots'),
    ])
    .where('q.deleted_at', 'is', null)
    .orderBy('q.queue_id')

const known = (row: QueueRow): QueueRow => ({ ...row, timezone: knownZone(row.timezone) })

type Which = { readonly brandId?: number | undefined; readonly limit?: number }

/** Of all the user's brands, or of one, as a query. */
export function queuesOf(db: Db, userId: number, { brandId, limit }: Which) {
  let all = selectQueues(db).where('q.user_id', '=', userId)
  if (brandId !== undefined) all = all.where('q.brand_id', '=', brandId)
  return limit === undefined ? all : all.limit(limit)
}

export const findQueues = async (db: Db, userId: number, which: Which = {}): Promise<QueueRow[]> =>
  (await queuesOf(db, userId, which).execute()).map(known)

/** @throws Problem not_found */
export async function findQueue(db: Db, userId: number, queueId: number): Promise<QueueRow> {
  const row = await selectQueues(db)
    .where('q.user_id', '=', userId)
    .where('q.queue_id', '=', queueId)
    .executeTakeFirst()
  if (!row) throw notFound('queue')
  return known(row)
}

/**
 * Until the transaction ends nobody else gives out its slots.
 * @throws Problem not_found
 */
export async function lockQueue(trx: Db, userId: number, queueId: number): Promise<QueueRow> {
  await lockQueues(trx, userId, { queueIds: [queueId] })
  return findQueue(trx, userId, queueId)
}

/** Locks some queues or those of a brand, in order of their ids. */
export async function lockQueues(
  trx: Db,
  userId: number,
  which: { readonly queueIds: readonly number[] } | { readonly brandId: number },
): Promise<void> {
  const all = trx
    .selectFrom('queues')
    .select('queue_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .orderBy('queue_id')
    // New posts refer to the row, which must not wait for this.
    .forNoKeyUpdate()
  await (
    'queueIds' in which
      ? all.where('queue_id', 'in', [...which.queueIds])
      : all.where('brand_id', '=', which.brandId)
  ).execute()
}

/** How many queues the user has, and slots in all of them. */
export const countAll = (db: Db, userId: number) =>
  db
    .selectFrom('queues as q')
    .leftJoin('queue_slots as s', 's.queue_id', 'q.queue_id')
    .select([
      sql<number>`count(distinct q.queue_id)::int`.as('queues'),
      sql<number>`count(s.queue_id)::int`.as('slots'),
    ])
    .where('q.user_id', '=', userId)
    .where('q.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()

/** How far back a post that waits, for a pause to end say, is looked for. */
const WAITING_BACK_MS = 30 * 86_400_000

/** How many posts wait in each of these queues. */
export async function countWaiting(
  db: Db,
  queueIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  if (queueIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('posts as p')
    .select(['p.queue_id', sql<number>`count(*)::int`.as('waiting')])
    .where('p.queue_id', 'in', [...queueIds])
    .where('p.publish_at', '>', new Date(now - WAITING_BACK_MS))
    .where('p.deleted_at', 'is', null)
    // With `offset` it is asked for each post, and never planned as a join with all deliveries.
    .where(
      sql<boolean>`exists (select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join([...UNDECIDED])}) offset 0)`,
    )
    .groupBy('p.queue_id')
    .execute()
  return new Map(rows.map(({ queue_id, waiting }) => [queue_id ?? 0, waiting]))
}

export const toQueue = (row: QueueRow, waiting: number): Queue => ({
  queue_id: row.queue_id as Queue['queue_id'], // ids come out of the database unbranded
  brand_id: row.brand_id as Queue['brand_id'],
  name: row.name,
  timezone: row.timezone,
  paused: row.paused_at !== null,
  jitter_minutes: row.jitter_minutes,
  slots: row.slots,
  waiting,
  version: row.version,
})

export async function insertQueue(
  trx: Db,
  it: {
    readonly userId: number
    readonly brandId: number
    readonly name: string
    readonly jitterMinutes: number
  },
): Promise<number> {
  const { queue_id } = await trx
    .insertInto('queues')
    .values({ user_id: it.userId, brand_id: it.brandId, name: it.name, jitter_minutes: it.jitterMinutes })
    .returning('queue_id')
    .executeTakeFirstOrThrow()
  return queue_id
}

export async function updateQueue(
  trx: Db,
  queueId: number,
  it: { readonly name: string; readonly jitterMinutes: number },
): Promise<void> {
  await trx
    .updateTable('queues')
    .set((eb) => ({ name: it.name, jitter_minutes: it.jitterMinutes, version: eb('version', '+', 1) }))
    .where('queue_id', '=', queueId)
    .execute()
}

export async function replaceSlots(trx: Db, queueId: number, slots: readonly QueueSlot[]): Promise<void> {
  await trx.deleteFrom('queue_slots').where('queue_id', '=', queueId).execute()
  const rows = slots.map((slot) => ({ queue_id: queueId, ...slot }))
  await trx.insertInto('queue_slots').values(rows).execute()
}

/** Posts keep their times; those that were to come are no longer of a queue. */
export async function markQueueDeleted(trx: Db, queueId: number, now: number): Promise<void> {
  await trx
    .updateTable('queues')
    .set({ deleted_at: new Date(now), paused_at: null })
    .where('queue_id', '=', queueId)
    .execute()
  await trx
    .updateTable('posts')
    .set({ queue_id: null, slot_local: null })
    .where('queue_id', '=', queueId)
    .where('publish_at', '>', new Date(now - WAITING_BACK_MS))
    .execute()
}
