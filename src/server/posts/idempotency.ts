import { createHash } from 'node:crypto'
import { Problem } from '#base/problem.ts'
import type { Db } from '#base/db/open.ts'
import { lockKey, type Idempotency } from './store.ts'

/** Posts made from drafts have such keys, which callers cannot send: theirs have no space. */
const isDraftKey = (key: string): boolean => key.startsWith('draft ')

/** Callers cannot send such a key either. */
export const previewKey = (token: string): string => `preview ${token}`
const isPreviewKey = (key: string): boolean => key.startsWith(previewKey(''))

/** The key of one of the posts of a request with this key. */
export const keyInBatch = (key: string, position: number): string => `batch ${key} ${position}`

/** `parts`: whatever must be the same for a request to be the same. */
export const requestHash = (...parts: readonly unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

/**
 * The post that an earlier request with the same key has made; of two at the same moment one makes it.
 * @throws Problem key_reused: for another request, preview_changed: with a token that made another post, or conflict: for a draft's other version, or its post was deleted
 */
export async function findRepeated(
  trx: Db,
  userId: number,
  { key, hash }: Idempotency,
): Promise<number | null> {
  const post = await lockKey(trx, userId, key)
  if (post && !post.idempotency_hash?.equals(hash)) {
    if (isPreviewKey(key))
      throw new Problem(
        'preview_changed',
        'This preview_token has already made a post that is not the same. Make a new dry run.',
      )
    throw isDraftKey(key)
      ? new Problem('conflict', 'This draft was published already, with something else in it.')
      : new Problem('key_reused', 'This Idempotency-Key was used for another post. Use a new key.')
  }
  if (post && post.deleted_at !== null) {
    throw new Problem(
      'conflict',
      isDraftKey(key)
        ? 'You published this draft and have since deleted the post.'
        : 'You sent this before and have since deleted the post. Sending it again makes a new post.',
    )
  }
  return post?.post_id ?? null
}
