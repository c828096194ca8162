import type { BulkPosts, BulkResult } from '#contract/planning/bulk-posts.ts'
import type { ZonedTime } from '#contract/posts.ts'
import { notFound, Problem } from '#base/problem.ts'
import { cancelPost } from '../cancel-post.ts'
import type { PostDeps } from '../create-post.ts'
import { deletePost } from '../delete-post.ts'
import { lockFailures, lockPost, lockUndecidedDeliveries } from '../store.ts'
import { applyUserEvents } from '../../deliveries/store.ts'
import { duplicatePost } from './duplicate-post.ts'
import { editPost, editPostIn } from './edit-post.ts'
import { findSchedulesOfPost, findVersion, lockPostRow } from './store.ts'

type PostId = BulkPosts['post_ids'][number]

/** Each post has a transaction of its own, so that a refusal stops no other. */
export function bulkPosts(deps: PostDeps, userId: number, asked: BulkPosts): Promise<BulkResult> {
  return forEachPost([...new Set(asked.post_ids)], (postId) => doOne(deps, userId, postId, asked))
}

/** Refused posts are listed with their reasons. `null`: nothing was done to the post. */
export async function forEachPost(
  postIds: readonly PostId[],
  work: (postId: PostId) => Promise<BulkResult['done'][number] | null>,
): Promise<BulkResult> {
  const result: BulkResult = { done: [], refused: [] }
  for (const postId of postIds) {
    try {
      const done = await work(postId)
      if (done !== null) result.done.push(done)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      result.refused.push({ post_id: postId, message: messageOf(error) })
    }
  }
  return result
}

const messageOf = ({ message, errors }: Problem): string => Object.values(errors ?? {})[0]?.[0] ?? message

async function doOne(
  deps: PostDeps,
  userId: number,
  postId: PostId,
  asked: BulkPosts,
): Promise<BulkResult['done'][number]> {
  switch (asked.action) {
    case 'delete':
      await deletePost(deps, userId, postId)
      return { post_id: postId }
    case 'cancel':
      await cancel(deps, userId, postId)
      return { post_id: postId }
    case 'move':
      await (asked.next_slots ? moveToNextSlot : move)(deps, userId, postId, asked)
      return { post_id: postId }
    case 'dismiss':
      await dismiss(deps, userId, postId)
      return { post_id: postId }
    case 'duplicate':
      return { post_id: postId, draft_id: await duplicatePost(deps, userId, postId) }
  }
}

/** Deliveries that are on their way go on. @throws Problem conflict if none can be cancelled */
async function cancel(deps: PostDeps, userId: number, postId: number): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    if (!(await lockPost(trx, userId, postId))) throw notFound('post')
    const undecided = await lockUndecidedDeliveries(trx, postId)
    const open = await cancelPost(trx, deps, userId, postId)
    if (undecided.length === 0) throw new Problem('conflict', 'This post has nothing left to cancel.')
    if (open.length === undecided.length)
      throw new Problem('in_flight', 'This post is already going out and can no longer be cancelled.')
  })
}

/** @throws Problem conflict if no failure is left to dismiss */
async function dismiss(deps: PostDeps, userId: number, postId: number): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    if (!(await lockPost(trx, userId, postId))) throw notFound('post')
    const failures = await lockFailures(trx, postId)
    if (failures.length === 0) throw new Problem('conflict', 'Nothing in this post failed.')
    const event = { type: 'dismiss' } as const
    await applyUserEvents(
      trx,
      deps.encrypter,
      failures.map(({ delivery_id: deliveryId }) => ({ deliveryId, userId, event })),
      deps.now(),
    )
  })
}

async function move(deps: PostDeps, userId: number, postId: PostId, asked: BulkPosts): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const post = await lockPostRow(trx, userId, postId)
    if (post === null) throw notFound('post')
    const version = seenVersion(asked, postId) ?? post.version
    const publish_at = newTime(asked, postId) ?? laterBy(post, asked.by_minutes ?? 0)
    await editPostIn(trx, deps, {
      userId,
      postId,
      change: { version, publish_at, confirm_repeat: asked.confirm_repeat },
    })
  })
}

/** @throws Problem conflict without a posting schedule; invalid if none has a free slot for the post */
async function moveToNextSlot(
  deps: PostDeps,
  userId: number,
  postId: PostId,
  asked: BulkPosts,
): Promise<void> {
  const version = await findVersion(deps.db, userId, postId)
  if (version === null) throw notFound('post')
  const schedules = await findSchedulesOfPost(deps.db, userId, postId)
  let refused = new Problem('conflict', 'The brand of this post has no posting schedule.')
  for (const schedule_id of schedules) {
    const change = {
      version: seenVersion(asked, postId) ?? version,
      schedule: { schedule_id, place: 'next' },
      confirm_repeat: asked.confirm_repeat,
    } as const
    try {
      await editPost(deps, userId, postId, change)
      return
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid') throw error
      refused = error
    }
  }
  throw refused
}

const seenVersion = ({ versions, post_ids }: BulkPosts, postId: PostId): number | undefined =>
  versions?.[post_ids.indexOf(postId)]

function newTime({ publish_at, apart_minutes, post_ids }: BulkPosts, postId: PostId): ZonedTime | undefined {
  if (publish_at === undefined) return undefined
  const minutes = (apart_minutes ?? 0) * post_ids.indexOf(postId)
  return laterBy({ publish_local: publish_at.local, timezone: publish_at.timezone }, minutes)
}

type Timed = { readonly publish_local: string | null; readonly timezone: string | null }

/** A day later is the same wall-clock time of the next day, also when the clocks change. */
function laterBy({ publish_local, timezone }: Timed, minutes: number): ZonedTime {
  if (publish_local === null || timezone === null)
    throw new Problem('conflict', 'This post has no time of its own. Choose a date and time for it.')
  const local = new Date(Date.parse(`${publish_local}:00Z`) + minutes * 60_000).toISOString().slice(0, 16)
  return { local, timezone }
}
