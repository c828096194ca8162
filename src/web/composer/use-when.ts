import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { DraftContent } from '#contract/drafts.ts'
import type { PostId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { SchedulePlace } from '#contract/posts.ts'
import type { FreeSlot, Schedule, scheduleEndpoints } from '#contract/planning/schedules.ts'
import { nextSlotsQuery } from '#web/api/planning.ts'
import { useZone } from '#web/ui/zone.tsx'
import type { Fix } from './fixes.ts'
import { useNow } from '#web/lib/use-now.ts'
import type { PlanningZone } from './planning-zone.ts'
import {
  allowedTime,
  momentOf,
  namedMoment,
  namedTime,
  defaultTime,
  findTimeProblem,
  type ChosenTime,
  type When,
} from './when.ts'

/** When a draft is to go out. */
export type Plan = Pick<DraftContent, 'publish_at' | 'schedule'>

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
  /** What each place but a slot would mean; null: not known. */
  readonly placements: Placements | null
  /** A free slot that was chosen before, as in the calendar, and can be chosen again; null: none. */
  readonly slot: SlotPlace | null
}

export type SlotPlace = Extract<SchedulePlace, { place: 'slot' }>
type Placements = Pick<z.infer<typeof scheduleEndpoints.listNextSlots.reply>, 'top' | 'bottom'>

type Chosen = {
  readonly when: When
  readonly time: ChosenTime
  /** What is wrong with the time or the place; null: nothing, or none is wanted. */
  readonly problem: string | null
  /** Takes a time that is allowed; null: nothing is wrong, or only the user knows. */
  readonly fix: Fix | null
  /** "Tue 18:00", or "Tue 18:00 Tokyo time"; null: no time is known. */
  readonly short: string | null
  /** Null: there is no schedule to choose. */
  readonly schedule: ScheduleChoice | null
  /** The brand whose zone the time is proposed in, where the chosen time is in another one. */
  readonly otherZone: PlanningZone | null
  readonly setWhen: (when: When) => void
  readonly setTime: (time: ChosenTime) => void
}

type Props = {
  initial: Plan
  zone: PlanningZone
  /** Those of the brands that get the post. */
  schedules: readonly Schedule[]
  platforms: readonly PlatformId[]
  /** Of a post that is edited: the time that it has already. It may have passed. */
  present: ChosenTime | null
  /** The post that is edited; null: a new one. */
  postId: PostId | null
  onPlan: (plan: Plan) => void
}

/** When the post goes out. Only a complete time is part of the draft; a partial one is kept while it is typed. */
export function useWhen({
  initial,
  zone: planning,
  schedules,
  platforms,
  present,
  postId,
  onPlan,
}: Props): Chosen {
  const zone = useZone()
  const now = useNow()
  const [when, setWhen] = useState<When>(whenOf(initial))
  const [typed, setTyped] = useState<ChosenTime | null>(initial.publish_at)
  const [wanted, setWanted] = useState<SchedulePlace | null>(initial.schedule ?? null)
  const [slot] = useState(initial.schedule?.place === 'slot' ? initial.schedule : null)
  const time = typed ?? defaultTime(planning.timezone, now)
  const schedule = useScheduleChoice(
    { schedules, platforms, postId, slot, wanted, isChosen: when === 'slot', zone, now },
    (place) => {
      setWanted(place)
      onPlan({ publish_at: null, schedule: place })
    },
  )
  const isPresent = present !== null && time.local === present.local && time.timezone === present.timezone
  const timeProblem = when === 'time' && !isPresent ? findTimeProblem(time, now) : null
  const fixTo = (allowed: ChosenTime): Fix => ({
    does: 'set time',
    label: `Use ${namedTime(allowed, { zone, now }) ?? ''}`,
    time: allowed,
  })
  const setTime = (next: ChosenTime) => {
    setTyped(next)
    onPlan({ publish_at: momentOf(next) === null ? null : next })
  }
  return {
    when,
    time,
    problem: when === 'slot' ? scheduleProblem(schedule, now) : timeProblem,
    fix: timeProblem === null ? null : fixTo(allowedTime(time, now)),
    short:
      when === 'time'
        ? namedTime(time, { zone, now })
        : when === 'slot'
          ? shortPlace(schedule, { zone, now })
          : null,
    schedule,
    otherZone: planning.brand !== null && planning.timezone !== time.timezone ? planning : null,
    setWhen: (next) => {
      setWhen(next)
      if (next === 'time') setTime(time)
      if (next === 'slot') schedule?.set(schedule.place)
      if (next === 'now') onPlan({ publish_at: null })
    },
    setTime,
  }
}

const whenOf = ({ publish_at, schedule }: Plan): When =>
  schedule !== undefined ? 'slot' : publish_at === null ? 'now' : 'time'

type ScheduleProps = Pick<Props, 'schedules' | 'platforms' | 'postId'> & {
  slot: SlotPlace | null
  wanted: SchedulePlace | null
  isChosen: boolean
  zone: string
  now: number
}

/** The place in a schedule that is wanted, or first offered: the next free slot of the first schedule. */
function useScheduleChoice(
  { schedules, platforms, postId, slot, wanted, isChosen, zone, now }: ScheduleProps,
  set: (place: SchedulePlace) => void,
): ScheduleChoice | null {
  const [first] = schedules
  const scheduleId = wanted?.schedule_id ?? first?.schedule_id ?? null
  const { data } = useQuery(nextSlotsQuery({ scheduleId, platforms, postId }))
  if (scheduleId === null || (first === undefined && !isChosen)) return null
  const isOffered = schedules.some(({ schedule_id }) => schedule_id === scheduleId)
  const free = isOffered ? (data?.slots ?? null) : null
  const [next] = free ?? []
  return {
    schedules,
    place: wanted ?? { schedule_id: scheduleId, place: 'next' },
    set,
    free,
    next: next ? namedMoment(next.at, next.timezone, { zone, now }) : null,
    placements: isOffered ? (data ?? null) : null,
    slot,
  }
}

function shortPlace(schedule: ScheduleChoice | null, it: { zone: string; now: number }): string | null {
  if (schedule === null) return null
  const { place, schedules, placements } = schedule
  if (place.place === 'slot') return namedTime(place.slot, it)
  if (place.place === 'next') return schedule.next
  const timezone = schedules.find(({ schedule_id }) => schedule_id === place.schedule_id)?.timezone
  const at = placements?.[place.place]?.at
  return timezone === undefined || at === undefined ? null : namedMoment(at, timezone, it)
}

function scheduleProblem(schedule: ScheduleChoice | null, now: number): string | null {
  if (schedule === null) return 'Choose when it goes out.'
  if (!schedule.schedules.some(({ schedule_id }) => schedule_id === schedule.place.schedule_id))
    return 'Choose a posting schedule of a brand that gets the post.'
  if (schedule.place.place === 'slot') {
    const at = momentOf(schedule.place.slot)
    return at !== null && Date.parse(at) <= now ? 'This slot has passed. Choose a later one.' : null
  }
  return schedule.free?.length === 0 ? 'This schedule has no free slot for these accounts.' : null
}
