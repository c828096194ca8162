import type { IdentityUser } from '../store/users.ts'
import * as store from '../store/users.ts'
import { voidCodes } from '../store/codes.ts'
import { endSessions } from '../store/sessions.ts'
import { makeLink } from './codes.ts'
import type { Core, Refusal } from './core.ts'

/** What an operator sees of a user. */
export type UserRecord = Pick<
  IdentityUser,
  'uid' | 'email' | 'email_verified' | 'display_name' | 'disabled' | 'created_at' | 'last_login_at'
>

/** What an operator may do with every user. The caller checks who asks. */
export type UserAdministration = {
  /** A page of users in the order of their addresses, from the one after `after`. */
  list(page: { readonly after: string | null; readonly limit: number }): Promise<UserRecord[]>
  find(by: { readonly uid: string } | { readonly email: string }): Promise<UserRecord | undefined>
  /** Disabling ends every ID token at once; enabling ends the sessions from before. Answers whether there is such a user. */
  setDisabled(uid: string, disabled: boolean): Promise<boolean>
  /** Deletes a user with everything that is theirs. Answers whether there was such a user. */
  delete(uid: string): Promise<boolean>
  /** Makes the link of a password reset, to be handed over instead of mailed. */
  resetLink(email: string): Promise<{ readonly link: string } | Refusal>
}

export const administerUsers = (core: Core): UserAdministration => ({
  list: ({ after, limit }) => store.listUsers(core.db, after, limit),
  find: (by) =>
    'uid' in by
      ? store.findByUid(core.db, by.uid)
      : store.findByEmail(core.db, by.email.trim().toLowerCase()),
  setDisabled: (uid, disabled) => setDisabled(core, uid, disabled),
  async delete(uid) {
    if (!(await store.findByUid(core.db, uid))) return false
    await core.forget(uid)
    return true
  },
  resetLink: (email) =>
    makeLink(core, {
      purpose: 'password_reset',
      email: email.trim().toLowerCase(),
      newEmail: null,
      continueUrl: null,
      uid: null,
    }),
})

/** Sessions of a disabled user stay until they are enabled, so that each call is answered with the reason. */
function setDisabled({ db, now }: Core, uid: string, disabled: boolean): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const user = await store.lockUser(trx, { uid })
    if (!user || user.disabled === disabled) return user !== undefined
    await store.setDisabled(trx, uid, disabled, new Date(now()))
    if (!disabled) {
      await endSessions(trx, uid)
      await voidCodes(trx, user)
    }
    return true
  })
}
