import { Problem, notFound } from '#base/problem.ts'
import type { Handlers } from '../http/mount.ts'
import { setPoster } from './poster.ts'
import { fetchVideo } from './fetch-video.ts'
import { createPlayback } from './media.ts'
import { storeVideo, type VideoDeps } from './store-video.ts'
import { findVideo, isNeeded, markDeleted, selectVideo } from './store.ts'

export const videoRoutes = (
  deps: VideoDeps,
): Handlers<
  'uploadVideo' | 'fetchVideo' | 'getVideo' | 'createPlayback' | 'deleteVideo' | 'setVideoPoster'
> => ({
  uploadVideo: ({ user, file, ip, gone }) =>
    storeVideo(deps, { userId: user.user_id, ip, gone }, { file, field: 'file' }),
  fetchVideo: ({ user, body, ip, gone }) => fetchVideo(deps, { userId: user.user_id, ip, gone }, body),
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
