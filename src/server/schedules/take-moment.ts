import type { PlatformId } from '#contract/platforms/index.ts'
import type { Moment, ZonedTime } from '#contract/posts.ts'
import { instantOf, localAt, minutesAfter, whyNotAt } from '#domain/schedule/schedule.ts'
import { slotAt } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { refusal } from '../http/parse.ts'
import { otherBrand, type SlotTime, takeChosenSlot, weekOf } from './place-post.ts'
import { findSchedules, lockSchedules, type ScheduleRow } from './store.ts'

/** When a post or draft goes out. `slot` null: at a time of its own. */
export type PlannedTime = Omit<SlotTime, 'slot'> & { readonly slot: SlotTime['slot'] | null }

/** The posting schedule that a moment names, or those of `brandIds` that have a slot then. */
export async function findSchedulesAt(
  db: Db,
  userId: number,
  { schedule_id: named, at }: Moment,
  brandIds: readonly number[] | 'any',
): Promise<ScheduleRow[]> {
  if (named === null) return []
  const all = await findSchedules(db, userId)
  if (named !== undefined) return all.filter(({ schedule_id }) => schedule_id === named)
  const ofBrands = brandIds === 'any' ? all : all.filter(({ brand_id }) => brandIds.includes(brand_id))
  return ofBrands.filter((schedule) => slotAt(weekOf(schedule), Date.parse(at)) !== null)
}

/** The same, locked until the transaction ends, so that nobody else gives out their slots. */
export async function lockSchedulesAt(
  trx: Db,
  userId: number,
  moment: Moment,
  brandIds: readonly number[],
): Promise<ScheduleRow[]> {
  const schedules = await findSchedulesAt(trx, userId, moment, brandIds)
  const found = new Set(schedules.map(({ schedule_id }) => schedule_id))
  if (found.size === 0) return []
  await lockSchedules(trx, userId, { scheduleIds: [...found] })
  return (await findSchedules(trx, userId)).filter(({ schedule_id }) => found.has(schedule_id))
}

/**
 * Gives a post or draft that is moved to a moment the first of the schedules' slots that suits it, else only the time.
 * @throws Problem invalid for a time that cannot be chosen; not_found, invalid, slot_not_free or `noSlot` where only a slot will do
 */
export async function takeMoment(
  trx: Db,
  moment: Moment,
  moved: {
    readonly schedules: readonly ScheduleRow[]
    /** The brands of its accounts. Empty: no account was chosen yet, so any schedule suits. */
    readonly brandIds: readonly number[]
    readonly platforms: readonly PlatformId[]
    /** null for a draft. A post may move within its schedule even if its accounts have another brand since. */
    readonly post: { readonly postId: number; readonly scheduleId: number | null } | null
    /** Why it takes no slot; null: it may. */
    readonly noSlot: Problem | null
    /** How many minutes later the first of its accounts that moves gets it. */
    readonly least?: number
    readonly now: number
  },
): Promise<PlannedTime> {
  const { brandIds, platforms, post, now } = moved
  const at = Date.parse(moment.at)
  let refused = notFound('posting schedule')
  for (const schedule of moved.schedules) {
    const isOfBrand =
      brandIds.length === 0 ||
      brandIds.includes(schedule.brand_id) ||
      schedule.schedule_id === post?.scheduleId
    const local = slotAt(weekOf(schedule), at)?.local ?? null
    const chosen = { local, platforms, postId: post?.postId ?? null, now, field: 'moment.at' }
    const taken = moved.noSlot ?? (isOfBrand ? await takeChosenSlot(trx, schedule, chosen) : otherBrand())
    if (!(taken instanceof Problem)) return taken
    refused = taken
  }
  if (moment.schedule_id != null && moment.or_time !== true) throw refused
  return toTimeOnly(moment, moved.least ?? 0, now)
}

function toTimeOnly({ at, timezone }: Moment, least: number, now: number): PlannedTime {
  const publishAt: ZonedTime = { local: localAt(Date.parse(at), timezone), timezone }
  // If the clocks show this time twice, the first counts.
  const instant = instantOf(publishAt.local, timezone)
  const wrong = whyNotAt(instant === null ? null : minutesAfter(instant, least), now)
  if (instant === null || wrong !== null) throw refusal('invalid', { 'moment.at': [wrong ?? ''] })
  return { publishAt, at: instant, slot: null }
}
