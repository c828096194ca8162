import type { Selectable } from 'kysely'
import { OPEN_UPLOADS_MAX, UPLOAD_KEPT_DAYS } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import type { Uploads } from '#base/db/tables.ts'
import { notFound, Problem } from '#base/problem.ts'
import type { Storage } from '../storage/storage.ts'
import { lockUser } from '../videos/quota.ts'

export type UploadRow = Selectable<Uploads>

export const UPLOAD_KEPT_MS = UPLOAD_KEPT_DAYS * 86_400_000

type NewUpload = Pick<
  UploadRow,
  'upload_id' | 'user_id' | 'storage_key' | 'filename' | 'upload_metadata' | 'size'
>

/** @throws Problem too_many_requests where too many of the user's uploads are unfinished */
export async function insertUpload(trx: Db, upload: NewUpload, now: number): Promise<UploadRow> {
  // Two creations at once must not both take the last place.
  await lockUser(trx, upload.user_id)
  const { open } = await trx
    .selectFrom('uploads')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('user_id', '=', upload.user_id)
    .where('video_id', 'is', null)
    .where('expires_at', '>', new Date(now))
    .executeTakeFirstOrThrow()
  if (open >= OPEN_UPLOADS_MAX)
    throw new Problem(
      'too_many_requests',
      `At most ${OPEN_UPLOADS_MAX} uploads can be unfinished. Finish or cancel some of them first.`,
      { retryAfterS: 60 },
    )
  return trx
    .insertInto('uploads')
    .values({ ...upload, expires_at: expiryFrom(now) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @throws Problem not_found */
export async function findUpload(db: Db, userId: number, uploadId: string, now: number): Promise<UploadRow> {
  const row = await selectUpload(db, userId, uploadId)
    .where('expires_at', '>', new Date(now))
    .selectAll()
    .executeTakeFirst()
  if (!row) throw notFound('upload')
  return row
}

/**
 * Bytes that have arrived.
 * @throws Problem not_found where the file was deleted meanwhile
 */
export async function readOffset({ parts }: Pick<Storage, 'parts'>, row: UploadRow): Promise<number> {
  if (row.video_id !== null) return row.size
  const size = await parts.size(row.storage_key)
  if (size === null) throw notFound('upload')
  return size
}

/** Uploads that are not a video yet, latest first; `OPEN_UPLOADS_MAX` bounds them. */
export const listOpenUploads = (db: Db, userId: number, now: number): Promise<UploadRow[]> =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('user_id', '=', userId)
    .where('video_id', 'is', null)
    .where('expires_at', '>', new Date(now))
    .orderBy('expires_at', 'desc')
    .orderBy('upload_id')
    .execute()

/** One of the user's uploads, as a query that callers add a lock to. */
export const selectUpload = (db: Db, userId: number, uploadId: string) =>
  db.selectFrom('uploads').where('user_id', '=', userId).where('upload_id', '=', uploadId)

/** Bytes have arrived: the upload is kept for another while. */
export async function renewUpload(db: Db, uploadId: string, now: number): Promise<void> {
  await db
    .updateTable('uploads')
    .set({ expires_at: expiryFrom(now) })
    .where('upload_id', '=', uploadId)
    .execute()
}

export async function markUploadFinished(
  trx: Db,
  uploadId: string,
  videoId: number,
  now: number,
): Promise<void> {
  await trx
    .updateTable('uploads')
    .set({ video_id: videoId, expires_at: expiryFrom(now) })
    .where('upload_id', '=', uploadId)
    .execute()
}

/** @returns the storage key of what had arrived; null: the file is a video now, or the row was gone */
export async function deleteUpload(db: Db, uploadId: string): Promise<string | null> {
  const row = await db
    .deleteFrom('uploads')
    .where('upload_id', '=', uploadId)
    .returning(['storage_key', 'video_id'])
    .executeTakeFirst()
  return row && row.video_id === null ? row.storage_key : null
}

const expiryFrom = (now: number) => new Date(now + UPLOAD_KEPT_MS)
