import { API_KEY_START } from '#contract/api-keys.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { looksLikeSecret, secretHash } from '#base/secret.ts'
import { shareReads } from '#base/share-reads.ts'
import type { Caller } from '../http/caller.ts'
import { authenticate, type AuthenticateDeps, isHosted, loginSince, toUser } from '../users/store.ts'
import { sql } from 'kysely'
import { readLimit, readScopes, readTags } from './store.ts'

/** Uses within this time of the last one that was stored are not stored. */
const USE_APART_MS = 60_000

/** A bearer token is a session's, or the secret of an API key. Null if it is not valid. @throws Problem user_disabled */
export async function authenticateCaller(deps: AuthenticateDeps, token: string): Promise<Caller | null> {
  if (token.startsWith(API_KEY_START)) return authenticateKey(deps, token.slice(API_KEY_START.length))
  const user = await authenticate(deps, token)
  return user && { user, key: null }
}

/** Costs one query, or a share of one, and once a minute the note of its use. */
async function authenticateKey(deps: AuthenticateDeps, secret: string): Promise<Caller | null> {
  if (!looksLikeSecret(secret)) return null
  const row = await findKey(deps.db, secretHash(secret))
  const now = deps.now()
  if (!row || (row.expires_at !== null && row.expires_at.getTime() <= now)) return null
  if (row.disabled_at !== null) throw new Problem('user_disabled', TEXTS.userDisabled)
  // The embedded identity service may have disabled or deleted the identity; a hosted one ends sessions only.
  if (!isHosted(deps) && row.identity_disabled !== false) return null
  if (row.last_used_at === null || now - row.last_used_at.getTime() >= USE_APART_MS)
    await noteUse(deps.db, row.key_id, now)
  return {
    user: toUser({ ...row, created_at: row.user_created_at }, false),
    key: {
      keyId: row.key_id,
      scopes: readScopes(row.scopes),
      tags: readTags(row.tags),
      limitedTo: readLimit(row.limited_to),
    },
  }
}

const selectKeys = (db: Db, hashes: readonly Buffer[]) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .leftJoin('identity_users as identity', 'identity.uid', 'users.uid')
    .select([
      'api_keys.key_id',
      'api_keys.secret_hash',
      'api_keys.scopes',
      'api_keys.tags',
      'api_keys.limited_to',
      'api_keys.expires_at',
      'api_keys.last_used_at',
      'users.user_id',
      'users.uid',
      'users.email',
      'users.nickname',
      'users.timezone',
      'users.created_at as user_created_at',
      'users.disabled_at',
      'identity.disabled as identity_disabled',
    ])
    .where('secret_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .where('api_keys.login_since', 'is not distinct from', loginSince(sql.ref('users.user_id')))
    .execute()

const waiting = new WeakMap<Db, Map<string, Buffer>>()

/** Reads the keys of all calls that wait. */
const readKeys = shareReads(async (db: Db) => {
  const hashes = [...(waiting.get(db)?.values() ?? [])]
  waiting.delete(db)
  const rows = await selectKeys(db, hashes)
  return new Map(rows.map((row) => [row.secret_hash.toString('hex'), row]))
})

/**
 * One read at a time for all, so that guesses keep one connection busy and not those of users. A revoked key is refused at once: each
 * call is checked by a read that began after it arrived.
 */
async function findKey(db: Db, hash: Buffer) {
  const hashes = waiting.get(db) ?? new Map<string, Buffer>()
  waiting.set(db, hashes.set(hash.toString('hex'), hash))
  const found = await readKeys(db, 'keys')
  return found.get(hash.toString('hex'))
}

async function noteUse(db: Db, keyId: number, now: number): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: new Date(now) })
    .where('key_id', '=', keyId)
    .where((key) =>
      key.or([key('last_used_at', 'is', null), key('last_used_at', '<=', new Date(now - USE_APART_MS))]),
    )
    .execute()
}
