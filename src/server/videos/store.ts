import type { Kysely, Selectable } from 'kysely'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { type Video, VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/video-facts.ts'
import type { Db } from '#base/db/open.ts'
import type { DB, Videos } from '#base/db/tables.ts'
import { Problem, notFound } from '#base/problem.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'

export type VideoRow = Selectable<Videos>

/** The states in which a post has no more use for its video. */
export const DONE = ['published', 'failed', 'cancelled']

/** `posterToken` null: the video has no picture. */
export function toVideo(row: VideoRow, posterToken: string | null): Video {
  const facts = factsOf(row)
  return {
    video_id: row.video_id as Video['video_id'], // ids come out of the database unbranded
    filename: row.filename,
    mime: servedMime(row.mime),
    size: row.size,
    sha256: row.sha256,
    facts,
    findings: PLATFORM_IDS.flatMap((platform) => checkVideo(facts, row.size, platform)),
    poster_url: posterUrl(posterToken),
    created_at: row.created_at.toISOString(),
  }
}

/** A row whose facts cannot be read is shown as an unknown video: one of them must not hide all others. */
export function factsOf(row: { readonly video_id: number; readonly facts: unknown }): VideoFacts {
  const facts = VideoFacts.safeParse(row.facts)
  if (facts.success) return facts.data
  warnOfUnreadable('video', row.video_id, facts.error)
  return UNKNOWN_FACTS
}

/** Where the picture of that token is served; see `poster.ts`. */
export const posterUrl = (token: string | null): string | null =>
  token === null ? null : `/posters/${token}`

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

/** By what the file is, never by what the browser called it: it is served and sent to platforms under this type. */
const mimeOf = ({ container }: VideoFacts): string => MIME[container] ?? UNKNOWN_MIME

const UNKNOWN_MIME = 'application/octet-stream'
const MIME: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  ogg: 'video/ogg',
  ts: 'video/mp2t',
}
const MIMES: ReadonlySet<string> = new Set(Object.values(MIME))

/** The type of a stored video; rows of earlier versions may hold whatever a browser said. */
export const servedMime = (mime: string): string => (MIMES.has(mime) ? mime : UNKNOWN_MIME)

/** Whether a row answers for this stored file. */
export async function isKept(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('videos')
    .select('video_id')
    .where('storage_key', '=', storageKey)
    .union(db.selectFrom('posters').select('video_id').where('storage_key', '=', storageKey))
    .executeTakeFirst()
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
    const video = await videoOf(trx, userId, videoId).select('storage_key').forUpdate().executeTakeFirst()
    if (!video) throw notFound('video')
    const needed = await trx
      .selectFrom('deliveries')
      .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
      .select('deliveries.delivery_id')
      .where('posts.video_id', '=', videoId)
      .where('deliveries.state', 'not in', DONE)
      .limit(1)
      .executeTakeFirst()
    if (needed)
      throw new Problem(
        'in_flight',
        "A post still needs this video. Cancel the post, or wait until it's out.",
      )
    await trx
      .updateTable('videos')
      .set({ deleted_at: new Date(deps.now()) })
      .where('video_id', '=', videoId)
      .execute()
    await trx.deleteFrom('media_links').where('video_id', '=', videoId).execute()
    const poster = await trx
      .deleteFrom('posters')
      .where('video_id', '=', videoId)
      .returning('storage_key')
      .executeTakeFirst()
    return poster ? [video.storage_key, poster.storage_key] : [video.storage_key]
  })
  for (const key of keys) await deps.storage.delete(key)
}
