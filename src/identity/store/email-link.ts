import type { Db } from '#base/db/open.ts'
import { type CodeUnusable, type CodeUse, consumeCode, revokeCodes } from './codes.ts'
import { deleteLinks } from './provider-links.ts'
import { endSessions } from './sessions.ts'
import { findByUid, type IdentityUser, insertUser, lockUser, laterValidSince } from './users.ts'

export type LinkUse = CodeUse & {
  readonly email: string
  /** Uid for a new user; `null` when sign-up is closed. */
  readonly newUid: string | null
}

export type LinkUsed = { readonly user: IdentityUser; readonly isNew: boolean }

/** One transaction: of concurrent uses one succeeds. */
export const consumeLink = (db: Db, use: LinkUse): Promise<LinkUsed | CodeUnusable | 'nobody_new'> =>
  db.transaction().execute((trx) => signIn(trx, use))

async function signIn(trx: Db, use: LinkUse): Promise<LinkUsed | CodeUnusable | 'nobody_new'> {
  const known = await lockUser(trx, { email: use.email })
  if (known?.disabled) return 'disabled'
  if (!known && use.newUid === null) return 'nobody_new'
  const code = await consumeCode(trx, { ...use, purpose: 'email_sign_in' })
  if (!code || code.email !== use.email) return 'void'
  if (code.uid !== null && code.uid !== known?.uid) return 'void'
  const made = known ? undefined : await makeUser(trx, use)
  // The second of two concurrent links waits at the insert and then finds the new user.
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

/** Someone else may have registered an unverified address: revoke its password, providers and sessions. */
async function endEarlierAccess(trx: Db, user: IdentityUser, now: Date): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null, valid_since: laterValidSince(now) })
    .where('uid', '=', user.uid)
    .execute()
  await endSessions(trx, user.uid)
  await deleteLinks(trx, user.uid)
  await revokeCodes(trx, user)
}
