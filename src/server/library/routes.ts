import type { Handlers } from '../http/mount.ts'
import { type DeleteDeps, deleteVideos } from './delete-videos.ts'
import { listVideos } from './list-videos.ts'
import { readLibrary } from './read-library.ts'
import { readVideoUsage } from './read-usage.ts'
import { updateVideo, updateVideos } from './update-videos.ts'

type LibraryCalls =
  | 'listVideos'
  | 'getLibrary'
  | 'updateVideo'
  | 'updateVideos'
  | 'readVideoUsage'
  | 'deleteVideos'

type LibraryDeps = DeleteDeps & { readonly quotaBytes: number | null }

export const libraryRoutes = ({ db, quotaBytes, ...deps }: LibraryDeps): Handlers<LibraryCalls> => ({
  listVideos: ({ user, query }) => listVideos(db, user.user_id, query),
  getLibrary: ({ user }) => readLibrary(db, user.user_id, quotaBytes),
  updateVideo: ({ user, params, body }) => updateVideo(db, user.user_id, params.videoId, body),
  updateVideos: async ({ user, body: { video_ids, ...changes } }) => ({
    videos: await updateVideos(db, user.user_id, video_ids, changes),
  }),
  readVideoUsage: async ({ user, body }) => ({
    videos: await readVideoUsage(db, user.user_id, body.video_ids),
  }),
  deleteVideos: ({ user, body }) =>
    deleteVideos({ db, ...deps }, user.user_id, body.video_ids, body.cancel_posts),
})
