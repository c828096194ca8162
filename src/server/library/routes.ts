import type { Handlers } from '../http/mount.ts'
import { type DeleteDeps, deleteVideos } from './delete-videos.ts'
import { listVideos, isUsed } from './list-videos.ts'
import { readVideoUsage } from './read-usage.ts'
import { updateVideo, updateVideos } from './update-videos.ts'
import { sql } from 'kysely'
import { LIBRARY_TAGS_MAX } from '#contract/limits.ts'
import type { Library } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { readQuota, readStorageUsed } from '../videos/quota.ts'
import { selectVideos } from '../videos/store.ts'

type LibraryCalls =
  | 'listVideos'
  | 'getLibrary'
  | 'updateVideo'
  | 'updateVideos'
  | 'readVideoUsage'
  | 'deleteVideos'

type LibraryDeps = DeleteDeps & { readonly quotaBytes: number | null }

export const libraryRoutes = ({ db, quotaBytes, ...deps }: LibraryDeps): Handlers<LibraryCalls> => ({
  listVideos: ({ user, query }) => listVideos(db, user, query),
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

/** Reads the user's videos and never their posts, except for one existence check per video. */
async function readLibrary(db: Db, userId: number, quotaBytes: number | null): Promise<Library> {
  const [counts, tags, usedBytes, quota] = await Promise.all([
    selectVideos(db, userId)
      .select((eb) => [
        eb.fn.countAll<number>().as('videos'),
        sql<number>`count(*) filter (where not ${isUsed(userId)})`.as('unused'),
      ])
      .executeTakeFirstOrThrow(),
    readTags(db, userId),
    readStorageUsed(db, userId),
    readQuota(db, userId, quotaBytes),
  ])
  return { ...counts, tags, storage: { used_bytes: usedBytes, quota_bytes: quota } }
}

/** One spelling of each tag. */
const readTags = (db: Db, userId: number) =>
  db
    .selectFrom('video_tags')
    .select((eb) => [eb.fn.min('tag').as('tag'), eb.fn.countAll<number>().as('videos')])
    .where('user_id', '=', userId)
    .groupBy('key')
    .orderBy('key')
    .limit(LIBRARY_TAGS_MAX)
    .execute()
