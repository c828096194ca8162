import type { PlatformId } from '#contract/platforms/index.ts'
import type { Moment, PublishAt } from '#contract/posts.ts'
import { instantOf, localAt, whyNotAt } from '#domain/schedule/schedule.ts'
import { slotAt } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { refusal } from '../http/parse.ts'
import { otherBrand, type SlotTime, takeChosenSlot, weekOf } from './place-post.ts'
import { findQueues, lockQueues, type QueueRow } from './store.ts'

/** When something goes out: in a slot, or only at a time. */
export type Time = Omit<SlotTime, 'slot'> & { readonly slot: SlotTime['slot'] | null }

/** The queues that may have the slot that a moment means. `brandIds`: where one is looked for if none is named; 'any': in all brands. */
export async function findQueuesAt(
  db: Db,
  userId: number,
  { queue_id: named, at }: Moment,
  brandIds: readonly number[] | 'any',
): Promise<QueueRow[]> {
  if (named === null) return []
  const all = await findQueues(db, userId)
  if (named !== undefined) return all.filter(({ queue_id }) => queue_id === named)
  const ofBrands = brandIds === 'any' ? all : all.filter(({ brand_id }) => brandIds.includes(brand_id))
  return ofBrands.filter((queue) => slotAt(weekOf(queue), Date.parse(at)) !== null)
}

/** The same, locked until the transaction ends, so that nobody else gives out their slots. */
export async function lockQueuesAt(...asked: Parameters<typeof findQueuesAt>): Promise<QueueRow[]> {
  const [trx, userId] = asked
  const found = new Set((await findQueuesAt(...asked)).map(({ queue_id }) => queue_id))
  if (found.size === 0) return []
  await lockQueues(trx, userId, { queueIds: [...found] })
  return (await findQueues(trx, userId)).filter(({ queue_id }) => found.has(queue_id))
}

/**
 * What a post or draft gets that is moved to a moment: the first of the queues' slots that is for it, else only the time.
 * @throws Problem invalid for a time that cannot be chosen; not_found, invalid, slot_not_free or `noSlot` where a slot is insisted on
 */
export async function takeMoment(
  trx: Db,
  moment: Moment,
  it: {
    readonly queues: readonly QueueRow[]
    /** The brands that it goes to. Empty: not known yet. */
    readonly brandIds: readonly number[]
    readonly platforms: readonly PlatformId[]
    /** The post that moves, and the queue that it is in, where it may stay although its accounts have another brand since. */
    readonly post: { readonly postId: number; readonly queueId: number | null } | null
    /** Why it takes no slot; null: it may. */
    readonly noSlot: Problem | null
    readonly now: number
  },
): Promise<Time> {
  const { brandIds, platforms, post, now } = it
  const at = Date.parse(moment.at)
  let refused = notFound('queue')
  for (const queue of it.queues) {
    const isOfBrand =
      brandIds.length === 0 || brandIds.includes(queue.brand_id) || queue.queue_id === post?.queueId
    const local = slotAt(weekOf(queue), at)?.local ?? null
    const chosen = { local, platforms, postId: post?.postId ?? null, now, field: 'moment.at' }
    const taken = it.noSlot ?? (isOfBrand ? await takeChosenSlot(trx, queue, chosen) : otherBrand())
    if (!(taken instanceof Problem)) return taken
    refused = taken
  }
  if (moment.queue_id != null && moment.or_time !== true) throw refused
  return onlyTime(moment, now)
}

function onlyTime({ at, timezone }: Moment, now: number): Time {
  const publishAt: PublishAt = { local: localAt(Date.parse(at), timezone), timezone }
  // Of a wall clock that is there twice the first counts.
  const instant = instantOf(publishAt.local, timezone)
  const wrong = whyNotAt(instant, now)
  if (instant === null || wrong !== null) throw refusal('invalid', { 'moment.at': [wrong ?? ''] })
  return { publishAt, at: instant, slot: null }
}
