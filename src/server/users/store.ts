import type { Selectable } from 'kysely'
import { NICKNAME_MAX_CHARS } from '#contract/limits.ts'
import type { User } from '#contract/users.ts'
import { UserId } from '#contract/ids.ts'
import type { Db } from '#base/db/open.ts'
import type { Users } from '#base/db/tables.ts'
import { findIdentityUser } from '#identity/identity.ts'
import type { Claims, Identity } from '#identity/identity.ts'
import { wasErased } from './erase-user.ts'

export type AuthenticateDeps = {
  readonly db: Db
  readonly identity: Pick<Identity, 'verify' | 'publicSettings'>
  readonly config: { readonly signup: 'open' | 'closed' }
}

/** The user of an ID token; null if the token is invalid or its session was revoked. One query. */
export async function authenticate(deps: AuthenticateDeps, token: string): Promise<User | null> {
  const claims = await deps.identity.verify(token)
  if (!claims) return null
  const found = await findWithStanding(deps.db, claims.uid)
  if (!found) return makeMissing(deps, claims)
  const { valid_since, disabled, identity_email, ...row } = found
  const standing =
    valid_since === null || disabled === null ? null : { valid_since, disabled, email: identity_email }
  const email = addressNow(deps, claims, standing)
  if (email === null) return null
  if (email !== row.email) await follow(deps.db, claims.uid, email)
  return userOf({ ...row, email })
}

/** The current state of a user at the embedded service. */
type Standing = { readonly valid_since: Date; readonly disabled: boolean; readonly email: string | null }

/**
 * The identity's current address; null if the token no longer counts. At a hosted provider only the token counts: rows of
 * the embedded service may be left from before the server moved to that provider.
 */
function addressNow(
  { identity }: AuthenticateDeps,
  claims: Claims,
  standing: Standing | null,
): string | null {
  if (identity.publicSettings.mode === 'firebase') return claims.email
  if (!standing || standing.disabled) return null
  return claims.authTime >= standing.valid_since.getTime() / 1000 ? standing.email : null
}

const findWithStanding = (db: Db, uid: string) =>
  db
    .selectFrom('users')
    .leftJoin('identity_users as identity', 'identity.uid', 'users.uid')
    .selectAll('users')
    .select(['identity.valid_since', 'identity.disabled', 'identity.email as identity_email'])
    .where('users.uid', '=', uid)
    .executeTakeFirst()

/** Copies the identity's current address, for people who read the table. */
async function follow(db: Db, uid: string, email: string): Promise<void> {
  await db.updateTable('users').set({ email }).where('uid', '=', uid).execute()
}

/**
 * Creates the user of a valid token whose sign-up stopped after the identity was created, or whose identity the operator made.
 * Returns null for users who deleted their account, and at a hosted provider while sign-up is closed.
 */
async function makeMissing(deps: AuthenticateDeps, claims: Claims): Promise<User | null> {
  const hosted = deps.identity.publicSettings.mode === 'firebase'
  if (hosted && deps.config.signup === 'closed') return null
  const standing = (await findIdentityUser(deps.db, claims.uid)) ?? null
  const email = addressNow(deps, claims, standing)
  if (email === null || (await wasErased(deps.db, claims))) return null
  const nickname = (claims.name ?? email.split('@')[0] ?? '').trim().slice(0, NICKNAME_MAX_CHARS).trim()
  const row = await deps.db
    .insertInto('users')
    .values({ uid: claims.uid, email, nickname: nickname || 'You', timezone: 'UTC' })
    // Two calls of one page come at once; and a sign-up that was only slow has the better data.
    .onConflict((conflict) => conflict.column('uid').doUpdateSet({ email }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return userOf(row)
}

export type NewUserRow = Pick<User, 'uid' | 'email' | 'nickname' | 'timezone'>

/** Adds the user, or takes over what `authenticate` made of the same identity meanwhile. */
export async function insertUser(db: Db, { uid, email, nickname, timezone }: NewUserRow): Promise<User> {
  const row = await db
    .insertInto('users')
    .values({ uid, email, nickname, timezone })
    .onConflict((conflict) => conflict.column('uid').doUpdateSet({ nickname, timezone }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return userOf(row)
}

export async function updateUser(
  db: Db,
  user: User,
  change: { nickname: string } | { timezone: string },
): Promise<User> {
  const row = await db
    .updateTable('users')
    .set(change)
    .where('user_id', '=', user.user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return userOf({ ...row, email: user.email })
}

const userOf = (row: Selectable<Users>): User => ({
  user_id: UserId.parse(row.user_id),
  uid: row.uid,
  email: row.email,
  nickname: row.nickname,
  timezone: row.timezone,
  created_at: row.created_at.toISOString(),
})
