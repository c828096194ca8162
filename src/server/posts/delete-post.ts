import type { DeliveryStatus } from '#contract/deliveries.ts'
import { Problem, notFound } from '#base/problem.ts'
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
  })
}

const stillOpen = (state: DeliveryStatus): Problem =>
  new Problem(
    'in_flight',
    state === 'unconfirmed'
      ? 'This post may be live, and that is still being found out. Wait, or say what you see on the platform; then it can be deleted.'
      : 'This post is going out right now, and deleting it here would not stop that. Wait until it has an outcome.',
  )
