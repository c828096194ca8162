import { Email } from '#contract/users.ts'
import { listProviders } from '../store/provider-links.ts'
import { lastUse } from '../store/sessions.ts'
import { findByEmail, type IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import type { Core, Refusal } from './core.ts'
import { readBearer } from './sessions.ts'

export type LookupResult = {
  readonly user: IdentityUser
  /** Ids of the providers that may log the user in. */
  readonly providers: readonly string[]
  readonly lastRefreshAt: Date | null
}

export async function lookUp(core: Core, idToken: string): Promise<LookupResult | Refusal> {
  const bearer = await readBearer(core, idToken)
  if ('refused' in bearer) return bearer
  const { user } = bearer
  const [providers, lastRefreshAt] = await Promise.all([
    listProviders(core.db, user.uid),
    lastUse(core.db, user.uid),
  ])
  return { user, providers, lastRefreshAt }
}

/** `hidden` with enumeration protection. */
export async function findSignInMethods(
  core: Core,
  input: { readonly email: string; readonly ip: string },
): Promise<{ readonly known: IdentityUser | null | 'hidden' } | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_identifier' }
  if (core.rules.enumerationProtection) return { known: 'hidden' }
  if (!(await core.throttle.consume({ askedByIp: ipKey(input.ip) }))) return { refused: 'too_many_attempts' }
  return { known: (await findByEmail(core.db, email.data)) ?? null }
}
