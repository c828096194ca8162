import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { loginSince } from '../users/store.ts'

export type ReportKey = { readonly brandId: number; readonly month: string }
type OwnKey = ReportKey & { readonly userId: number }

/** The user's brand with its zone; undefined: it is not theirs, or was deleted. */
export const findBrand = (db: Db, userId: number, brandId: number) =>
  db
    .selectFrom('brands')
    .innerJoin('users', 'users.user_id', 'brands.user_id')
    .select(['brands.brand_id', 'brands.user_id', 'brands.title'])
    .select(sql<string>`coalesce(brands.timezone, users.timezone)`.as('timezone'))
    .where('brands.user_id', '=', userId)
    .where('brands.brand_id', '=', brandId)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

/** Addresses end with the sessions that existed when they were made. */
const isCurrent = sql<boolean>`token_hash is not null and reports.login_since is not distinct from ${loginSince(sql.ref('reports.user_id'))}`

/** @param now epoch ms */
export async function findReport(db: Db, { brandId, month }: ReportKey, now: number) {
  const row = await db
    .selectFrom('reports')
    .select(['note', 'expires_at', isCurrent.as('is_current')])
    .where('brand_id', '=', brandId)
    .where('month', '=', month)
    .executeTakeFirst()
  const expiresAt = row?.is_current ? row.expires_at : null
  return { note: row?.note ?? '', linkExpiresAt: expiresAt && expiresAt.getTime() > now ? expiresAt : null }
}

export const findShared = (db: Db, tokenHash: Buffer, now: number) =>
  db
    .selectFrom('reports')
    .select(['brand_id', 'user_id', 'month'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', new Date(now))
    .where(isCurrent)
    .executeTakeFirst()

export async function saveNote(db: Db, { brandId, month, userId }: OwnKey, note: string): Promise<void> {
  await db
    .insertInto('reports')
    .values({ brand_id: brandId, month, user_id: userId, note })
    .onConflict((conflict) => conflict.columns(['brand_id', 'month']).doUpdateSet({ note }))
    .execute()
}

/** Ends an earlier address of the report. */
export async function saveLink(
  db: Db,
  { brandId, month, userId }: OwnKey,
  link: { readonly tokenHash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  const values = {
    token_hash: link.tokenHash,
    expires_at: link.expiresAt,
    login_since: loginSince(userId),
  }
  await db
    .insertInto('reports')
    .values({ brand_id: brandId, month, user_id: userId, ...values })
    .onConflict((conflict) => conflict.columns(['brand_id', 'month']).doUpdateSet(values))
    .execute()
}

export async function endLink(db: Db, { brandId, month }: ReportKey): Promise<void> {
  await db
    .updateTable('reports')
    .set({ token_hash: null, expires_at: null })
    .where('brand_id', '=', brandId)
    .where('month', '=', month)
    .execute()
}
