import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import type { QueueId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { QueuePlace } from '#contract/posts.ts'
import type { FreeSlot, Queue } from '#contract/planning/queues.ts'
import { nextSlotsQuery } from '#web/client/planning.ts'
import { useZone } from '#web/components/time/zone.tsx'
import type { Fix } from '#web/screens/compose/readiness/fixes.ts'
import { useNow } from '#web/lib/dom/use-now.ts'
import type { PlanningZone } from './planning-zone.ts'
import {
  allowedTime,
  momentOf,
  namedTime,
  proposedTime,
  timeProblemOf,
  type ChosenTime,
  type When,
} from './when.ts'

/** When a draft is to go out. */
export type Plan = Pick<DraftContent, 'publish_at' | 'queue'>

/** A place in a queue. */
export type QueueChoice = {
  /** Those that the post can go to; empty: there is none. */
  readonly queues: readonly Queue[]
  readonly place: QueuePlace
  readonly set: (place: QueuePlace) => void
  /** Its free slots, soonest first; null: not known yet. */
  readonly free: readonly FreeSlot[] | null
  /** "Tue 18:00": the next of them; null: not known, or there is none. */
  readonly next: string | null
}

type Chosen = {
  readonly when: When
  readonly time: ChosenTime
  /** What is wrong with the time or the place; null: nothing, or none is wanted. */
  readonly problem: string | null
  /** Takes a time that is allowed; null: nothing is wrong, or only the user knows. */
  readonly fix: Fix | null
  /** "Tue 18:00", or "Tue 18:00 Tokyo time"; null: no time is known. */
  readonly short: string | null
  /** Null: there is no queue to choose. */
  readonly queue: QueueChoice | null
  /** The brand whose zone the time is proposed in, where the chosen time is in another one. */
  readonly otherZone: PlanningZone | null
  readonly setWhen: (when: When) => void
  readonly setTime: (time: ChosenTime) => void
}

type Props = {
  initial: Plan
  zone: PlanningZone
  /** Those of the brands that get the post. */
  queues: readonly Queue[]
  platforms: readonly PlatformId[]
  /** Of a post that is edited: the time that it has already. It may have passed. */
  present: ChosenTime | null
  /** The queue of a free slot that was chosen before, as in the calendar; `initial` has its time. */
  slot: QueueId | null
  onPlan: (plan: Plan) => void
}

/** When the post goes out. Only a complete time is part of the draft; a partial one is kept while it is typed. */
export function useWhen({
  initial,
  zone: planning,
  queues,
  platforms,
  present,
  slot,
  onPlan,
}: Props): Chosen {
  const zone = useZone()
  const now = useNow()
  const [when, setWhen] = useState<When>(whenOf(initial))
  const [typed, setTyped] = useState<ChosenTime | null>(initial.publish_at)
  const [wanted, setWanted] = useState<QueuePlace | null>(
    initial.queue ?? (slot && { queue_id: slot, place: 'next' }),
  )
  const [isSlotOpen, setSlotOpen] = useState(slot !== null)
  const time = typed ?? proposedTime(planning.timezone, now)
  const queue = useQueueChoice(
    { queues, platforms, wanted, isChosen: when === 'queue', zone, now },
    (place) => {
      setWanted(place)
      onPlan({ publish_at: null, queue: place })
    },
  )
  // Where it is still the next one, the post takes it; else it goes out at its time without being of the queue.
  const nextSlot = queue?.free?.[0]
  if (isSlotOpen && queue && nextSlot) {
    setSlotOpen(false)
    if (when === 'time' && nextSlot.local === time.local) {
      setWhen('queue')
      queue.set(queue.place)
    }
  }
  const isPresent = present !== null && time.local === present.local && time.timezone === present.timezone
  const timeProblem = when === 'time' && !isPresent ? timeProblemOf(time, now) : null
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
    problem: when === 'queue' ? queueProblem(queue) : timeProblem,
    fix: timeProblem === null ? null : fixTo(allowedTime(time, now)),
    short: when === 'time' ? namedTime(time, { zone, now }) : when === 'queue' ? shortPlace(queue) : null,
    queue,
    otherZone: planning.brand !== null && planning.timezone !== time.timezone ? planning : null,
    setWhen: (next) => {
      setWhen(next)
      if (next === 'time') setTime(time)
      if (next === 'queue') queue?.set(queue.place)
      if (next === 'now') onPlan({ publish_at: null })
    },
    setTime,
  }
}

const whenOf = ({ publish_at, queue }: Plan): When =>
  queue !== undefined ? 'queue' : publish_at === null ? 'now' : 'time'

type QueueProps = Pick<Props, 'queues' | 'platforms'> & {
  wanted: QueuePlace | null
  isChosen: boolean
  zone: string
  now: number
}

/** The place in a queue that is wanted, or first offered: the next free slot of the first queue. */
function useQueueChoice(
  { queues, platforms, wanted, isChosen, zone, now }: QueueProps,
  set: (place: QueuePlace) => void,
): QueueChoice | null {
  const [first] = queues
  const queueId = wanted?.queue_id ?? first?.queue_id ?? null
  const { data } = useQuery(nextSlotsQuery(queueId, platforms))
  if (queueId === null || (first === undefined && !isChosen)) return null
  const isOffered = queues.some(({ queue_id }) => queue_id === queueId)
  const free = isOffered ? (data?.slots ?? null) : null
  const [next] = free ?? []
  return {
    queues,
    place: { queue_id: queueId, place: wanted?.place ?? 'next' },
    set,
    free,
    next: next ? namedTime(next, { zone, now }) : null,
  }
}

const shortPlace = (queue: QueueChoice | null): string | null =>
  queue?.place.place === 'next' ? queue.next : null

function queueProblem(queue: QueueChoice | null): string | null {
  if (queue === null) return 'Choose when it goes out.'
  if (!queue.queues.some(({ queue_id }) => queue_id === queue.place.queue_id))
    return 'Choose a queue of a brand that gets the post.'
  return queue.free?.length === 0 ? 'This queue has no free slot for these accounts.' : null
}
