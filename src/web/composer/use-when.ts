import { useState } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import type { PostId } from '#contract/ids.ts'
import type { PlacedAccount } from '#web/api/planning.ts'
import type { SchedulePlace } from '#contract/posts.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { useOwnZone } from '#web/ui/zone.tsx'
import type { Fix } from './fixes.ts'
import { useNow } from '#web/lib/use-now.ts'
import type { PlanningZone } from './planning-zone.ts'
import {
  scheduleProblem,
  momentOfPlace,
  useScheduleChoice,
  type ScheduleChoice,
} from './use-schedule-choice.ts'
import {
  allowedTime,
  momentOf,
  namedMoment,
  defaultTime,
  findTimeProblem,
  type ChosenTime,
  type Moment,
  type When,
} from './when.ts'

/** When a draft is to go out. */
export type Plan = Pick<DraftContent, 'publish_at' | 'schedule'>

type Chosen = {
  readonly when: When
  readonly time: ChosenTime
  /** null: time and place are right, or none is wanted. */
  readonly problem: string | null
  /** Takes a time that is allowed; null: nothing is wrong, or only the user knows. */
  readonly fix: Fix | null
  /** null: none is chosen or known. */
  readonly moment: Moment | null
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
  accounts: readonly PlacedAccount[]
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
  accounts,
  present,
  postId,
  onPlan,
}: Props): Chosen {
  const zone = useOwnZone()
  const now = useNow()
  const [when, setWhen] = useState<When>(whenOf(initial))
  const [typed, setTyped] = useState<ChosenTime | null>(initial.publish_at)
  const [wanted, setWanted] = useState<SchedulePlace | null>(initial.schedule ?? null)
  const [slot] = useState(initial.schedule?.place === 'slot' ? initial.schedule : null)
  const time = typed ?? defaultTime(planning.timezone, now)
  const schedule = useScheduleChoice(
    { schedules, accounts, postId, slot, wanted, isChosen: when === 'schedule', zone, now },
    (place) => {
      setWanted(place)
      onPlan({ publish_at: null, schedule: place })
    },
  )
  const isPresent = present !== null && time.local === present.local && time.timezone === present.timezone
  const timeProblem = when === 'time' && !isPresent ? findTimeProblem(time, now) : null
  const fixTo = (allowed: ChosenTime): Fix => {
    const moment = momentOf(allowed)
    return {
      does: 'set time',
      label: moment === null ? 'Use another time' : `Use ${namedMoment(moment, { zone, now })}`,
      time: allowed,
    }
  }
  const findMoment = (): Moment | null => {
    if (when === 'time') return momentOf(time)
    return when === 'schedule' && schedule !== null ? momentOfPlace(schedule) : null
  }
  const setTime = (next: ChosenTime) => {
    setTyped(next)
    onPlan({ publish_at: momentOf(next) === null ? null : next })
  }
  return {
    when,
    time,
    problem: when === 'schedule' ? scheduleProblem(schedule, now) : timeProblem,
    fix: timeProblem === null ? null : fixTo(allowedTime(time, now)),
    moment: findMoment(),
    schedule,
    otherZone: planning.brand !== null && planning.timezone !== time.timezone ? planning : null,
    setWhen: (next) => {
      setWhen(next)
      if (next === 'time') setTime(time)
      if (next === 'schedule') schedule?.set(schedule.place)
      if (next === 'now') onPlan({ publish_at: null })
    },
    setTime,
  }
}

const whenOf = ({ publish_at, schedule }: Plan): When =>
  schedule !== undefined ? 'schedule' : publish_at === null ? 'now' : 'time'
