import { sql } from 'kysely'
import type { Schedule, ScheduleSlot } from '#contract/planning/schedules.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'

/** A posting schedule as it is stored, with the zone that its slots are in. */
export type ScheduleRow = {
  readonly schedule_id: number
  readonly user_id: number
  readonly brand_id: number
  readonly name: string
  readonly timezone: string
  readonly paused_at: Date | null
  readonly paused_until: Date | null
  readonly jitter_minutes: number
  readonly version: number
  readonly slots: ScheduleSlot[]
}

const selectSchedules = (db: Db) =>
  db
    .selectFrom('schedules as s')
    .innerJoin('brands as b', 'b.brand_id', 's.brand_id')
    .innerJoin('users as u', 'u.user_id', 's.user_id')
    .select([
      's.schedule_id',
      's.user_id',
      's.brand_id',
      's.name',
      's.paused_at',
      's.paused_until',
      's.jitter_minutes',
      's.version',
      sql<string>`coalesce(b.timezone, u.timezone)`.as('timezone'),
      sql<ScheduleSlot[]>`(
        select coalesce(json_agg(json_build_object('weekday', slot.weekday, 'time', slot.time, 'platforms', slot.platforms)
          order by slot.weekday, slot.time), '[]')
        from schedule_slots slot where slot.schedule_id = s.schedule_id)`.as('slots'),
    ])
    .where('s.deleted_at', 'is', null)
    .orderBy('s.schedule_id')

const known = (row: ScheduleRow): ScheduleRow => ({ ...row, timezone: knownZone(row.timezone) })

type Which = { readonly brandId?: number | undefined; readonly limit?: number }

/** The query for the schedules of all the user's brands, or of one. */
export function selectUserSchedules(db: Db, userId: number, { brandId, limit }: Which) {
  let all = selectSchedules(db).where('s.user_id', '=', userId)
  if (brandId !== undefined) all = all.where('s.brand_id', '=', brandId)
  return limit === undefined ? all : all.limit(limit)
}

export const findSchedules = async (db: Db, userId: number, which: Which = {}): Promise<ScheduleRow[]> =>
  (await selectUserSchedules(db, userId, which).execute()).map(known)

/** @throws Problem not_found */
export async function findSchedule(db: Db, userId: number, scheduleId: number): Promise<ScheduleRow> {
  const row = await selectSchedules(db)
    .where('s.user_id', '=', userId)
    .where('s.schedule_id', '=', scheduleId)
    .executeTakeFirst()
  if (!row) throw notFound('posting schedule')
  return known(row)
}

/**
 * Until the transaction ends nobody else gives out its slots.
 * @throws Problem not_found
 */
export async function lockSchedule(trx: Db, userId: number, scheduleId: number): Promise<ScheduleRow> {
  await lockSchedules(trx, userId, { scheduleIds: [scheduleId] })
  return findSchedule(trx, userId, scheduleId)
}

/** Locks some schedules or those of a brand, in order of their ids. */
export async function lockSchedules(
  trx: Db,
  userId: number,
  which: { readonly scheduleIds: readonly number[] } | { readonly brandId: number },
): Promise<void> {
  const all = trx
    .selectFrom('schedules')
    .select('schedule_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .orderBy('schedule_id')
    // New posts refer to the row, which must not wait for this.
    .forNoKeyUpdate()
  await (
    'scheduleIds' in which
      ? all.where('schedule_id', 'in', [...which.scheduleIds])
      : all.where('brand_id', '=', which.brandId)
  ).execute()
}

export const countAll = (db: Db, userId: number) =>
  db
    .selectFrom('schedules as s')
    .leftJoin('schedule_slots as slot', 'slot.schedule_id', 's.schedule_id')
    .select([
      sql<number>`count(distinct s.schedule_id)::int`.as('schedules'),
      sql<number>`count(slot.schedule_id)::int`.as('slots'),
    ])
    .where('s.user_id', '=', userId)
    .where('s.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()

/** Posts that wait, for a pause to end say, are found this long after their time. */
const WAITING_BACK_MS = 30 * 86_400_000

export async function countWaiting(
  db: Db,
  scheduleIds: readonly number[],
  now: number,
  which: 'all' | 'within their pause' = 'all',
): Promise<ReadonlyMap<number, number>> {
  if (scheduleIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('posts as p')
    .select(['p.schedule_id', sql<number>`count(*)::int`.as('waiting')])
    .where('p.schedule_id', 'in', [...scheduleIds])
    .where('p.publish_at', '>', new Date(now - WAITING_BACK_MS))
    .where('p.deleted_at', 'is', null)
    .$if(which === 'within their pause', (all) =>
      all
        .innerJoin('schedules as s', 's.schedule_id', 'p.schedule_id')
        .where(sql<boolean>`(s.paused_until is null or p.publish_at < s.paused_until)`),
    )
    // With `offset` it is asked for each post, and never planned as a join with all deliveries.
    .where(
      sql<boolean>`exists (select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join([...UNDECIDED])}) offset 0)`,
    )
    .groupBy('p.schedule_id')
    .execute()
  return new Map(rows.map(({ schedule_id, waiting }) => [schedule_id ?? 0, waiting]))
}

export const toSchedule = (row: ScheduleRow, waiting: number): Schedule => ({
  schedule_id: row.schedule_id as Schedule['schedule_id'], // ids come out of the database unbranded
  brand_id: row.brand_id as Schedule['brand_id'],
  name: row.name,
  timezone: row.timezone,
  paused: row.paused_at !== null,
  paused_until: row.paused_until?.toISOString() ?? null,
  jitter_minutes: row.jitter_minutes,
  slots: row.slots,
  waiting,
  version: row.version,
})

export async function insertSchedule(
  trx: Db,
  fields: {
    readonly userId: number
    readonly brandId: number
    readonly name: string
    readonly jitterMinutes: number
  },
): Promise<number> {
  const { schedule_id } = await trx
    .insertInto('schedules')
    .values({
      user_id: fields.userId,
      brand_id: fields.brandId,
      name: fields.name,
      jitter_minutes: fields.jitterMinutes,
    })
    .returning('schedule_id')
    .executeTakeFirstOrThrow()
  return schedule_id
}

export async function updateSchedule(
  trx: Db,
  scheduleId: number,
  fields: { readonly name: string; readonly jitterMinutes: number },
): Promise<void> {
  await trx
    .updateTable('schedules')
    .set((eb) => ({
      name: fields.name,
      jitter_minutes: fields.jitterMinutes,
      version: eb('version', '+', 1),
    }))
    .where('schedule_id', '=', scheduleId)
    .execute()
}

export async function replaceSlots(
  trx: Db,
  scheduleId: number,
  slots: readonly ScheduleSlot[],
): Promise<void> {
  await trx.deleteFrom('schedule_slots').where('schedule_id', '=', scheduleId).execute()
  const rows = slots.map((slot) => ({ schedule_id: scheduleId, ...slot }))
  await trx.insertInto('schedule_slots').values(rows).execute()
}

/** Posts keep their times; those that were to come are no longer of a schedule. */
export async function markScheduleDeleted(trx: Db, scheduleId: number, now: number): Promise<void> {
  await trx
    .updateTable('schedules')
    .set({ deleted_at: new Date(now), paused_at: null, paused_until: null })
    .where('schedule_id', '=', scheduleId)
    .execute()
  await trx
    .updateTable('posts')
    .set({ schedule_id: null, slot_local: null })
    .where('schedule_id', '=', scheduleId)
    .where('publish_at', '>', new Date(now - WAITING_BACK_MS))
    .execute()
}
