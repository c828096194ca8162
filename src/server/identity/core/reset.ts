import { secretHash } from '../../secret.ts'
import { hashPassword } from '../passwords.ts'
import { unmetRequirements } from '../policy.ts'
import { resetPassword } from '../store/codes.ts'
import { accountKey } from '../throttle.ts'
import { inspectCode, NOT_USED, wrongCode } from './codes.ts'
import type { MailedCode } from './codes.ts'
import type { Core, Refusal } from './core.ts'

/** Sets the password by a mailed code. A password that is refused leaves the code good. */
export async function confirmPasswordReset(
  core: Core,
  input: MailedCode & { readonly newPassword: string },
): Promise<{ readonly email: string } | Refusal> {
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  if (found.purpose !== 'password_reset') return wrongCode(core, input)
  const unmet = unmetRequirements(core.rules.policy, input.newPassword)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const passwordHash = await core.gate.run(() => hashPassword(input.newPassword))
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  const done = await resetPassword(core.db, {
    codeHash: secretHash(input.code),
    passwordHash,
    now: new Date(core.now()),
  })
  if (typeof done === 'string') return { refused: NOT_USED[done] }
  await core.throttle.forget('wrongPasswordByAccount', accountKey(found.email))
  return { email: found.email }
}
