import type { IdentityUser } from '../store/users.ts'
import * as store from '../store/users.ts'
import { revokeCodes } from '../store/codes.ts'
import { endSessions } from '../store/sessions.ts'
import { makeLink } from './codes.ts'
import type { Core, Refusal } from './core.ts'

export type UserRecord = Pick<
  IdentityUser,
  'uid' | 'email' | 'email_verified' | 'display_name' | 'disabled' | 'created_at' | 'last_login_at'
>

export type UserAdministration = {
  list(page: { readonly after: string | null; readonly limit: number }): Promise<UserRecord[]>
  find(by: { readonly uid: string } | { readonly email: string }): Promise<UserRecord | undefined>
  /** Disabling revokes ID tokens, enabling ends old sessions. @returns whether the user exists. */
  setDisabled(uid: string, disabled: boolean): Promise<boolean>
  delete(uid: string): Promise<boolean>
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
    await core.eraseUser(uid)
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

/** Sessions stay until the user is enabled, so that each call is refused with the reason. */
function setDisabled({ db, now }: Core, uid: string, disabled: boolean): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const user = await store.lockUser(trx, { uid })
    if (!user || user.disabled === disabled) return user !== undefined
    await store.setDisabled(trx, uid, disabled, new Date(now()))
    if (!disabled) {
      await endSessions(trx, uid)
      await revokeCodes(trx, user)
    }
    return true
  })
}
