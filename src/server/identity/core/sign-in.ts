import { Email } from '#contract/users.ts'
import { hashPassword, isOutdated, passwordMatches } from '../passwords.ts'
import { lacks } from '../policy.ts'
import type { Requirement } from '../policy.ts'
import { findByEmail } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { accountKey, ipKey } from '../throttle.ts'
import type { Core, Credentials, Refusal } from './core.ts'
import { openSession } from './sessions.ts'
import type { Session } from './sessions.ts'

type Compared = { readonly user: IdentityUser; readonly hash: string }

export type SignedIn = Session & {
  /** What the policy would ask of the password that let them in. */
  readonly lacks: readonly Requirement[]
}

/** One answer for an unknown address and a wrong password, after the same work: nobody learns who has an account. */
export async function signIn(core: Core, input: Credentials): Promise<SignedIn | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const keys = { wrongPasswordByAccount: accountKey(email.data), wrongPasswordByIp: ipKey(input.ip) }

  // All of it within the gate: of a burst of guesses only as many as there are places pass the check before one is counted.
  const outcome = await core.gate.run(async (): Promise<Compared | Refusal> => {
    if (!(await core.throttle.allows(keys))) return { refused: 'too_many_attempts' }
    const user = await findByEmail(core.db, email.data)
    const hash = user?.password_hash ?? null
    const matches = await passwordMatches(hash, input.password)
    if (user && hash !== null && matches) return { user, hash }
    return { refused: (await core.throttle.count(keys)) ? 'wrong_login' : 'too_many_attempts' }
  })
  if (outcome === null) return { refused: 'too_many_attempts' }
  if ('refused' in outcome) return outcome
  const { user, hash } = outcome
  if (user.disabled) return { refused: 'user_disabled' }
  const unmet = lacks(core.rules.policy, input.password)
  if (unmet.length > 0 && core.rules.policy.upgradeOnSignIn) return { refused: 'weak_password', unmet }
  const rehashed = isOutdated(hash) ? await core.gate.run(() => hashPassword(input.password)) : null
  const session = await openSession(core, user, { provider: 'password', compared: { hash, rehashed } })
  return 'refused' in session ? session : { ...session, lacks: unmet }
}
