import type { Kysely } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import type { Handlers } from '../http/mount.ts'
import { listVideos } from './list-videos.ts'
import { readLibrary } from './read-library.ts'
import { updateVideo, updateVideos } from './update-videos.ts'

type LibraryDeps = { readonly db: Kysely<DB> }

export const libraryRoutes = ({
  db,
}: LibraryDeps): Handlers<'listVideos' | 'getLibrary' | 'updateVideo' | 'updateVideos'> => ({
  listVideos: ({ user, query }) => listVideos(db, user.user_id, query),
  getLibrary: ({ user }) => readLibrary(db, user.user_id),
  updateVideo: ({ user, params, body }) => updateVideo(db, user.user_id, params.videoId, body),
  updateVideos: async ({ user, body: { video_ids, ...changes } }) => ({
    videos: await updateVideos(db, user.user_id, video_ids, changes),
  }),
})
