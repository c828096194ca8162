import { secretHash } from '#base/secret.ts'
import { resetPassword } from '../store/codes.ts'
import { rememberAddress } from '../store/known-addresses.ts'
import { addressHash, type Core, type Refusal } from './core.ts'
import { CODE_REFUSALS, inspectCode, type MailedCode, refuseCode } from './codes.ts'
import { hashNewPassword } from './new-password.ts'

/** A refused password does not consume the code. */
export async function confirmPasswordReset(
  core: Core,
  input: MailedCode & { readonly newPassword: string },
): Promise<{ readonly email: string } | Refusal> {
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  if (found.purpose !== 'password_reset') return refuseCode(core, input)
  const { newPassword: password, ip } = input
  const hashed = await hashNewPassword(core, { password, email: null, ip, known: true })
  if ('refused' in hashed) return hashed
  const now = new Date(core.now())
  const done = await resetPassword(core.db, { codeHash: secretHash(input.code), ...hashed, now })
  if (typeof done === 'string') return { refused: CODE_REFUSALS[done] }
  // The owner can log in from this address even while others guess from elsewhere.
  await rememberAddress(core.db, { uid: done.uid, addressHash: addressHash(core, input.ip), now })
  return { email: found.email }
}
