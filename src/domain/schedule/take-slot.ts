import type { SlottedPost } from './reslot.ts'
import { instantOf } from './schedule.ts'
import { isFor, slotAt, type Slot, type Week } from './slots.ts'

export type SlotRefusal = 'unknown' | 'past' | 'platforms' | 'taken'

type SlotRequest<P extends string> = {
  readonly local: string
  readonly platforms: readonly P[]
}

export function takeSlot<P extends string>(
  week: Week<P>,
  posts: readonly Pick<SlottedPost, 'at'>[],
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
