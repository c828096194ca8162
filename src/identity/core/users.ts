import type { Db } from '#base/db/open.ts'
import { revokeCodes } from '../store/codes.ts'
import { insertMailRequest, type NewMail } from '../store/mails.ts'
import { endSessions } from '../store/sessions.ts'
import type { IdentityUser } from '../store/users.ts'
import * as store from '../store/users.ts'
import { makeLink } from './codes.ts'
import type { Core, Refusal } from './core.ts'

type UserRecord = Pick<IdentityUser, 'uid' | 'email'>

/** For operators. */
export type UserAdministration = {
  find(by: { readonly email: string }): Promise<UserRecord | undefined>
  /** An address at which a new password is set, once and within an hour. It is mailed to nobody. */
  resetLink(user: UserRecord): Promise<{ readonly link: string } | Refusal>
  /** Mails such a link to the user. */
  mailResetLink(user: UserRecord): Promise<void>
}

export const administerUsers = (core: Core): UserAdministration => ({
  find: ({ email }) => store.findByEmail(core.db, email.trim().toLowerCase()),
  resetLink: (user) => makeLink(core, resetOf(user)),
  async mailResetLink(user) {
    await insertMailRequest(core.db, resetOf(user), new Date(core.now()))
    core.wakeMail()
  },
})

/** For this user alone: an address may be somebody else's by now. */
const resetOf = ({ uid, email }: UserRecord): NewMail => ({
  purpose: 'password_reset',
  email,
  newEmail: null,
  continueUrl: null,
  uid,
})

/**
 * Disabling revokes ID tokens, enabling ends old sessions: they stay until then, so that each call is refused with the reason. Does
 * nothing where the service has no such user, as with a hosted one.
 */
export async function setDisabled(trx: Db, uid: string, disabled: boolean, now: number): Promise<void> {
  const user = await store.lockUser(trx, { uid })
  if (!user || user.disabled === disabled) return
  await store.setDisabled(trx, uid, disabled, new Date(now))
  if (disabled) return
  await endSessions(trx, uid)
  await revokeCodes(trx, user)
}
