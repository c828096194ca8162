import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { ApiKey, KeyLimit } from '#contract/api-keys.ts'
import { API } from '#contract/api/api.ts'
import { type Endpoint } from '#contract/http/endpoint.ts'
import { KEY_SCOPES, type KeyScope, TAGS, type Tag } from '#contract/http/key-rights.ts'
import { API_KEYS_MAX } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import type { ApiKeys } from '#base/db/tables.ts'
import { notFound } from '#base/problem.ts'
import { loginSince } from '../users/store.ts'

const Scopes = z.array(z.enum(KEY_SCOPES))
const Tags = z.array(z.enum(TAGS))
export const readLimit = (stored: unknown): KeyLimit | null => KeyLimit.nullable().parse(stored)
export const readScopes = (stored: unknown) => Scopes.parse(stored)
/** A kind that a newer version knew does not matter here. */
export const readTags = (stored: readonly string[]): Tag[] =>
  Tags.parse(stored.filter((tag) => (TAGS as readonly string[]).includes(tag)))

/** The kinds of resources that keys can reach today. */
const reachable = (): Tag[] => {
  const endpoints: readonly Endpoint[] = Object.values(API)
  return TAGS.filter((tag) =>
    endpoints.some((one) => one.tag === tag && (KEY_SCOPES as readonly string[]).includes(one.auth)),
  )
}

const rowsOf = (db: Db, userId: number) =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .select((eb) =>
      eb(sql.ref('api_keys.login_since'), 'is not distinct from', loginSince(userId)).as('is_current'),
    )
    .where('user_id', '=', userId)

type Row = Selectable<ApiKeys> & { readonly is_current: unknown }

function toApiKey(row: Row, now: number): ApiKey {
  const tags = readTags(row.tags)
  const isExpired = row.expires_at !== null && row.expires_at.getTime() <= now
  return ApiKey.parse({
    key_id: row.key_id,
    name: row.name,
    prefix: row.prefix,
    scopes: readScopes(row.scopes),
    limited_to: readLimit(row.limited_to),
    status: row.is_current !== true ? 'ended' : isExpired ? 'expired' : 'active',
    lacks: reachable().filter((tag) => !tags.includes(tag)),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  })
}

export async function listApiKeys(db: Db, userId: number, now: number): Promise<ApiKey[]> {
  const rows = await rowsOf(db, userId).orderBy('key_id', 'desc').execute()
  return rows.map((row) => toApiKey(row, now))
}

/** @throws Problem not_found */
export async function getApiKey(
  db: Db,
  { userId, keyId, now }: { readonly userId: number; readonly keyId: number; readonly now: number },
): Promise<ApiKey> {
  const row = await rowsOf(db, userId).where('key_id', '=', keyId).executeTakeFirst()
  if (!row) throw notFound('API key')
  return toApiKey(row, now)
}

/** Until the transaction ends, no other makes a key of the user's. @returns true at the maximum number */
export async function lockHasAllKeys(trx: Db, userId: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys ${userId}`}, 0))`.execute(trx)
  const rows = await trx.selectFrom('api_keys').select('key_id').where('user_id', '=', userId).execute()
  return rows.length >= API_KEYS_MAX
}

/** @throws Problem not_found if a brand or an account is not the user's */
export async function assertOwn(db: Db, userId: number, { brand_ids, account_ids }: KeyLimit): Promise<void> {
  const { rows } = await sql<{ brands: number; accounts: number }>`select
    (select count(*)::int from brands where user_id = ${userId} and deleted_at is null
      and brand_id = any (${brand_ids}::bigint[])) as brands,
    (select count(*)::int from accounts where user_id = ${userId} and unlinked_at is null
      and account_id = any (${account_ids}::bigint[])) as accounts`.execute(db)
  if (rows[0]?.brands !== new Set(brand_ids).size) throw notFound('brand')
  if (rows[0].accounts !== new Set(account_ids).size) throw notFound('account')
}

export async function insertApiKey(
  trx: Db,
  key: {
    readonly userId: number
    readonly name: string
    readonly scopes: readonly KeyScope[]
    readonly limitedTo: KeyLimit | null
    readonly prefix: string
    readonly secretHash: Buffer
    readonly now: number
    /** Epoch ms; null: never. */
    readonly expiresAt: number | null
  },
): Promise<number> {
  const { key_id } = await trx
    .insertInto('api_keys')
    .values({
      user_id: key.userId,
      name: key.name,
      prefix: key.prefix,
      secret_hash: key.secretHash,
      scopes: [...key.scopes],
      tags: reachable(),
      limited_to: key.limitedTo && JSON.stringify(key.limitedTo),
      login_since: loginSince(key.userId),
      created_at: new Date(key.now),
      expires_at: key.expiresAt === null ? null : new Date(key.expiresAt),
    })
    .returning('key_id')
    .executeTakeFirstOrThrow()
  return key_id
}

type OwnKey = { readonly userId: number; readonly keyId: number }

/** Lets the key reach what keys can reach today. */
export async function extendApiKey(db: Db, { userId, keyId }: OwnKey): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ tags: reachable() })
    .where('key_id', '=', keyId)
    .where('user_id', '=', userId)
    .execute()
}

/** @throws Problem not_found */
export async function deleteApiKey(db: Db, { userId, keyId }: OwnKey): Promise<void> {
  const row = await db
    .deleteFrom('api_keys')
    .where('key_id', '=', keyId)
    .where('user_id', '=', userId)
    .returning('key_id')
    .executeTakeFirst()
  if (!row) throw notFound('API key')
}

/** Whoever has the secret of a key may end it. */
export async function deleteKeyOfSecret(db: Db, secretHash: Buffer): Promise<void> {
  await db.deleteFrom('api_keys').where('secret_hash', '=', secretHash).execute()
}
