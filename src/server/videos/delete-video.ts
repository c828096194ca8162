import type { Kysely } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import { Problem, notFound } from '#base/problem.ts'
import type { Storage } from '../storage/storage.ts'
import { isNeeded, markDeleted, selectVideo } from './store.ts'

/**
 * Deletes a video's file and its picture. Its row stays, for the posts that name it.
 * @throws Problem not_found; in_flight while a post still needs it
 */
export async function deleteVideo(
  deps: { readonly db: Kysely<DB>; readonly storage: Storage; readonly now: () => number },
  userId: number,
  videoId: number,
): Promise<void> {
  const keys = await deps.db.transaction().execute(async (trx) => {
    const video = await selectVideo(trx, userId, videoId).select('video_id').forUpdate().executeTakeFirst()
    if (!video) throw notFound('video')
    if (await isNeeded(trx, videoId))
      throw new Problem(
        'in_flight',
        "A post still needs this video. Cancel the post, or wait until it's out.",
      )
    return markDeleted(trx, videoId, deps.now())
  })
  for (const key of keys) await deps.storage.delete(key)
}
