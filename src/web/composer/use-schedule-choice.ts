import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { PostId } from '#contract/ids.ts'
import type { SchedulePlace } from '#contract/posts.ts'
import type { FreeSlot, Schedule, scheduleEndpoints } from '#contract/planning/schedules.ts'
import { nextSlotsQuery, type PlacedAccount } from '#web/api/planning.ts'
import { momentOf, namedMoment, type Moment } from './when.ts'

/** A place in a posting schedule. */
export type ScheduleChoice = {
  /** Those that the post can go to; empty: there is none. */
  readonly schedules: readonly Schedule[]
  readonly place: SchedulePlace
  readonly set: (place: SchedulePlace) => void
  /** Its free slots, soonest first; null: not known yet. */
  readonly free: readonly FreeSlot[] | null
  /** "Tue 18:00": the next of them; null: not known, or there is none. */
  readonly next: string | null
  /** The time that each place but a slot would give; null: not known. */
  readonly placements: Placements | null
  /** A free slot that was chosen before, as in the calendar, and can be chosen again; null: none. */
  readonly slot: SlotPlace | null
}

type SlotPlace = Extract<SchedulePlace, { place: 'slot' }>
type Placements = Pick<z.infer<typeof scheduleEndpoints.listNextSlots.reply>, 'top' | 'bottom'>

type Props = {
  /** Those of the brands that get the post. */
  schedules: readonly Schedule[]
  accounts: readonly PlacedAccount[]
  /** The post that is edited; null: a new one. */
  postId: PostId | null
  slot: SlotPlace | null
  wanted: SchedulePlace | null
  isChosen: boolean
  zone: string
  now: number
}

/** The place in a schedule that is wanted, or first offered: the next free slot of the first schedule. */
export function useScheduleChoice(
  { schedules, accounts, postId, slot, wanted, isChosen, zone, now }: Props,
  set: (place: SchedulePlace) => void,
): ScheduleChoice | null {
  const [first] = schedules
  const scheduleId = wanted?.schedule_id ?? first?.schedule_id ?? null
  const { data } = useQuery(nextSlotsQuery({ scheduleId, accounts, postId }))
  if (scheduleId === null || (first === undefined && !isChosen)) return null
  const isOffered = schedules.some(({ schedule_id }) => schedule_id === scheduleId)
  const free = isOffered ? (data?.slots ?? null) : null
  const [next] = free ?? []
  return {
    schedules,
    place: wanted ?? { schedule_id: scheduleId, place: 'next' },
    set,
    free,
    next: next ? namedMoment(next, { zone, now }) : null,
    placements: isOffered ? (data ?? null) : null,
    slot,
  }
}

/** When a post with this place goes out; null: not known. */
export function momentOfPlace({ place, schedules, free, placements }: ScheduleChoice): Moment | null {
  if (place.place === 'slot') return momentOf(place.slot)
  if (place.place === 'next') return free?.[0] ?? null
  const timezone = schedules.find(({ schedule_id }) => schedule_id === place.schedule_id)?.timezone
  const at = placements?.[place.place]?.at
  return timezone === undefined || at === undefined ? null : { at, timezone }
}

/** null: the place is right. */
export function scheduleProblem(schedule: ScheduleChoice | null, now: number): string | null {
  if (schedule === null) return 'Choose when it goes out.'
  if (!schedule.schedules.some(({ schedule_id }) => schedule_id === schedule.place.schedule_id))
    return 'Choose a posting schedule of a brand that gets the post.'
  if (schedule.place.place === 'slot') {
    const moment = momentOf(schedule.place.slot)
    return moment !== null && Date.parse(moment.at) <= now
      ? 'This slot has passed. Choose a later one.'
      : null
  }
  return schedule.free?.length === 0 ? 'This schedule has no free slot for these accounts.' : null
}
