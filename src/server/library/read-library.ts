import { sql } from 'kysely'
import { LIBRARY_TAGS_MAX } from '#contract/limits.ts'
import type { Library } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { readStorageUsed } from '../videos/quota.ts'
import { videosOf } from '../videos/store.ts'
import { isUsed } from './list-videos.ts'

/** Reads the user's videos and never their posts, except for one existence check per video. */
export async function readLibrary(db: Db, userId: number, quotaBytes: number | null): Promise<Library> {
  const [counts, tags, usedBytes] = await Promise.all([
    videosOf(db, userId)
      .select((eb) => [
        eb.fn.countAll<number>().as('videos'),
        sql<number>`count(*) filter (where not ${isUsed(userId)})`.as('unused'),
      ])
      .executeTakeFirstOrThrow(),
    readTags(db, userId),
    readStorageUsed(db, userId),
  ])
  return { ...counts, tags, storage: { used_bytes: usedBytes, quota_bytes: quotaBytes } }
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
