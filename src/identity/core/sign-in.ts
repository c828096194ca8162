import { Email } from '#contract/users.ts'
import { hashPassword, isOutdated, passwordMatches } from '../credentials/passwords.ts'
import { type Requirement, unmetRequirements } from '../credentials/policy.ts'
import { findByEmailWithLastSeen } from '../store/known-addresses.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey, networkKey } from '#base/ip-address.ts'
import { accountKey } from '../limits/throttle.ts'
import { addressHash, type Core, type Credentials, type Refusal } from './core.ts'
import { openSession, type Session } from './sessions.ts'

type ComparedPassword = {
  readonly user: IdentityUser
  readonly hash: string
  readonly seenHereAt: Date | null
}

export type SignInResult = Session & {
  readonly unmet: readonly Requirement[]
}

/** Same answer and work for unknown addresses and wrong passwords: reveals no accounts. */
export async function signIn(core: Core, input: Credentials): Promise<SignInResult | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const compared = await comparePassword(core, { ...input, email: email.data })
  if ('refused' in compared) return compared
  const { user, hash, seenHereAt } = compared
  if (user.disabled) return { refused: 'user_disabled' }
  const unmet = unmetRequirements(core.rules.policy, input.password)
  if (unmet.length > 0 && core.rules.policy.upgradeOnSignIn) return { refused: 'weak_password', unmet }
  const rehashed = isOutdated(hash, core.hashCost)
    ? await core.hashPermits.run(() => hashPassword(input.password, core.hashCost), {
        key: ipKey(input.ip),
        known: seenHereAt !== null,
      })
    : null
  const session = await openSession(core, user, {
    compared: { hash, rehashed },
    ip: input.ip,
    seenHereAt,
  })
  return 'refused' in session ? session : { ...session, unmet }
}

/** Checks limits first: refused attempts take no place among those that wait for a hash. */
async function comparePassword(
  core: Core,
  { email, password, ip }: Credentials,
): Promise<ComparedPassword | Refusal> {
  const found = await findByEmailWithLastSeen(core.db, email, addressHash(core, ip))
  const hash = found?.password_hash ?? null
  const seenHereAt = found?.seen_here_at ?? null
  const known = seenHereAt !== null
  const { own, everywhere } = limitKeys(email, hash, ip)
  const release = await core.throttle.reserve(known ? own : { ...own, ...everywhere })
  if (!release) return { refused: 'too_many_attempts' }
  try {
    const caller = { key: ipKey(ip), known }
    const matches = await core.hashPermits.run(() => passwordMatches(hash, password, core.hashCost), caller)
    if (matches === null) return { refused: 'too_many_attempts' }
    if (found && hash !== null && matches) return { user: found, hash, seenHereAt }
    const [within, withinAll] = await Promise.all([
      core.throttle.consume(own),
      core.throttle.consume(everywhere),
    ])
    return { refused: within && (known || withinAll) ? 'wrong_login' : 'too_many_attempts' }
  } finally {
    release()
  }
}

/** The password hash is part of the key, so that a reset ends every lock. */
function limitKeys(email: string, hash: string | null, ip: string) {
  const version = hash ?? ''
  return {
    own: { wrongPasswordByPair: accountKey(email, version, networkKey(ip)) },
    everywhere: { wrongPasswordByIp: ipKey(ip), wrongPasswordByAccount: accountKey(email, version) },
  }
}
