import type { Db } from '#base/db/open.ts'
import type { JsonValue } from '#base/db/tables.ts'
import { revoke } from './federated.ts'
import { federatedOf, findByUid, nextSecond, unlessTaken, wholeSeconds } from './users.ts'
import type { IdentityUser } from './users.ts'

// What whoever runs the server does with users.

/** By which a user may be named. */
export type Named = {
  readonly uids: readonly string[]
  readonly emails: readonly string[]
  readonly accounts: readonly { readonly provider: string; readonly rawId: string }[]
}

export const findUsers = (db: Db, { uids, emails, accounts }: Named): Promise<IdentityUser[]> =>
  db
    .selectFrom('identity_users')
    .selectAll()
    .select(federatedOf('identity_users').as('federated'))
    .where((user) =>
      user.or([
        ...uids.map((uid) => user('uid', '=', uid)),
        ...emails.map((email) => user('email', '=', email)),
        ...accounts.map(({ provider, rawId }) =>
          user(
            'uid',
            '=',
            user
              .selectFrom('identity_federated as account')
              .select('account.uid')
              .where('account.provider_id', '=', provider)
              .where('account.raw_id', '=', rawId),
          ),
        ),
      ]),
    )
    .orderBy('uid')
    .execute()

export type NewAccount = {
  readonly uid: string
  readonly email: string | null
  readonly passwordHash: string | null
  readonly displayName: string | null
  readonly photoUrl: string | null
  readonly emailVerified: boolean
  readonly disabled: boolean
}

/** @returns undefined when the address or the uid is taken. */
export async function insertUser(db: Db, user: NewAccount, now: Date): Promise<IdentityUser | undefined> {
  const made = await db
    .insertInto('identity_users')
    .values({
      uid: user.uid,
      email: user.email,
      email_verified: user.email !== null && user.emailVerified,
      display_name: user.displayName,
      photo_url: user.photoUrl,
      password_hash: user.passwordHash,
      password_updated_at: user.passwordHash === null ? null : now,
      disabled: user.disabled,
      valid_since: wholeSeconds(now),
      created_at: now,
      last_login_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return made && { ...made, federated: [] }
}

export type Change = {
  readonly email: string | null
  readonly passwordHash: string | null
  readonly displayName?: string | null | undefined
  readonly photoUrl?: string | null | undefined
  readonly emailVerified?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly validSince?: number | undefined
  readonly claims?: { readonly [name: string]: JsonValue } | null | undefined
  readonly unlink: readonly string[]
}

/** All of it or nothing. */
export function changeUser(
  db: Db,
  uid: string,
  change: Change,
  now: Date,
): Promise<IdentityUser | 'no_user' | 'no_address' | 'taken'> {
  return unlessTaken(() =>
    db.transaction().execute(async (trx) => {
      await trx.selectFrom('identity_users').select('uid').where('uid', '=', uid).forUpdate().execute()
      const user = await findByUid(trx, uid)
      if (!user) return 'no_user'
      const email = change.email ?? user.email
      if (change.passwordHash !== null && email === null) return 'no_address'

      const { displayName, photoUrl, disabled, claims, validSince, unlink } = change
      const noPassword = change.passwordHash === null && unlink.includes('password')
      await trx
        .updateTable('identity_users')
        .set({
          email,
          email_verified: change.emailVerified ?? (email === user.email && user.email_verified),
          ...(displayName !== undefined && { display_name: displayName }),
          ...(photoUrl !== undefined && { photo_url: photoUrl }),
          ...(disabled !== undefined && { disabled }),
          ...(claims !== undefined && { custom_claims: claims }),
          ...(change.passwordHash !== null && {
            password_hash: change.passwordHash,
            password_updated_at: now,
          }),
          ...(noPassword && { password_hash: null, password_updated_at: null }),
          ...(unlink.includes('password') && { email_link: false }),
          valid_since: validFrom(user, change, now),
        })
        .where('uid', '=', uid)
        .execute()
      if (unlink.length > 0) {
        await trx
          .deleteFrom('identity_federated')
          .where('uid', '=', uid)
          .where('provider_id', 'in', unlink)
          .execute()
      }
      if (endsSessions(user, change)) await revoke(trx, uid)
      else if (validSince !== undefined) {
        await trx
          .deleteFrom('identity_sessions')
          .where('uid', '=', uid)
          .where('signed_in_at', '<', startOf(validSince, now))
          .execute()
      }
      return (await findByUid(trx, uid)) ?? 'no_user'
    }),
  )
}

/**
 * Sessions of who is disabled stay until they are enabled: meanwhile each hears why it no longer works, and none outlives it.
 */
const endsSessions = (user: IdentityUser, { email, passwordHash, disabled, unlink }: Change): boolean =>
  (email !== null && email !== user.email) ||
  passwordHash !== null ||
  unlink.length > 0 ||
  (disabled === false && user.disabled)

/** Never earlier than it was, and never later than now: a token of now must be good or not, whatever the clock will say. */
function validFrom(user: IdentityUser, change: Change, now: Date): Date {
  const disables = change.disabled === true && !user.disabled
  const soon = nextSecond(now)
  const asked =
    endsSessions(user, change) || disables
      ? soon
      : new Date(Math.min(startOf(change.validSince ?? 0, now).getTime(), soon.getTime()))
  return asked > user.valid_since ? asked : user.valid_since
}

/** The time from which sign-ins count. Of this very second those are over that there have been. */
function startOf(validSince: number, now: Date): Date {
  const start = new Date(validSince * 1000)
  return start.getTime() === wholeSeconds(now).getTime() ? nextSecond(now) : start
}
