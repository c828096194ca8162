import { sql } from 'kysely'
import { VIDEO_POSTS_COUNTED_MAX } from '#contract/limits.ts'
import type { Video, VideoFacts } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import type { StoredFile } from '../storage/storage.ts'
import { recordEvent } from '../webhooks/record-events.ts'
import { mimeOf, toVideo, type VideoRow } from './video.ts'

/** The states in which a post has no more use for its video. */
export const DONE = ['published', 'in_inbox', 'failed', 'cancelled']

/** Part of the transaction that takes the file in: the row owns it once it is inserted. */
export async function insertVideo(
  trx: Db,
  userId: number,
  file: StoredFile,
  facts: VideoFacts,
): Promise<VideoRow> {
  const row = await trx
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
  const type = 'video.ready'
  await recordEvent(trx, { userId, type, now: row.created_at.getTime() }, () => ({
    type,
    data: { video: toVideo({ ...row, poster_token: null, tags: [], post_count: 0, draft_count: 0 }) },
  }))
  return row
}

/** A stored file is kept while a row has it; the row of a deleted video does not count. */
export async function isKept(db: Db, storageKey: string): Promise<boolean> {
  const keyIn = (table: 'videos' | 'posters' | 'pictures' | 'uploads') =>
    db.selectFrom(table).select('storage_key').where('storage_key', '=', storageKey)
  const row = await keyIn('videos')
    .where('deleted_at', 'is', null)
    .union(keyIn('posters'))
    .union(keyIn('pictures'))
    .union(
      db
        .selectFrom('brands')
        .select('logo_key as storage_key')
        .where('logo_key', '=', storageKey)
        .$narrowType<{ storage_key: string }>(),
    )
    .union(keyIn('uploads').where('video_id', 'is', null))
    .executeTakeFirst()
  return row !== undefined
}

/** @throws Problem not_found */
export async function findVideo(db: Db, userId: number, videoId: number): Promise<Video> {
  const video = await findVideoIfKept(db, userId, videoId)
  if (!video) throw notFound('video')
  return video
}

/** Null: deleted, or somebody else's. */
export async function findVideoIfKept(db: Db, userId: number, videoId: number): Promise<Video | null> {
  const row = await videosWithDetails(db, userId).where('videos.video_id', '=', videoId).executeTakeFirst()
  return row ? toVideo(row) : null
}

/** The user's videos with all that `toVideo` needs. Uses are counted for each row, so limit the rows. */
export const videosWithDetails = (db: Db, userId: number) =>
  selectVideos(db, userId)
    .leftJoin('posters', 'posters.video_id', 'videos.video_id')
    .select([
      'videos.video_id',
      'videos.filename',
      'videos.mime',
      'videos.size',
      'videos.sha256',
      'videos.facts',
      'videos.brand_id',
      'videos.created_at',
      'posters.token as poster_token',
      sql<
        string[]
      >`array(select t.tag from video_tags t where t.video_id = videos.video_id order by t.key)`.as('tags'),
      sql<number>`(select count(*) from (select from posts p
        where p.video_id = videos.video_id and p.deleted_at is null
        order by p.created_at limit ${sql.lit(VIDEO_POSTS_COUNTED_MAX)}) as counted)`.as('post_count'),
      sql<number>`(select count(*) from drafts d
        where d.user_id = videos.user_id and d.video_id = videos.video_id and d.deleted_at is null)`.as(
        'draft_count',
      ),
    ])

export const hasVideo = async (db: Db, userId: number): Promise<boolean> =>
  (await selectVideos(db, userId).select('videos.video_id').limit(1).executeTakeFirst()) !== undefined

/** The user's own videos, without those that were deleted. */
export const selectVideos = (db: Db, userId: number) =>
  db.selectFrom('videos').where('videos.user_id', '=', userId).where('videos.deleted_at', 'is', null)

/** One of the user's videos, as a query that callers add a lock to. */
export const selectVideo = (trx: Db, userId: number, videoId: number) =>
  selectVideos(trx, userId).where('videos.video_id', '=', videoId)

/**
 * A video that the user may post, kept from being deleted until the transaction ends.
 * @throws Problem not_found
 */
export async function lockVideo(trx: Db, userId: number, videoId: number): Promise<VideoRow> {
  const row = await selectVideo(trx, userId, videoId).selectAll().forKeyShare().executeTakeFirst()
  if (!row) throw notFound('video')
  return row
}

/** The user's videos among these; none can be deleted until the transaction ends. */
export async function lockVideos(
  trx: Db,
  userId: number,
  videoIds: readonly number[],
): Promise<ReadonlyMap<number, VideoRow>> {
  if (videoIds.length === 0) return new Map()
  const rows = await selectVideos(trx, userId)
    .where('videos.video_id', 'in', [...new Set(videoIds)])
    .selectAll()
    .orderBy('videos.video_id')
    .forKeyShare()
    .execute()
  return new Map(rows.map((row) => [row.video_id, row]))
}

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

/** Lets videos be found by the brands that they are posted for. */
export async function insertPostedBrands(
  trx: Db,
  posted: readonly { readonly videoId: number; readonly brandIds: readonly number[] }[],
): Promise<void> {
  const rows = posted.flatMap(({ videoId, brandIds }) =>
    brandIds.map((brand_id) => ({ brand_id, video_id: videoId })),
  )
  // In order, so that two concurrent posts cannot deadlock.
  const inOrder = rows.toSorted(
    (one, other) => one.video_id - other.video_id || one.brand_id - other.brand_id,
  )
  await trx
    .insertInto('posted_brands')
    .values(inOrder)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Marks a video as deleted; its media links, its picture and its tags go.
 * @returns the storage keys of its file and of its picture, to be deleted once the transaction has ended
 */
export async function markDeleted(trx: Db, videoId: number, now: number): Promise<string[]> {
  const video = await trx
    .updateTable('videos')
    .set({ deleted_at: new Date(now) })
    .where('video_id', '=', videoId)
    .returning('storage_key')
    .execute()
  for (const table of ['media_links', 'video_tags', 'posted_brands'] as const)
    await trx.deleteFrom(table).where('video_id', '=', videoId).execute()
  const posters = await trx
    .deleteFrom('posters')
    .where('video_id', '=', videoId)
    .returning('storage_key')
    .execute()
  return [...video, ...posters].map(({ storage_key }) => storage_key)
}
