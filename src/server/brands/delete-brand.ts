import type { AccessDeps } from '../accounts/access.ts'
import { revoke, unlink } from '../accounts/unlink-account.ts'
import { lockLinked } from '../accounts/store.ts'
import { deleteQueuesOf } from '../schedules/change-queue.ts'
import { lockQueues } from '../schedules/store.ts'
import { markDeleted } from './store.ts'

/**
 * Deletes a brand and unlinks its accounts. Its row stays for the posts that name it. @param cancelPosts the number of
 * waiting posts that the user agreed to cancel @throws Problem not_found; in_flight while one of its accounts is
 * publishing; posts_waiting if the number differs
 */
export async function deleteBrand(
  deps: AccessDeps,
  userId: number,
  brandId: number,
  cancelPosts: number,
): Promise<void> {
  const grants = await deps.db.transaction().execute(async (trx) => {
    await markDeleted(trx, userId, brandId, deps.now())
    await lockQueues(trx, userId, { brandId })
    await lockLinked(trx, userId, { brandId })
    await deleteQueuesOf(trx, userId, brandId, deps.now())
    return unlink(trx, deps, { userId, which: { brandId }, cancelPosts })
  })
  revoke(deps, grants)
}
