import type { Post, PostChange, PublishAt } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { isReleasedByTime } from '#domain/delivery/by-user.ts'
import { lockPlatformAccounts } from '../../deliveries/late-posts.ts'
import { refuseRepeats } from '../../deliveries/repeats.ts'
import { describeMove } from '../../deliveries/reschedule-post.ts'
import { lockVideo } from '../../videos/store.ts'
import { type PostDeps, publishTimeOf } from '../create-post.ts'
import { getPost } from '../read.ts'
import { lockLinkedAccounts, storePostWords } from '../store.ts'
import { editContent } from './edit-content.ts'
import { applyEdit, type EditedDelivery, started, toEdited } from './edited-delivery.ts'
import {
  bumpVersion,
  leaveQueueOfOtherBrand,
  lockDeliveries,
  lockPostRow,
  readAccountsOf,
  readPostBefore,
  updateGoesOutAt,
  updatePublishTime,
} from './store.ts'

/**
 * Changes what of a post has not started: all of it or nothing.
 * @throws Problem not_found; conflict for another version; in_flight where it concerns a delivery that has started; invalid;
 * platform_off; already_posted where a new time releases what its account has by another post
 */
export async function editPost(
  deps: PostDeps,
  userId: number,
  postId: number,
  change: PostChange,
): Promise<Post> {
  return deps.db.transaction().execute(async (trx) => {
    await editPostIn(trx, deps, { userId, postId, change })
    return getPost(trx, userId, postId)
  })
}

type Edit = { readonly userId: number; readonly postId: number; readonly change: PostChange }

/** Part of a transaction. */
export async function editPostIn(trx: Db, deps: PostDeps, { userId, postId, change }: Edit): Promise<void> {
  const now = deps.now()
  const around = hasContent(change) ? await lockAround(trx, { userId, postId, change }) : null
  const post = await lockPostRow(trx, userId, postId)
  if (post === null) throw notFound('post')
  if (post.version !== change.version) throw new Problem('conflict', CHANGED)
  const publishAt = newTime(change, post)
  const asks = publishAt !== undefined && change.confirm_repeat !== true
  if (asks) await lockPlatformAccounts(trx, await readAccountsOf(trx, userId, postId))
  const deliveries = (await lockDeliveries(trx, postId)).map(toEdited)
  const publishTime = publishAt === undefined ? post.publish_at?.getTime() : publishTimeOf(publishAt, now)
  if (around !== null) {
    const { text, video_id: videoId } = post
    const goesOutAt = Math.max(publishTime ?? now, now)
    const content = { ...around, post: { postId, text, videoId }, deliveries, change, goesOutAt, now }
    await editContent(trx, deps, { userId, ...content })
    await storePostWords(trx, postId)
    if (change.targets) await leaveQueueOfOtherBrand(trx, postId)
  }
  if (publishAt !== undefined) {
    const move = { userId, postId, publishAt, publishTime: publishTime ?? null, now }
    const moved = toMove(deliveries, change)
    await movePost(trx, deps, moved, move)
    const released = moved.filter(({ state }) => isReleasedByTime(state))
    if (asks)
      await refuseRepeats(
        trx,
        released.map(({ deliveryId }) => deliveryId),
        'others',
      )
  }
  await bumpVersion(trx, postId)
}

const CHANGED = 'This post was changed somewhere else, perhaps in another tab.'

const hasContent = ({ text, video_id, targets }: PostChange): boolean =>
  text !== undefined || video_id !== undefined || targets !== undefined

type Timed = { readonly publish_local: string | null; readonly timezone: string | null }

/** undefined: it stays where it is, in its queue and although its time has passed. */
function newTime({ publish_at }: PostChange, post: Timed): PublishAt | null | undefined {
  const isSame =
    publish_at?.local === (post.publish_local ?? undefined) &&
    publish_at?.timezone === (post.timezone ?? undefined)
  return isSame ? undefined : publish_at
}

/** @throws Problem in_flight where nothing of it can be moved any more */
function toMove(deliveries: readonly EditedDelivery[], { targets }: PostChange): readonly EditedDelivery[] {
  const named = targets?.map(({ account_id }): number => account_id)
  const waiting = deliveries.filter(
    ({ stage, accountId }) => stage === 'waiting' && (named?.includes(accountId) ?? true),
  )
  const present = new Set(deliveries.map(({ accountId }) => accountId))
  const hasNew = named?.some((accountId) => !present.has(accountId)) ?? false
  if (waiting.length === 0 && !hasNew) throw started(deliveries)
  return waiting
}

/** Locks accounts, then the video, then the post: the order in which posts are made, and accounts and videos deleted. */
async function lockAround(trx: Db, { userId, postId, change }: Edit) {
  const before = await readPostBefore(trx, userId, postId)
  if (before === null) throw notFound('post')
  const ids = change.targets?.map(({ account_id }): number => account_id) ?? before.accounts
  const accounts = await lockLinkedAccounts(trx, userId, ids)
  const video = await lockVideo(trx, userId, change.video_id ?? before.video_id)
  return { accounts, video }
}

type Move = {
  readonly userId: number
  readonly postId: number
  readonly publishAt: PublishAt | null
  readonly publishTime: number | null
  readonly now: number
}

/** Gives what has not started its new time. */
async function movePost(
  trx: Db,
  deps: PostDeps,
  waiting: readonly EditedDelivery[],
  { userId, postId, publishAt, publishTime, now }: Move,
): Promise<void> {
  const dueAt = publishTime ?? now
  const event = { type: 'rescheduled', dueAt } as const
  for (const { deliveryId, state } of waiting) {
    const line = describeMove(publishAt, state)
    await applyEdit(trx, deps, { deliveryId, userId, event, now, line })
  }
  await updatePublishTime(trx, postId, { publishAt, publishTime })
  await updateGoesOutAt(
    trx,
    waiting.map(({ deliveryId }) => deliveryId),
    dueAt,
  )
}
