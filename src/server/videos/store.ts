import type { Video, VideoFacts } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import type { StoredFile } from '../storage/storage.ts'
import { mimeOf, toVideo, type VideoRow } from './video.ts'

/** The states in which a post has no more use for its video. */
export const DONE = ['published', 'in_inbox', 'failed', 'cancelled']

/** Takes over a stored file: from here on its row answers for it. */
export function insertVideo(db: Db, userId: number, file: StoredFile, facts: VideoFacts): Promise<VideoRow> {
  return db
    .insertInto('videos')
    .values({
      user_id: userId,
      storage_key: file.key,
      filename: file.filename,
      mime: mimeOf(facts),
      size: file.size,
      sha256: file.sha256,
      facts: JSON.stringify(facts),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Whether a row answers for this stored file. */
export async function isKept(db: Db, storageKey: string): Promise<boolean> {
  const keyIn = (table: 'videos' | 'posters' | 'pictures') =>
    db.selectFrom(table).select('storage_key').where('storage_key', '=', storageKey)
  const row = await keyIn('videos').union(keyIn('posters')).union(keyIn('pictures')).executeTakeFirst()
  return row !== undefined
}

/** @throws Problem not_found */
export async function findVideo(db: Db, userId: number, videoId: number): Promise<Video> {
  const row = await withPictures(db, userId).where('videos.video_id', '=', videoId).executeTakeFirst()
  if (!row) throw notFound('video')
  return toVideo(row, row.poster_token)
}

export async function listVideos(db: Db, userId: number): Promise<Video[]> {
  const rows = await withPictures(db, userId)
    .orderBy('videos.created_at', 'desc')
    .orderBy('videos.video_id', 'desc')
    .execute()
  return rows.map((row) => toVideo(row, row.poster_token))
}

const withPictures = (db: Db, userId: number) =>
  videosOf(db, userId)
    .leftJoin('posters', 'posters.video_id', 'videos.video_id')
    .selectAll('videos')
    .select('posters.token as poster_token')

/** The user's own videos, without those that were deleted. */
const videosOf = (db: Db, userId: number) =>
  db.selectFrom('videos').where('videos.user_id', '=', userId).where('videos.deleted_at', 'is', null)

/** One of the user's videos, as a query that callers add a lock to. */
export const videoOf = (trx: Db, userId: number, videoId: number) =>
  videosOf(trx, userId).where('videos.video_id', '=', videoId)

/**
 * A video that the user may post, kept from being deleted until the transaction ends.
 * @throws Problem not_found
 */
export async function lockVideo(trx: Db, userId: number, videoId: number): Promise<VideoRow> {
  const row = await videoOf(trx, userId, videoId).selectAll().forKeyShare().executeTakeFirst()
  if (!row) throw notFound('video')
  return row
}

/** Whether a post still needs this video. */
export async function isNeeded(trx: Db, videoId: number): Promise<boolean> {
  const needed = await trx
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .select('deliveries.delivery_id')
    .where('posts.video_id', '=', videoId)
    .where('deliveries.state', 'not in', DONE)
    .limit(1)
    .executeTakeFirst()
  return needed !== undefined
}

/**
 * Marks a video as deleted; its media links and its picture go.
 * @returns the storage key of the picture, if it had one
 */
export async function markDeleted(trx: Db, videoId: number, now: number): Promise<string[]> {
  await trx
    .updateTable('videos')
    .set({ deleted_at: new Date(now) })
    .where('video_id', '=', videoId)
    .execute()
  await trx.deleteFrom('media_links').where('video_id', '=', videoId).execute()
  const posters = await trx
    .deleteFrom('posters')
    .where('video_id', '=', videoId)
    .returning('storage_key')
    .execute()
  return posters.map(({ storage_key }) => storage_key)
}
