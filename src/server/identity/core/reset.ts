import { Email } from '#contract/users.ts'
import { secretHash } from '../../secret.ts'
import { hashPassword } from '../passwords.ts'
import { unmetRequirements } from '../policy.ts'
import { findCode, resetPassword } from '../store/codes.ts'
import { requestMail } from '../store/mails.ts'
import { nextSecond } from '../store/users.ts'
import { accountKey, ipKey } from '../throttle.ts'
import type { Core, Refusal } from './core.ts'

export const RESET_CODE_TTL_MS = 3_600_000

/** Notes that a mail is wanted. Whether the address is known is looked up later, so the answer cannot tell. */
export async function requestPasswordReset(
  core: Core,
  input: { readonly email: string; readonly ip: string },
): Promise<{ readonly email: string } | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const keys = { resetMailByAccount: accountKey(email.data), resetMailByIp: ipKey(input.ip) }
  if (!(await core.throttle.count(keys))) return { refused: 'too_many_mails' }
  await requestMail(core.db, 'password_reset', email.data, new Date(core.now()))
  core.wakeMail()
  return { email: email.data }
}

export type MailedCode = { readonly code: string; readonly ip: string }

/** What a code is good for and whose it is. Uses nothing up: mail scanners open links too. */
export async function inspectResetCode(core: Core, input: MailedCode): Promise<{ email: string } | Refusal> {
  const found = await findCode(core.db, 'password_reset', secretHash(input.code))
  if (!found) {
    const within = await core.throttle.count({ wrongCodeByIp: ipKey(input.ip) })
    return { refused: within ? 'invalid_code' : 'too_many_attempts' }
  }
  if (found.expires_at.getTime() <= core.now()) return { refused: 'expired_code' }
  return { email: found.email }
}

/** Sets the password by a mailed code. A password that is refused leaves the code good. */
export async function confirmPasswordReset(
  core: Core,
  input: MailedCode & { readonly newPassword: string },
): Promise<{ email: string } | Refusal> {
  const found = await inspectResetCode(core, input)
  if ('refused' in found) return found
  const unmet = unmetRequirements(core.rules.policy, input.newPassword)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const passwordHash = await core.gate.run(() => hashPassword(input.newPassword))
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  const now = new Date(core.now())
  const done = await resetPassword(core.db, {
    codeHash: secretHash(input.code),
    passwordHash,
    now,
    validSince: nextSecond(now),
  })
  if (!done) return { refused: 'invalid_code' }
  await core.throttle.forget('wrongPasswordByAccount', accountKey(found.email))
  return found
}
