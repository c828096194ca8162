import type { Db } from '#base/db/open.ts'
import { voidCodes } from './codes.ts'
import type { NotifyOldAddress } from './codes.ts'
import { endSessions } from './sessions.ts'
import { findByUid, nextSecond, unlessTaken } from './users.ts'
import type { IdentityUser } from './users.ts'

// What users change of themselves. Each change finds its user gone (`undefined`) where another one has revoked the token that
// asks for it, however short before.

/** By whom a change is asked for: of the ID token, the user and when they signed in. */
export type Asker = { readonly uid: string; readonly authTime: number }

export type Names = { readonly displayName?: string | null; readonly photoUrl?: string | null }

export function changeNames(db: Db, asker: Asker, names: Names): Promise<IdentityUser | undefined> {
  return asUser(db, asker, async (trx) => {
    const set = {
      ...(names.displayName !== undefined && { display_name: names.displayName }),
      ...(names.photoUrl !== undefined && { photo_url: names.photoUrl }),
    }
    if (Object.keys(set).length === 0) return
    await trx.updateTable('identity_users').set(set).where('uid', '=', asker.uid).execute()
  })
}

/** What somebody signs in with from now on; `null` stays as it is. */
export type Login = { readonly email: string | null; readonly passwordHash: string | null }

/**
 * Ends every session and ID token, and what was mailed before. A new address is proven by nothing yet, and the one that is left
 * is told.
 */
export function changeLogin(
  db: Db,
  asker: Asker,
  login: Login,
  now: Date,
  notifyOldAddress: NotifyOldAddress,
): Promise<IdentityUser | undefined | 'taken'> {
  return unlessTaken(() =>
    asUser(db, asker, async (trx, user) => {
      await trx
        .updateTable('identity_users')
        .set({
          valid_since: nextSecond(now),
          ...(login.email !== null &&
            login.email !== user.email && { email: login.email, email_verified: false }),
          ...(login.passwordHash !== null && {
            password_hash: login.passwordHash,
            password_updated_at: now,
          }),
        })
        .where('uid', '=', user.uid)
        .execute()
      await endSessions(trx, user.uid)
      await voidCodes(trx, user)
      if (login.email !== null && login.email !== user.email) {
        await notifyOldAddress(trx, { uid: user.uid, email: user.email })
      }
    }),
  )
}

/** The user after the change, which nothing else changes meanwhile. */
function asUser(
  db: Db,
  { uid, authTime }: Asker,
  change: (trx: Db, user: IdentityUser) => Promise<void>,
): Promise<IdentityUser | undefined> {
  return db.transaction().execute(async (trx) => {
    await trx.selectFrom('identity_users').select('uid').where('uid', '=', uid).forUpdate().execute()
    const user = await findByUid(trx, uid)
    if (!user || user.disabled || authTime < user.valid_since.getTime() / 1000) return undefined
    await change(trx, user)
    return findByUid(trx, uid)
  })
}

/** Deletes a user with all that the service holds of them. */
export async function deleteUser(trx: Db, uid: string): Promise<void> {
  const gone = await trx
    .deleteFrom('identity_users')
    .where('uid', '=', uid)
    .returning('email')
    .executeTakeFirst()
  if (!gone) return
  // Mails and links for the address that name no user.
  await trx.deleteFrom('identity_codes').where('email', '=', gone.email).execute()
  await trx.deleteFrom('identity_mail_requests').where('email', '=', gone.email).execute()
}
