import type { Db } from '#base/db/open.ts'
import { takeCode, voidCodes } from './codes.ts'
import type { CodeUse, NotUsed } from './codes.ts'
import { endSessions } from './sessions.ts'
import { findByUid, insertUser, lockUser, nextSecond } from './users.ts'
import type { IdentityUser } from './users.ts'

export type LinkUse = CodeUse & {
  /** The address that the link was sent to. */
  readonly email: string
  /** For somebody new. `null`: nobody new is let in. */
  readonly newUid: string | null
}

export type LinkUsed = { readonly user: IdentityUser; readonly isNew: boolean }

/** Uses up a mailed link for a sign-in, in one transaction: of several at once one wins. */
export const takeLink = (db: Db, use: LinkUse): Promise<LinkUsed | NotUsed | 'nobody_new'> =>
  db.transaction().execute((trx) => signIn(trx, use))

async function signIn(trx: Db, use: LinkUse): Promise<LinkUsed | NotUsed | 'nobody_new'> {
  const known = await lockUser(trx, { email: use.email })
  if (known?.disabled) return 'disabled'
  if (!known && use.newUid === null) return 'nobody_new'
  const code = await takeCode(trx, { ...use, purpose: 'email_sign_in' })
  if (!code || code.email !== use.email) return 'void'
  // Made for a user whose address has changed since.
  if (code.uid !== null && code.uid !== known?.uid) return 'void'
  const made = known ? undefined : await makeUser(trx, use)
  // Of two links that make the same user at once, the second waits above and signs in as that user.
  const user = known ?? made ?? (await lockUser(trx, { email: use.email }))
  if (!user || user.disabled) return 'void'
  if (!made && !user.email_verified) await endEarlierAccess(trx, user, use.now)
  await trx
    .updateTable('identity_users')
    .set({ email_verified: true, email_link: true })
    .where('uid', '=', user.uid)
    .execute()
  const changed = await findByUid(trx, user.uid)
  return changed ? { user: changed, isNew: made !== undefined } : 'void'
}

async function makeUser(trx: Db, { email, newUid, now }: LinkUse): Promise<IdentityUser | undefined> {
  if (newUid === null) return undefined
  return insertUser(trx, { uid: newUid, email, displayName: null, passwordHash: null }, now)
}

/** An unverified address may have been registered by somebody else: their password and sessions must not stay valid. */
async function endEarlierAccess(trx: Db, user: IdentityUser, now: Date): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null, valid_since: nextSecond(now) })
    .where('uid', '=', user.uid)
    .execute()
  await endSessions(trx, user.uid)
  await voidCodes(trx, user)
}
