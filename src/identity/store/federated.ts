import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { Asserted } from '../core/oidc.ts'
import type { Asker } from './profile.ts'
import { voidCodes } from './codes.ts'
import { endSessions } from './sessions.ts'
import { federatedOf, nextSecond, wholeSeconds } from './users.ts'
import type { IdentityUser } from './users.ts'

/** Whom a sign-in through another provider may concern. */
export type Concerned = {
  /** Has this very account. */
  readonly known: IdentityUser | null
  /** Has the address that the account has. */
  readonly namesake: IdentityUser | null
  /** Asks for the account to be linked, and still may. */
  readonly target: IdentityUser | null
}

/** Of several sign-ins by one account, one at a time: else two first ones would make two users. */
export async function lockAccount(trx: Db, { provider, rawId }: Asserted): Promise<void> {
  const key = `identity account ${JSON.stringify([provider, rawId])}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx)
}

/** Locks and reads them, in the order of their ids, so that two who ask cannot wait for each other. */
export async function findConcerned(
  trx: Db,
  { provider, rawId, email }: Asserted,
  asker: Asker | null,
): Promise<Concerned> {
  const concerned = trx
    .selectFrom('identity_users')
    .where((user) =>
      user.or([
        user('uid', '=', asker?.uid ?? null),
        user('email', '=', email),
        user.exists(
          user
            .selectFrom('identity_federated as account')
            .select('account.uid')
            .whereRef('account.uid', '=', 'identity_users.uid')
            .where('account.provider_id', '=', provider)
            .where('account.raw_id', '=', rawId),
        ),
      ]),
    )
    .orderBy('uid')
  await concerned.select('uid').forUpdate().execute()
  // A second statement: it sees what those did for whom the first one waited.
  const users = await concerned.selectAll().select(federatedOf('identity_users').as('federated')).execute()
  const find = (is: (user: IdentityUser) => boolean) => users.find(is) ?? null
  return {
    known: find(({ federated }) =>
      federated.some((account) => account.provider_id === provider && account.raw_id === rawId),
    ),
    namesake: find((user) => email !== null && user.email === email),
    target: find((user) => asker !== null && user.uid === asker.uid && isGood(asker, user)),
  }
}

/** Whether the token that asks still counts. */
const isGood = (asker: Asker, user: IdentityUser): boolean =>
  !user.disabled && asker.authTime >= user.valid_since.getTime() / 1000

/** @returns whether it was not used before. */
export async function useUp(trx: Db, credentialHash: Buffer, expiresAt: Date): Promise<boolean> {
  const used = await trx
    .insertInto('identity_used_credentials')
    .values({ credential_hash: credentialHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('credential_hash')
    .executeTakeFirst()
  return used !== undefined
}

/** @returns whether the address was still free; if not, nothing was written. */
export async function insertFederatedUser(
  trx: Db,
  uid: string,
  asserted: Asserted,
  now: Date,
): Promise<boolean> {
  const made = await trx
    .insertInto('identity_users')
    .values({
      uid,
      email: asserted.email,
      email_verified: asserted.ownsEmail,
      display_name: asserted.displayName,
      photo_url: asserted.photoUrl,
      password_hash: null,
      password_updated_at: null,
      valid_since: wholeSeconds(now),
      created_at: now,
      last_login_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('uid')
    .executeTakeFirst()
  if (made) await insertAccount(trx, uid, asserted, now)
  return made !== undefined
}

export async function insertAccount(trx: Db, uid: string, asserted: Asserted, now: Date): Promise<void> {
  await trx
    .insertInto('identity_federated')
    .values({
      provider_id: asserted.provider,
      raw_id: asserted.rawId,
      uid,
      email: asserted.email,
      display_name: asserted.displayName,
      photo_url: asserted.photoUrl,
      linked_at: now,
    })
    .execute()
}

/** Notes what the provider says of the account today. */
export async function followAccount(trx: Db, asserted: Asserted): Promise<void> {
  await trx
    .updateTable('identity_federated')
    .set({ email: asserted.email, display_name: asserted.displayName, photo_url: asserted.photoUrl })
    .where('provider_id', '=', asserted.provider)
    .where('raw_id', '=', asserted.rawId)
    .execute()
}

/** What a user lacks, they have from the account from now on. `email`: it is theirs now, and whether it is proven. */
export async function complete(
  trx: Db,
  user: IdentityUser,
  { displayName, photoUrl }: Asserted,
  email: { readonly email: string | null; readonly proven: boolean },
): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({
      display_name: user.display_name ?? displayName,
      photo_url: user.photo_url ?? photoUrl,
      email: email.email,
      email_verified: email.proven,
    })
    .where('uid', '=', user.uid)
    .execute()
}

/**
 * Whoever could get in before no longer can; nor does the name stay that they gave themselves. An address that was proven may
 * be a thief's, who moved the account to it: what brings the one before it back stays good.
 */
export async function clearWaysIn(trx: Db, user: IdentityUser, asserted: Asserted, now: Date): Promise<void> {
  const { uid } = user
  await trx.deleteFrom('identity_federated').where('uid', '=', uid).execute()
  await trx
    .updateTable('identity_users')
    .set({
      password_hash: null,
      password_updated_at: null,
      email_link: false,
      email_verified: true,
      display_name: asserted.displayName,
      photo_url: asserted.photoUrl,
      valid_since: nextSecond(now),
    })
    .where('uid', '=', uid)
    .execute()
  if (!user.email_verified) return revoke(trx, uid)
  await endSessions(trx, uid)
  await voidCodes(trx, user)
}

/** Ends sessions, and voids codes, those still to be mailed too. ID tokens end by `valid_since`. */
export async function revoke(trx: Db, uid: string): Promise<void> {
  await endSessions(trx, uid)
  await trx.deleteFrom('identity_codes').where('uid', '=', uid).execute()
  await trx.deleteFrom('identity_mail_requests').where('uid', '=', uid).execute()
}
