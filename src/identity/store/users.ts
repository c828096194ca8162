import { sql } from 'kysely'
import type { RawBuilder, Selectable } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '#base/db/open.ts'
import type { IdentityFederated, IdentityUsers } from '#base/db/tables.ts'

/** Who a user is at another provider, such as `google.com`. */
export type FederatedAccount = Pick<
  Selectable<IdentityFederated>,
  'provider_id' | 'raw_id' | 'email' | 'display_name' | 'photo_url'
>

/** A user as stored. Without address, password and other accounts: an anonymous one. */
export type IdentityUser = Selectable<IdentityUsers> & { readonly federated: FederatedAccount[] }

export const findByEmail = (db: Db, email: string): Promise<IdentityUser | undefined> =>
  usersWithAccounts(db).where('email', '=', email).executeTakeFirst()

export const findByUid = (db: Db, uid: string): Promise<IdentityUser | undefined> =>
  usersWithAccounts(db).where('uid', '=', uid).executeTakeFirst()

/** Finds a user whom nobody else changes until the transaction ends. */
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

export const usersWithAccounts = (db: Db) =>
  db.selectFrom('identity_users').selectAll().select(federatedOf('identity_users').as('federated'))

/** The accounts at other providers, as one more column of a query on users. */
export const federatedOf = (table: string): RawBuilder<FederatedAccount[]> => sql`(
  select coalesce(
    json_agg(
      json_build_object(
        'provider_id', provider_id, 'raw_id', raw_id, 'email', email, 'display_name', display_name, 'photo_url', photo_url
      )
      order by linked_at
    ),
    '[]'
  )
  from identity_federated
  where identity_federated.uid = ${sql.ref(`${table}.uid`)}
)`

export type NewIdentityUser = {
  readonly uid: string
  readonly email: string | null
  readonly displayName: string | null
  readonly passwordHash: string | null
}

/** @returns undefined when the address or the uid is taken. */
export async function insertUser(
  db: Db,
  user: NewIdentityUser,
  now: Date,
): Promise<IdentityUser | undefined> {
  const made = await db
    .insertInto('identity_users')
    .values({
      uid: user.uid,
      email: user.email,
      display_name: user.displayName,
      password_hash: user.passwordHash,
      password_updated_at: user.passwordHash === null ? null : now,
      valid_since: wholeSeconds(now),
      created_at: now,
      last_login_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && { ...made, federated: [] }
}

/** Tokens count in seconds: what is compared with them must too. */
export const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000)

/** From when on tokens of a user are good again after a change now: a token of this very second must not outlive it. */
export const nextSecond = (time: Date): Date => new Date(wholeSeconds(time).getTime() + 1000)

/**
 * Runs a change that may set an address which somebody else has: two may want the same one at once, and the database lets
 * one of them have it. It knows no other way to say no.
 */
export async function unlessTaken<T>(change: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'identity_users_email_key') return 'taken'
    throw error
  }
}
