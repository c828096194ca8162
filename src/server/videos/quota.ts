import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/** Bytes of all that a user has stored. */
export async function readStorageUsed(db: Db, userId: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (coalesce((select sum(size) from videos where user_id = ${userId} and deleted_at is null), 0)
      + coalesce((select sum(p.size) from posters p join videos v on v.video_id = p.video_id
                  where v.user_id = ${userId} and v.deleted_at is null), 0)
      + coalesce((select sum(size) from pictures where user_id = ${userId}), 0))::bigint as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}
