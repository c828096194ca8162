import type { Db } from '#base/db/open.ts'
import { takeCode, voidCodes } from './codes.ts'
import type { CodeUse, NotUsed } from './codes.ts'
import { endSessions } from './sessions.ts'
import { findByUid, insertUser, lockUser, nextSecond, unlessTaken } from './users.ts'
import type { IdentityUser } from './users.ts'

export type LinkUse = CodeUse & {
  /** The address that the link was sent to. */
  readonly email: string
  /** The user whose address it becomes; `null`: whoever has it already, or somebody new. */
  readonly linkTo: string | null
  /** For somebody new. `null`: nobody new is let in. */
  readonly newUid: string | null
}

export type LinkUsed = { readonly user: IdentityUser; readonly isNew: boolean }

/** Uses up a mailed link for a sign-in, in one transaction: of several at once one wins. */
export const takeLink = (db: Db, use: LinkUse): Promise<LinkUsed | NotUsed | 'taken' | 'nobody_new'> =>
  unlessTaken(() => db.transaction().execute((trx) => signInOrLink(trx, use)))

async function signInOrLink(trx: Db, use: LinkUse): Promise<LinkUsed | NotUsed | 'nobody_new'> {
  const whom = use.linkTo === null ? { email: use.email } : { uid: use.linkTo }
  const known = await lockUser(trx, whom)
  if (known?.disabled) return 'disabled'
  if (!known && use.linkTo !== null) return 'void'
  if (!known && use.newUid === null) return 'nobody_new'
  if (known && known.email !== null && known.email !== use.email) return 'void'
  const code = await takeCode(trx, { ...use, purpose: 'email_sign_in' })
  if (!code || code.email !== use.email) return 'void'
  // Made for a user who has the address no more.
  if (code.uid !== null && use.linkTo === null && code.uid !== known?.uid) return 'void'
  const made = known ? undefined : await makeUser(trx, use)
  // Of two links that make the same user at once, the second has waited above and signs in as that user.
  const user = known ?? made ?? (await lockUser(trx, whom))
  if (!user || user.disabled) return 'void'
  if (!made && use.linkTo === null && !user.email_verified) await dropWhatAStrangerSet(trx, user, use.now)
  await trx
    .updateTable('identity_users')
    .set({ email: use.email, email_verified: true, email_link: true })
    .where('uid', '=', user.uid)
    .execute()
  const changed = await findByUid(trx, user.uid)
  return changed ? { user: changed, isNew: made !== undefined } : 'void'
}

async function makeUser(trx: Db, { email, newUid, now }: LinkUse): Promise<IdentityUser | undefined> {
  if (newUid === null) return undefined
  return insertUser(trx, { uid: newUid, email, displayName: null, passwordHash: null }, now)
}

/**
 * Nobody had proven the address until now: whoever made the account with it need not be the one who reads its mail, and must
 * not stay in beside them. Not by a session either, which outlasts the ways in that they have parted from.
 */
async function dropWhatAStrangerSet(trx: Db, user: IdentityUser, now: Date): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null, valid_since: nextSecond(now) })
    .where('uid', '=', user.uid)
    .execute()
  await trx.deleteFrom('identity_federated').where('uid', '=', user.uid).execute()
  await endSessions(trx, user.uid)
  await voidCodes(trx, user)
}
