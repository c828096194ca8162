import type { Post } from '#contract/posts.ts'
import { cancelPost } from './cancel-post.ts'
import type { PostDeps } from './create-post.ts'
import { getPost } from './read.ts'
import { insertWithdrawnKey, lockKey } from './store.ts'

/**
 * Ends an idempotency key: a request that arrives later makes nothing. A post that was made already is cancelled as far as
 * nothing of it can be out; with `keepPost` it stays as it is.
 * @returns that post; null: there is none, or it was deleted
 */
export async function withdrawPost(
  deps: PostDeps,
  userId: number,
  key: string,
  keepPost: boolean,
): Promise<Post | null> {
  return deps.db.transaction().execute(async (trx) => {
    const { post } = await lockKey(trx, userId, key)
    if (!post) {
      await insertWithdrawnKey(trx, userId, key, deps.now())
      return null
    }
    if (!keepPost) await cancelPost(trx, deps, userId, post.post_id)
    return post.deleted_at === null ? getPost(trx, userId, post.post_id) : null
  })
}
