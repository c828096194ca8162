import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { Storage } from '../storage/storage.ts'

const BATCH = 100

type Deps = { readonly db: Db; readonly storage: Storage; readonly now: () => number }

/** Deletes uploads that nobody continued, with what had arrived; of finished ones only the row. */
export async function deleteExpiredUploads({ db, storage, now }: Deps): Promise<void> {
  let deleted = BATCH
  while (deleted === BATCH) {
    const rows = await deleteBatch(db, now())
    for (const { storage_key, video_id } of rows) if (video_id === null) await storage.delete(storage_key)
    deleted = rows.length
  }
}

/** Without those that are being written: the lock is that of `locks.ts`, held until the rows are gone. */
async function deleteBatch(db: Db, now: number) {
  const { rows } = await sql<{ storage_key: string; video_id: number | null }>`
    with expired as materialized (
      select upload_id from uploads where expires_at <= ${new Date(now)} order by expires_at limit ${BATCH}
    ), free as materialized (
      select upload_id from expired where pg_try_advisory_xact_lock(hashtextextended('upload ' || upload_id, 0))
    )
    delete from uploads using free where uploads.upload_id = free.upload_id
      and uploads.expires_at <= ${new Date(now)} -- it may have been renewed just before its lock was free
    returning uploads.storage_key, uploads.video_id`.execute(db)
  return rows
}
