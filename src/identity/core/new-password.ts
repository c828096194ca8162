import { hashPassword } from '../credentials/passwords.ts'
import { unmetRequirements } from '../credentials/policy.ts'
import { findByEmail } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import type { Core, SignUpRefusal } from './core.ts'

type NewPassword = {
  readonly password: string
  /** An address that the password comes with; `null` where the user keeps theirs. */
  readonly email: string | null
  readonly ip: string
  /** Whether the caller has a place in the hash queue that strangers do not get. */
  readonly known: boolean
}

/** Checks policy and address, then hashes: whatever refuses a password does so before the costly part. */
export async function hashNewPassword(
  core: Core,
  { password, email, ip, known }: NewPassword,
): Promise<{ readonly passwordHash: string } | SignUpRefusal> {
  const unmet = unmetRequirements(core.rules.policy, password)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const refusal = email === null ? null : await checkAddress(core, email, ip)
  if (refusal) return refusal
  const caller = { key: ipKey(ip), known }
  const passwordHash = await core.gate.run(() => hashPassword(password, core.hashCost), caller)
  return passwordHash === null ? { refused: 'too_many_attempts' } : { passwordHash }
}

/** Counts as a sign-up, since the answer reveals whether somebody has the address. */
export async function checkAddress(core: Core, email: string, ip: string): Promise<SignUpRefusal | null> {
  if (!(await core.throttle.count({ signUpByIp: ipKey(ip) }))) return { refused: 'too_many_attempts' }
  return (await findByEmail(core.db, email)) ? { refused: 'email_taken' } : null
}
