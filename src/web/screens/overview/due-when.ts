import type { Delivery } from '#contract/deliveries.ts'
import { isUnderWay } from '#web/posts/post.ts'
import { namedDayAndTime } from '#web/lib/format/moments.ts'

/** `now`: epoch ms. */
export type Clock = { zone: string; now: number }

/** When the first of a post's open deliveries starts, in words. */
export function dueWhen(
  deliveries: readonly Pick<Delivery, 'status' | 'due_at' | 'reason'>[],
  { zone, now }: Clock,
): string {
  if (deliveries.some(isUnderWay)) return 'publishing now'
  const due = deliveries.map(({ due_at }) => due_at ?? '').reduce((a, b) => (a < b ? a : b))
  if (Date.parse(due) <= now) return 'starting now'
  const at = namedDayAndTime(due, { zone, now })
  return deliveries.every(({ reason }) => reason?.pause) ? `paused, next try: ${at}` : at
}
