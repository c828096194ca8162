import { type Selectable, sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '#base/db/open.ts'
import type { IdentityUsers } from '#base/db/tables.ts'

/** Users without a password sign in by mailed links. */
export type IdentityUser = Selectable<IdentityUsers>

export const IDENTITY_USER_COLUMNS = [
  'uid',
  'email',
  'email_verified',
  'email_link',
  'display_name',
  'photo_url',
  'password_hash',
  'password_updated_at',
  'disabled',
  'valid_since',
  'created_at',
  'last_login_at',
] as const satisfies readonly (keyof IdentityUsers)[]

export const findByEmail = (db: Db, email: string): Promise<IdentityUser | undefined> =>
  db.selectFrom('identity_users').selectAll().where('email', '=', email).executeTakeFirst()

export const findByUid = (db: Db, uid: string): Promise<IdentityUser | undefined> =>
  db.selectFrom('identity_users').selectAll().where('uid', '=', uid).executeTakeFirst()

export async function lockUser(
  trx: Db,
  by: { readonly uid: string } | { readonly email: string },
): Promise<IdentityUser | undefined> {
  const locked = await trx
    .selectFrom('identity_users')
    .select('uid')
    .where((is) => ('uid' in by ? is('uid', '=', by.uid) : is('email', '=', by.email)))
    .forUpdate()
    .executeTakeFirst()
  return locked && findByUid(trx, locked.uid)
}

/** Also revokes issued ID tokens. */
export async function setDisabled(db: Db, uid: string, disabled: boolean, now: Date): Promise<void> {
  await db
    .updateTable('identity_users')
    .set({ disabled, valid_since: laterValidSince(now) })
    .where('uid', '=', uid)
    .execute()
}

export type NewIdentityUser = {
  readonly uid: string
  readonly email: string
  readonly displayName: string | null
  readonly passwordHash: string | null
  /** By a provider that the user has just logged in at. */
  readonly emailVerified?: boolean
}

/** @returns undefined when the address or uid exists. */
export const insertUser = (db: Db, user: NewIdentityUser, now: Date): Promise<IdentityUser | undefined> =>
  db
    .insertInto('identity_users')
    .values({
      uid: user.uid,
      email: user.email,
      display_name: user.displayName,
      password_hash: user.passwordHash,
      email_verified: user.emailVerified ?? false,
      password_updated_at: user.passwordHash === null ? null : now,
      valid_since: wholeSeconds(now),
      created_at: now,
      last_login_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Token times are whole seconds. */
export const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000)

/**
 * `valid_since` after a change: tokens issued in the same second must become invalid, also those that another change in this second
 * has issued for the next one.
 */
export const laterValidSince = (now: Date) =>
  sql<Date>`greatest(${new Date(wholeSeconds(now).getTime() + 1000)}::timestamptz, valid_since + interval '1 second')`

/** Maps a violation of the unique address to `taken`: two users may claim the same address at once. */
export async function catchTakenEmail<T>(change: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'identity_users_email_key') return 'taken'
    throw error
  }
}
