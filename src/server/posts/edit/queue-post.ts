import type { Post, QueuePlace } from '#contract/posts.ts'
import type { ConfirmRepeat } from '#contract/deliveries.ts'
import { isEditable, isReleasedByTime } from '#domain/delivery/by-user.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { stateToShow } from '../../deliveries/record.ts'
import { refuseRepeats } from '../../deliveries/repeats.ts'
import { reschedulePost } from '../../deliveries/reschedule-post.ts'
import { assertOfBrand, placePost } from '../../schedules/place-post.ts'
import { lockInOrder, platformsOf } from '../../schedules/queued-posts.ts'
import { findQueue, lockQueues } from '../../schedules/store.ts'
import type { PostDeps } from '../create-post.ts'
import { getPost } from '../read.ts'
import { started } from './edited-delivery.ts'
import { type LockedDelivery, lockDeliveries, lockPostRow, readAccountsOf, readQueueOf } from './store.ts'

/**
 * Gives a post of which nothing has started a place in a queue.
 * @throws Problem not_found; in_flight where something of it has started or ended; invalid where no slot is free
 * or the queue is of another brand; slot_not_free where the chosen slot is not; already_posted as for `editPost`
 */
export function queuePost(
  deps: PostDeps,
  userId: number,
  postId: number,
  asked: QueuePlace & ConfirmRepeat,
): Promise<Post> {
  return deps.db.transaction().execute(async (trx) => {
    // The queue that it leaves is locked, too: two posts that change places would wait for each other.
    const left = await readQueueOf(trx, userId, postId)
    await lockQueues(trx, userId, { queueIds: left === null ? [asked.queue_id] : [asked.queue_id, left] })
    const queue = await findQueue(trx, userId, asked.queue_id)
    const asks = asked.confirm_repeat !== true
    const queueIds = asked.place === 'top' ? [asked.queue_id] : []
    const accountIds = asks ? await readAccountsOf(trx, userId, postId) : []
    await lockInOrder(trx, { userId, queueIds, postId, now: deps.now(), accountIds })
    const deliveries = await lockWaiting(trx, userId, postId)
    // Within its queue it moves as it likes, also where its accounts have another brand since.
    if (left !== queue.queue_id)
      assertOfBrand(
        queue,
        deliveries.map(({ brand_id }) => brand_id),
      )
    const time = await placePost(trx, deps, queue, { asked, platforms: platformsOf(deliveries), postId })
    await reschedulePost(trx, deps, { userId, postId, ...time })
    const released = deliveries.filter((one) => isReleasedByTime(stateToShow(one)))
    if (asks)
      await refuseRepeats(
        trx,
        released.map(({ delivery_id }) => delivery_id),
        'others',
      )
    return getPost(trx, userId, postId)
  })
}

/** Locks the post. @returns its deliveries that are not cancelled */
async function lockWaiting(trx: Db, userId: number, postId: number): Promise<LockedDelivery[]> {
  if ((await lockPostRow(trx, userId, postId)) === null) throw notFound('post')
  const deliveries = await lockDeliveries(trx, postId)
  const alive = deliveries.filter(({ state }) => state !== 'cancelled')
  const fixed = alive.filter((one) => !isEditable(stateToShow(one)))
  if (fixed.length > 0 || alive.length === 0) throw started(fixed.length > 0 ? fixed : deliveries)
  return alive
}
