import { unusableReason } from '#domain/video-check/post-check.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { refusal } from '../http/parse.ts'
import type { Storage } from '../storage/storage.ts'
import type { Asker, FactsReader } from '../videos/facts.ts'
import { lockUser } from '../videos/quota.ts'
import { insertVideo } from '../videos/store.ts'
import { deleteUpload, findUpload, markUploadFinished, selectUpload, type UploadRow } from './store.ts'

export type UploadDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly facts: FactsReader
  readonly quotaBytes: number | null
  readonly now: () => number
}

/**
 * Makes a video of an upload whose bytes have all arrived. May be repeated after a crash at any point: the file is renamed, then
 * one transaction writes both rows. The caller has the upload's lock.
 * @returns the video's id
 * @throws Problem invalid for a file that is no video, or half of one: then the upload is gone
 */
export async function finishUpload(deps: UploadDeps, upload: UploadRow, asker: Asker): Promise<number> {
  const { upload_id, user_id, filename } = upload
  // The row may have been read before somebody else finished it.
  const { video_id: known } = await findUpload(deps.db, user_id, upload_id, deps.now())
  if (known !== null) return known
  const stored = await deps.storage.parts.complete(upload.storage_key)
  if (stored.size !== upload.size)
    throw new Error(`${stored.key} has ${stored.size} bytes, not ${upload.size}`)
  const facts = await deps.facts.readStored(asker, stored)
  const reason = unusableReason(facts)
  if (reason !== null) {
    // In this order: a file without a row is swept, a row without a file would take the user's room for a week.
    // Only the returned key: if the lock was lost, the file may be a video by now.
    const key = await deleteUpload(deps.db, upload_id)
    if (key !== null) await deps.storage.delete(key)
    throw refusal('invalid', { file: [reason] })
  }
  const finished = await deps.db.transaction().execute(async (trx) => {
    await lockUser(trx, user_id)
    const row = await selectUpload(trx, user_id, upload_id).select('video_id').forUpdate().executeTakeFirst()
    if (!row) return null
    if (row.video_id !== null) return row.video_id
    const { video_id } = await insertVideo(trx, user_id, { ...stored, filename }, facts)
    await markUploadFinished(trx, upload_id, video_id, deps.now())
    return video_id
  })
  // Whoever deleted the row meanwhile, with its user or not, deletes the file too, unless it is a video.
  if (finished === null) throw notFound('upload')
  return finished
}
