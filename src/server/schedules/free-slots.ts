import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { SCHEDULES_MAX } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { FreeSlot, scheduleEndpoints } from '#contract/planning/schedules.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { placeInSchedule } from '#domain/schedule/reslot.ts'
import { isFor, type Slot, slotInstant, slotsBetween, slotsFrom } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { readBusySlots, readSlottedPosts } from './slotted-posts.ts'
import { describeMoves, spanFrom, toSlotTime, weekOf } from './place-post.ts'
import { findSchedule, selectUserSchedules, type ScheduleRow } from './store.ts'

type NextSlots = z.infer<typeof scheduleEndpoints.listNextSlots.reply>

/**
 * The next free slots of a posting schedule, and what its top and its end would mean for a post to these platforms or accounts.
 * @throws Problem not_found
 */
export async function listNextSlots(
  db: Db,
  userId: number,
  query: {
    readonly scheduleId: number
    readonly count: number
    readonly platforms: readonly PlatformId[]
    readonly accountIds: readonly number[]
    /** A post that is to move: its slot counts as free. */
    readonly postId: number | undefined
    readonly now: number
  },
): Promise<NextSlots> {
  const schedule = await findSchedule(db, userId, query.scheduleId)
  const posts = (await readSlottedPosts(db, query)).filter(({ postId }) => postId !== query.postId)
  const taken = new Set(posts.map(({ at }) => at))
  const busy = {
    schedule,
    accountIds: query.accountIds,
    postId: query.postId ?? null,
    posts,
    now: query.now,
  }
  const isBusy = await readBusySlots(db, { ...busy, moved: [] })
  const isBusyForAll = await readBusySlots(db, { ...busy, moved: posts })
  const free: FreeSlot[] = []
  const { now, until } = spanFrom(query.now)
  for (const slot of slotsFrom(weekOf(schedule), now, until)) {
    if (free.length === query.count) break
    if (!taken.has(slot.at) && !isBusy(slot.at) && isFor(slot, query.platforms))
      free.push(toFreeSlot(schedule, slot))
  }
  const placement = (place: 'top' | 'bottom'): NextSlots['top'] => {
    const placing = placeInSchedule(
      weekOf(schedule),
      posts,
      { place, platforms: query.platforms, isBusy: place === 'top' ? isBusyForAll : isBusy },
      { now, until },
    )
    if (placing === null) return null
    const at = new Date(toSlotTime(schedule, placing.slot).at).toISOString()
    return { at, moves: describeMoves(schedule, posts, placing.moves) }
  }
  return { slots: free, top: placement('top'), bottom: placement('bottom') }
}

export type SlotRows = {
  readonly schedules: readonly SlotSchedule[]
  readonly taken: readonly {
    readonly schedule_id: number
    readonly slot_local: string
    readonly timezone: string
  }[]
}
type SlotSchedule = Pick<ScheduleRow, 'schedule_id' | 'name' | 'brand_id' | 'timezone' | 'slots'>

/** Jitter puts a post up to an hour, and a clock change another one, after its slot. */
const AFTER_SLOT_MS = 3 * 3_600_000

/**
 * Selects `SlotRows` as a JSON value for a span in epoch ms. `offset` makes PostgreSQL look up the posts of each schedule by the schedule and
 * their time.
 */
export const slotRows = (
  db: Db,
  userId: number,
  span: { readonly from: number; readonly to: number; readonly brandId?: number | undefined },
): RawBuilder<SlotRows> => sql<SlotRows>`(
  with of_user as materialized (${selectUserSchedules(db, userId, { brandId: span.brandId, limit: SCHEDULES_MAX })})
  select json_build_object(
    'schedules', (select coalesce(json_agg(s order by s.schedule_id), '[]') from of_user s),
    'taken', (select coalesce(json_agg(p), '[]') from of_user s cross join lateral (
      select p.schedule_id, p.slot_local, p.timezone from posts p
      where p.schedule_id = s.schedule_id and p.deleted_at is null
        and p.publish_at >= ${new Date(span.from)} and p.publish_at < ${new Date(span.to + AFTER_SLOT_MS)}
        and exists (select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join([...UNDECIDED])}) offset 0)
      offset 0) p)))`

/**
 * The free slots to come with `from <= at < to` (epoch ms), in order of time. They are looked for in ever longer stretches, so that
 * a few of very many are found without making all.
 */
export function toFreeSlots(
  { schedules, taken }: SlotRows,
  span: { readonly from: number; readonly to: number; readonly now: number; readonly limit: number },
): FreeSlot[] {
  const has = new Set(
    taken.map(({ schedule_id, slot_local, timezone }) =>
      slotKey(schedule_id, slotInstant(slot_local, timezone)),
    ),
  )
  const known = schedules.map((schedule) => ({ ...schedule, timezone: knownZone(schedule.timezone) }))
  const free: FreeSlot[] = []
  // Both ends are left out by slotsBetween.
  let after = Math.max(span.from - 1, span.now)
  for (let days = 1; after < span.to && free.length < span.limit; days *= 2) {
    const end = Math.min(after + days * DAY_MS, span.to)
    const found = known.flatMap((schedule) =>
      slotsBetween(weekOf(schedule), after, end)
        .filter((slot) => !has.has(slotKey(schedule.schedule_id, slot.at)))
        .map((slot) => ({ at: slot.at, free: toFreeSlot(schedule, slot) })),
    )
    free.push(...found.toSorted((a, b) => a.at - b.at).map((one) => one.free))
    if (end === span.to) break
    after = end - 1
  }
  return free.slice(0, span.limit)
}

const DAY_MS = 86_400_000

const slotKey = (scheduleId: number, at: number): string => `${scheduleId} ${at}`

const toFreeSlot = (schedule: SlotSchedule, { local, at, platforms }: Slot<PlatformId>): FreeSlot => ({
  schedule_id: schedule.schedule_id as FreeSlot['schedule_id'], // ids come out of the database unbranded
  schedule_name: schedule.name,
  brand_id: schedule.brand_id as FreeSlot['brand_id'],
  local,
  timezone: schedule.timezone,
  at: new Date(at).toISOString(),
  platforms: platforms === null ? null : [...platforms],
})
