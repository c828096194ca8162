import type { Db } from '#base/db/open.ts'
import { type NotifyOldAddress, revokeCodes } from './codes.ts'
import { endSessions } from './sessions.ts'
import { catchTakenEmail, findByUid, type IdentityUser, laterValidSince } from './users.ts'

// Changes by the user. Each returns `undefined` when the ID token was revoked before it.

export type Requester = { readonly uid: string; readonly authTime: number }

export type Names = { readonly displayName?: string | null; readonly photoUrl?: string | null }

export function changeNames(db: Db, requester: Requester, names: Names): Promise<IdentityUser | undefined> {
  return changeAsUser(db, requester, async (trx) => {
    const set = {
      ...(names.displayName !== undefined && { display_name: names.displayName }),
      ...(names.photoUrl !== undefined && { photo_url: names.photoUrl }),
    }
    if (Object.keys(set).length === 0) return
    await trx.updateTable('identity_users').set(set).where('uid', '=', requester.uid).execute()
  })
}

/** New sign-in data; `null` keeps the stored value. */
export type Login = { readonly email: string | null; readonly passwordHash: string | null }

/** Revokes sessions, ID tokens and codes. A new address is unverified, and the old one is notified. */
export function changeLogin(
  db: Db,
  requester: Requester,
  login: Login,
  now: Date,
  notifyOldAddress: NotifyOldAddress,
): Promise<IdentityUser | undefined | 'taken'> {
  return catchTakenEmail(() =>
    changeAsUser(db, requester, async (trx, user) => {
      await trx
        .updateTable('identity_users')
        .set({
          valid_since: laterValidSince(now),
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
      await revokeCodes(trx, user)
      if (login.email !== null && login.email !== user.email) {
        await notifyOldAddress(trx, { uid: user.uid, email: user.email })
      }
    }),
  )
}

function changeAsUser(
  db: Db,
  { uid, authTime }: Requester,
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

export async function deleteUser(trx: Db, uid: string): Promise<void> {
  const gone = await trx
    .deleteFrom('identity_users')
    .where('uid', '=', uid)
    .returning('email')
    .executeTakeFirst()
  if (!gone) return
  // These rows name an address and no user.
  await trx.deleteFrom('identity_codes').where('email', '=', gone.email).execute()
  await trx.deleteFrom('identity_mail_requests').where('email', '=', gone.email).execute()
}
