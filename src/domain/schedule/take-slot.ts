import type { QueuedPost } from './reslot.ts'
import { instantOf } from './schedule.ts'
import { isFor, slotAt, type Slot, type Week } from './slots.ts'

/** The reason why a slot is refused. */
export type SlotRefusal = 'unknown' | 'past' | 'platforms' | 'taken'

type SlotRequest<P extends string> = {
  /** The slot's wall clock in the zone of the week. */
  readonly local: string
  readonly platforms: readonly P[]
}

/** The slot at a chosen wall clock, for a post to these platforms. */
export function takeSlot<P extends string>(
  week: Week<P>,
  posts: readonly Pick<QueuedPost, 'at'>[],
  { local, platforms }: SlotRequest<P>,
  { now, until }: { readonly now: number; readonly until: number },
): Slot<P> | SlotRefusal {
  const at = instantOf(local, week.timeZone)
  if (at === null || at >= until) return 'unknown'
  const slot = slotAt(week, at)
  if (slot?.local !== local) return 'unknown'
  if (at <= now) return 'past'
  if (!isFor(slot, platforms)) return 'platforms'
  return posts.some((post) => post.at === at) ? 'taken' : slot
}
