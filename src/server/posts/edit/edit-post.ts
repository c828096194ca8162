import type { Post, PostChange, PublishAt } from '#contract/posts.ts'
import { accountName } from '#contract/accounts.ts'
import { isEditable } from '#domain/delivery/by-user.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { stateToShow } from '../../deliveries/record.ts'
import { applyUserEvent } from '../../deliveries/store.ts'
import { type PostDeps, publishTimeOf } from '../create-post.ts'
import { getPost } from '../read.ts'
import {
  bumpVersion,
  lockDeliveries,
  type LockedDelivery,
  lockPostRow,
  updateGoesOutAt,
  updatePublishTime,
} from './store.ts'

/**
 * Changes what of a post has not started: all of it or nothing.
 * @throws Problem not_found; conflict for another version; in_flight where it concerns a delivery that has started; invalid
 */
export async function editPost(
  deps: PostDeps,
  userId: number,
  postId: number,
  change: PostChange,
): Promise<Post> {
  const now = deps.now()
  return deps.db.transaction().execute(async (trx) => {
    const post = await lockPostRow(trx, userId, postId)
    if (post === null) throw notFound('post')
    if (post.version !== change.version) throw new Problem('conflict', CHANGED)
    const deliveries = await lockDeliveries(trx, postId)
    if (change.publish_at !== undefined) {
      await movePost(trx, deps, { userId, postId, deliveries, publishAt: change.publish_at, now })
    }
    await bumpVersion(trx, postId)
    return getPost(trx, userId, postId)
  })
}

const CHANGED = 'This post was changed somewhere else, perhaps in another tab.'

type Move = {
  readonly userId: number
  readonly postId: number
  readonly deliveries: readonly LockedDelivery[]
  readonly publishAt: PublishAt | null
  readonly now: number
}

/** Gives what has not started its new time. @throws Problem in_flight where everything has; invalid for the time */
async function movePost(trx: Db, deps: PostDeps, it: Move): Promise<void> {
  const publishTime = publishTimeOf(it.publishAt, it.now)
  const waiting = it.deliveries.filter((one) => isEditable(stateToShow(one)))
  if (waiting.length === 0) throw started(it.deliveries)
  const dueAt = publishTime ?? it.now
  const event = { type: 'rescheduled', dueAt } as const
  const line = describeMove(it.publishAt)
  for (const { delivery_id: deliveryId } of waiting)
    await applyEdit(trx, deps, { deliveryId, userId: it.userId, event, now: it.now, line })
  await updatePublishTime(trx, it.postId, { publishAt: it.publishAt, publishTime })
  const ids = waiting.map(({ delivery_id }) => delivery_id)
  await updateGoesOutAt(trx, ids, dueAt)
}

type Edit = {
  readonly deliveryId: number
  readonly userId: number
  readonly event: DeliveryEvent
  readonly now: number
  readonly line: string
}

/** To a delivery that this transaction has locked and found to be editable. */
async function applyEdit(trx: Db, { encrypter }: PostDeps, edit: Edit): Promise<void> {
  const result = await applyUserEvent(trx, encrypter, edit)
  if (result === null || 'refused' in result)
    throw new Error(`Delivery ${edit.deliveryId} changed while it was locked.`)
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The line of the timeline. */
const describeMove = (publishAt: PublishAt | null): string =>
  publishAt === null
    ? 'Moved: it goes out now.'
    : `Moved to ${DAY.format(Date.parse(`${publishAt.local}Z`))}, ${publishAt.local.slice(11)} (${publishAt.timezone}).`

/** @param deliveries those that the change concerns and that are not to be changed any more */
const started = (deliveries: readonly LockedDelivery[]): Problem => {
  const names = deliveries.map(accountName).join(', ')
  return new Problem(
    'in_flight',
    `Posting to ${names} has started or ended already, so that can't be changed any more.`,
  )
}
