import { unusableReason } from '#domain/video-check/post-check.ts'
import type { Db } from '#base/db/open.ts'
import { Problem, notFound } from '#base/problem.ts'
import type { Handlers } from '../http/mount.ts'
import { refusal } from '../http/parse.ts'
import type { Storage } from '../storage/storage.ts'
import type { FactsReader } from './facts.ts'
import { setPoster } from './poster.ts'
import { createPlayback } from './media.ts'
import { assertRoom } from './quota.ts'
import { findVideo, insertVideo, isNeeded, markDeleted, selectVideo } from './store.ts'

type VideoDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly facts: FactsReader
  readonly quotaBytes: number | null
  readonly now: () => number
}

export const videoRoutes = (
  deps: VideoDeps,
): Handlers<'uploadVideo' | 'getVideo' | 'createPlayback' | 'deleteVideo' | 'setVideoPoster'> => ({
  uploadVideo: async ({ user, file, ip, gone }) => {
    const { user_id: userId } = user
    const facts = await deps.facts.readStored({ userId, ip, gone }, file)
    // Whatever it is called: what nobody can read as a video no platform will take.
    const reason = unusableReason(facts)
    if (reason !== null) throw refusal('invalid', { file: [reason] })
    return deps.db.transaction().execute(async (trx) => {
      await assertRoom(trx, { userId, bytes: file.size, quotaBytes: deps.quotaBytes })
      const { video_id: videoId } = await insertVideo(trx, userId, file, facts)
      return findVideo(trx, userId, videoId)
    })
  },
  getVideo: ({ user, params }) => findVideo(deps.db, user.user_id, params.videoId),
  createPlayback: ({ user, params }) => createPlayback(deps.db, user.user_id, params.videoId),
  setVideoPoster: ({ user, params, body, file }) =>
    setPoster(deps, user.user_id, {
      videoId: params.videoId,
      file,
      keepExisting: body.keep_existing === 'true',
    }),
  deleteVideo: ({ user, params }) => deleteVideo(deps, user.user_id, params.videoId),
})

/**
 * Deletes a video's file and its picture. Its row stays, for the posts that name it.
 * @throws Problem not_found; in_flight while a post still needs it
 */
async function deleteVideo(deps: VideoDeps, userId: number, videoId: number): Promise<void> {
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
