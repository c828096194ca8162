import type { DeliveryStatus } from '#contract/deliveries.ts'
import { Problem, notFound } from '#base/problem.ts'
import { deleteWaitingFollowUps } from '../deliveries/follow-up-rows.ts'
import { deleteResultsOfPost } from '../deliveries/result-rows.ts'
import { cancelPost } from './cancel-post.ts'
import type { PostDeps } from './create-post.ts'
import { lockPost, markPostDeleted } from './store.ts'

/**
 * Takes a post off the lists for good, and cancels what of it waits.
 * @throws Problem not_found; in_flight while something of it may be going out: nothing here could stop the platform
 */
export async function deletePost(deps: PostDeps, userId: number, postId: number): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    if (!(await lockPost(trx, userId, postId))) throw notFound('post')
    const [open] = await cancelPost(trx, deps, userId, postId)
    if (open !== undefined) throw stillOpen(open)
    await markPostDeleted(trx, postId, deps.now())
    await deleteWaitingFollowUps(trx, postId)
    await deleteResultsOfPost(trx, postId)
  })
}

const stillOpen = (state: DeliveryStatus): Problem =>
  new Problem(
    'in_flight',
    state === 'unconfirmed'
      ? 'This post may be live, and Reelay is still checking. Wait, or tell us what you see on the platform; then you can delete it.'
      : "This post is publishing right now, and deleting it here wouldn't stop that. Wait until it's done.",
  )
