import { hashPassword } from '../credentials/passwords.ts'
import { blockingRequirements } from '../credentials/policy.ts'
import { findByEmail } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import type { Core, SignUpRefusal } from './core.ts'

type NewPassword = {
  readonly password: string
  readonly email: string | null
  readonly ip: string
  /** Known callers have reserved places when they wait for a hash. */
  readonly known: boolean
}

/** Checks policy and address first: hashing is the costly part. */
export async function hashNewPassword(
  core: Core,
  { password, email, ip, known }: NewPassword,
): Promise<{ readonly passwordHash: string } | SignUpRefusal> {
  const unmet = blockingRequirements(core.rules.policy, password)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const refusal = email === null ? null : await checkAddress(core, email, ip)
  if (refusal) return refusal
  const caller = { key: ipKey(ip), known }
  const passwordHash = await core.hashPermits.run(() => hashPassword(password, core.hashCost), caller)
  return passwordHash === null ? { refused: 'too_many_attempts' } : { passwordHash }
}

/** Counts as a sign-up: the answer reveals whether the address exists. */
export async function checkAddress(core: Core, email: string, ip: string): Promise<SignUpRefusal | null> {
  if (!(await core.throttle.consume({ signUpByIp: ipKey(ip) }))) return { refused: 'too_many_attempts' }
  return (await findByEmail(core.db, email)) ? { refused: 'email_taken' } : null
}
