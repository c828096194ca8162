import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'

/** Bytes that a user has stored. An unfinished upload counts with its declared size. */
export async function readStorageUsed(db: Db, userId: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select ${storageUsed(sql.val(userId))} as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Selects the bytes that a user has stored. */
export const storageUsed = (userId: RawBuilder<unknown>): RawBuilder<number> => sql<number>`(
    select (coalesce((select sum(size) from videos where user_id = ${userId} and deleted_at is null), 0)
      + coalesce((select sum(p.size) from posters p join videos v on v.video_id = p.video_id
                  where v.user_id = ${userId} and v.deleted_at is null), 0)
      + coalesce((select sum(size) from pictures where user_id = ${userId}), 0)
      + coalesce((select sum(logo_size) from brands where user_id = ${userId}), 0)
      + coalesce((select sum(bytes) from drafts where user_id = ${userId}), 0)
      + coalesce((select sum(size) from uploads where user_id = ${userId} and video_id is null), 0))::bigint)`

/** @param setting for users of whom no operator has said otherwise. @returns null: there is no limit */
export async function readQuota(db: Db, userId: number, setting: number | null): Promise<number | null> {
  const row = await db
    .selectFrom('users')
    .select('quota_bytes')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.quota_bytes ?? setting
}

/**
 * Refuses what does not fit in the user's storage. In a transaction, no other one adds to it until this one ends.
 * @param quotaBytes the setting, which an operator's own value for the user overrides. null: there is no limit
 * @throws Problem quota_exceeded
 */
export async function assertRoom(
  db: Db,
  {
    userId,
    bytes,
    quotaBytes: setting,
  }: { readonly userId: number; readonly bytes: number; readonly quotaBytes: number | null },
): Promise<void> {
  const quotaBytes = await readQuota(db, userId, setting)
  if (quotaBytes === null) return
  await lockUser(db, userId)
  const left = quotaBytes - (await readStorageUsed(db, userId))
  if (bytes > left) throw storageFull(left, quotaBytes)
}

/** Reads how large a file of unknown size may be. `exceeded` makes the refusal of a larger one. */
export async function readRoom(
  db: Db,
  { userId, quotaBytes: setting }: { readonly userId: number; readonly quotaBytes: number | null },
): Promise<{ readonly bytes: number; readonly exceeded: () => Problem }> {
  const quotaBytes = await readQuota(db, userId, setting)
  const bytes = quotaBytes === null ? Infinity : quotaBytes - (await readStorageUsed(db, userId))
  return { bytes: Math.max(0, bytes), exceeded: () => storageFull(bytes, quotaBytes ?? 0) }
}

const storageFull = (left: number, quotaBytes: number): Problem =>
  new Problem(
    'quota_exceeded',
    `Your storage is full: ${amount(Math.max(0, left))} of ${amount(quotaBytes)} are left. Delete videos that you no longer need.`,
  )

/** Until the transaction ends no other one stores anything for the user. Lock rows of uploads and videos after it. */
export const lockUser = (trx: Db, userId: number) =>
  trx.selectFrom('users').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()

/** Rounded down, so that no more is promised than there is. */
const amount = (bytes: number): string =>
  bytes >= 1e9 ? `${Math.floor(bytes / 1e8) / 10} GB` : `${Math.floor(bytes / 1e5) / 10} MB`
