import { ACTION_PATH } from '#contract/addresses.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Db } from '#base/db/open.ts'
import { insertCode } from '../store/codes.ts'
import type { Purpose } from '../store/codes.ts'
import type { Wanted } from '../store/mails.ts'
import { findByEmail, lockUser } from '../store/users.ts'
import type { Core } from './core.ts'

const HOUR_MS = 3_600_000

/** How long a code is good. To take an address back there is more time: its owner may not look every day. */
export const CODE_TTL_MS = {
  password_reset: HOUR_MS,
  email_sign_in: 6 * HOUR_MS,
  verify_email: 72 * HOUR_MS,
  verify_and_change_email: 72 * HOUR_MS,
  recover_email: 168 * HOUR_MS,
} as const satisfies Record<Purpose, number>

/** As the SDK knows them, in the field `mode` of a link. */
const MODES = {
  password_reset: 'resetPassword',
  email_sign_in: 'signIn',
  verify_email: 'verifyEmail',
  verify_and_change_email: 'verifyAndChangeEmail',
  recover_email: 'recoverEmail',
} as const satisfies Record<Purpose, string>

/** The page of the web app that a mailed code opens. The host is the configured one: a request's could be forged. */
export function linkWith(
  core: Pick<Core, 'publicUrl' | 'apiKey'>,
  { purpose, continueUrl }: Wanted,
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

/** Whose code it would be, as of now; `null` where there is nobody for whom one may be made. */
export type Owner = { readonly uid: string | null }

/**
 * Whether a code may be made, and for whom. Locks the user: a password or an address that changes meanwhile either finds the
 * code and ends it, or is seen here.
 */
export async function ownerOf(trx: Db, core: Pick<Core, 'rules'>, wanted: Wanted): Promise<Owner | null> {
  const user = await lockUser(trx, wanted.uid === null ? { email: wanted.email } : { uid: wanted.uid })
  if (user?.disabled) return null
  const isTheirs = user?.email === wanted.email
  switch (wanted.purpose) {
    case 'password_reset':
    case 'verify_email':
      return isTheirs ? user : null
    case 'email_sign_in':
      // Who has no account may come by the link, unless nobody new is let in.
      return user ?? (core.rules.signup === 'open' ? { uid: null } : null)
    case 'verify_and_change_email':
      return isTheirs && !(await findByEmail(trx, wanted.newEmail ?? '')) ? user : null
    case 'recover_email':
      return user ?? null
  }
}

/** Makes a code, to be mailed or handed to whoever may have it. */
export async function makeCode(trx: Db, owner: Owner, wanted: Wanted, now: number): Promise<string> {
  const code = newSecret()
  await storeCode(trx, code, owner, wanted, now)
  return code
}

/** Makes a code good. Only its hash is kept. */
export const storeCode = (
  trx: Db,
  code: string,
  owner: Owner,
  wanted: Omit<Wanted, 'uid'>,
  now: number,
): Promise<void> =>
  insertCode(trx, {
    codeHash: secretHash(code),
    purpose: wanted.purpose,
    uid: owner.uid,
    email: wanted.email,
    newEmail: wanted.newEmail,
    expiresAt: new Date(now + CODE_TTL_MS[wanted.purpose]),
  })
