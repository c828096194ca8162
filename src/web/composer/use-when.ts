import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { DraftContent } from '#contract/drafts.ts'
import type { PostId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { QueuePlace } from '#contract/posts.ts'
import type { FreeSlot, Queue, queueEndpoints } from '#contract/planning/queues.ts'
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
  /** What each place but a slot would mean; null: not known. */
  readonly placements: Placements | null
  /** A free slot that was chosen before, as in the calendar, and can be chosen again; null: none. */
  readonly slot: SlotPlace | null
}

export type SlotPlace = Extract<QueuePlace, { place: 'slot' }>
type Placements = Pick<z.infer<typeof queueEndpoints.listNextSlots.reply>, 'top' | 'bottom'>

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
  /** The post that is edited; null: a new one. */
  postId: PostId | null
  onPlan: (plan: Plan) => void
}

/** When the post goes out. Only a complete time is part of the draft; a partial one is kept while it is typed. */
export function useWhen({
  initial,
  zone: planning,
  queues,
  platforms,
  present,
  postId,
  onPlan,
}: Props): Chosen {
  const zone = useZone()
  const now = useNow()
  const [when, setWhen] = useState<When>(whenOf(initial))
  const [typed, setTyped] = useState<ChosenTime | null>(initial.publish_at)
  const [wanted, setWanted] = useState<QueuePlace | null>(initial.queue ?? null)
  const [slot] = useState(initial.queue?.place === 'slot' ? initial.queue : null)
  const time = typed ?? proposedTime(planning.timezone, now)
  const queue = useQueueChoice(
    { queues, platforms, postId, slot, wanted, isChosen: when === 'queue', zone, now },
    (place) => {
      setWanted(place)
      onPlan({ publish_at: null, queue: place })
    },
  )
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
    problem: when === 'queue' ? queueProblem(queue, now) : timeProblem,
    fix: timeProblem === null ? null : fixTo(allowedTime(time, now)),
    short:
      when === 'time'
        ? namedTime(time, { zone, now })
        : when === 'queue'
          ? shortPlace(queue, { zone, now })
          : null,
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

type QueueProps = Pick<Props, 'queues' | 'platforms' | 'postId'> & {
  slot: SlotPlace | null
  wanted: QueuePlace | null
  isChosen: boolean
  zone: string
  now: number
}

/** The place in a queue that is wanted, or first offered: the next free slot of the first queue. */
function useQueueChoice(
  { queues, platforms, postId, slot, wanted, isChosen, zone, now }: QueueProps,
  set: (place: QueuePlace) => void,
): QueueChoice | null {
  const [first] = queues
  const queueId = wanted?.queue_id ?? first?.queue_id ?? null
  const { data } = useQuery(nextSlotsQuery({ queueId, platforms, postId }))
  if (queueId === null || (first === undefined && !isChosen)) return null
  const isOffered = queues.some(({ queue_id }) => queue_id === queueId)
  const free = isOffered ? (data?.slots ?? null) : null
  const [next] = free ?? []
  return {
    queues,
    place: wanted ?? { queue_id: queueId, place: 'next' },
    set,
    free,
    next: next ? namedMoment(next.at, next.timezone, { zone, now }) : null,
    placements: isOffered ? (data ?? null) : null,
    slot,
  }
}

function shortPlace(queue: QueueChoice | null, it: { zone: string; now: number }): string | null {
  if (queue === null) return null
  const { place, queues, placements } = queue
  if (place.place === 'slot') return namedTime(place.slot, it)
  if (place.place === 'next') return queue.next
  const timezone = queues.find(({ queue_id }) => queue_id === place.queue_id)?.timezone
  const at = placements?.[place.place]?.at
  return timezone === undefined || at === undefined ? null : namedMoment(at, timezone, it)
}

function queueProblem(queue: QueueChoice | null, now: number): string | null {
  if (queue === null) return 'Choose when it goes out.'
  if (!queue.queues.some(({ queue_id }) => queue_id === queue.place.queue_id))
    return 'Choose a queue of a brand that gets the post.'
  if (queue.place.place === 'slot') {
    const at = momentOf(queue.place.slot)
    return at !== null && Date.parse(at) <= now ? 'This slot has passed. Choose a later one.' : null
  }
  return queue.free?.length === 0 ? 'This queue has no free slot for these accounts.' : null
}
