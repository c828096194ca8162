import { ACTION_PATH } from '#contract/http/addresses.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Db } from '#base/db/open.ts'
import { insertCode, type Purpose } from '../store/codes.ts'
import type { NewMail } from '../store/mails.ts'
import { findByEmail, lockUser } from '../store/users.ts'
import type { Core } from './core.ts'

const HOUR_MS = 3_600_000

/** Recovery gets more time: the owner may not read mail every day. */
export const CODE_TTL_MS = {
  password_reset: HOUR_MS,
  email_sign_in: 6 * HOUR_MS,
  verify_email: 72 * HOUR_MS,
  verify_and_change_email: 72 * HOUR_MS,
  recover_email: 168 * HOUR_MS,
} as const satisfies Record<Purpose, number>

/** Values of the field `mode` that the SDK expects. */
const MODES = {
  password_reset: 'resetPassword',
  email_sign_in: 'signIn',
  verify_email: 'verifyEmail',
  verify_and_change_email: 'verifyAndChangeEmail',
  recover_email: 'recoverEmail',
} as const satisfies Record<Purpose, string>

/** Uses the configured host: a request header could be forged. */
export function buildLink(
  core: Pick<Core, 'publicUrl' | 'apiKey'>,
  { purpose, continueUrl }: NewMail,
  code: string,
): string {
  const query = new URLSearchParams({
    mode: MODES[purpose],
    oobCode: code,
    apiKey: core.apiKey,
    ...(continueUrl !== null && { continueUrl }),
    lang: 'en',
  })
  return `${core.publicUrl}${ACTION_PATH}?${query.toString()}`
}

export type Owner = { readonly uid: string | null }

/** Finds and locks the user who may get the code, so that a concurrent change revokes it. */
export async function lockCodeOwner(
  trx: Db,
  core: Pick<Core, 'admit'>,
  mail: NewMail,
): Promise<Owner | null> {
  const user = await lockUser(trx, mail.uid === null ? { email: mail.email } : { uid: mail.uid })
  if (user?.disabled) return null
  const isOwnEmail = user?.email === mail.email
  switch (mail.purpose) {
    case 'password_reset':
    case 'verify_email':
      return isOwnEmail ? user : null
    case 'email_sign_in':
      return user ?? ((await mayJoin(trx, core, mail.email)) ? { uid: null } : null)
    case 'verify_and_change_email':
      return isOwnEmail && !(await findByEmail(trx, mail.newEmail ?? '')) ? user : null
    case 'recover_email':
      return user ?? null
  }
}

/** Mailed links make new users, too. They carry no invitation. */
export const mayJoin = async (db: Db, { admit }: Pick<Core, 'admit'>, email: string): Promise<boolean> =>
  (await admit(db, { email, invitation: null })).kind === 'admitted'

export async function makeCode(trx: Db, owner: Owner, mail: NewMail, now: number): Promise<string> {
  const code = newSecret()
  await storeCode(trx, code, owner, mail, now)
  return code
}

export const storeCode = (
  trx: Db,
  code: string,
  owner: Owner,
  mail: Omit<NewMail, 'uid'>,
  now: number,
): Promise<void> =>
  insertCode(trx, {
    codeHash: secretHash(code),
    purpose: mail.purpose,
    uid: owner.uid,
    email: mail.email,
    newEmail: mail.newEmail,
    expiresAt: new Date(now + CODE_TTL_MS[mail.purpose]),
  })
