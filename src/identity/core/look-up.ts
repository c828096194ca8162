import { Email } from '#contract/users.ts'
import { lastUse } from '../store/sessions.ts'
import { findByEmail } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import type { Core, Refusal } from './core.ts'
import { bearerOf } from './sessions.ts'

export type Looked = { readonly user: IdentityUser; readonly lastRefreshAt: Date | null }

/** The user as stored, for the user. */
export async function lookUp(core: Core, idToken: string): Promise<Looked | Refusal> {
  const bearer = await bearerOf(core, idToken)
  if ('refused' in bearer) return bearer
  const { user } = bearer
  return { user, lastRefreshAt: await lastUse(core.db, user.uid) }
}

/** Who has an address, where the service tells that; `hidden` else, whoever has it. */
export async function findWaysIn(
  core: Core,
  input: { readonly email: string; readonly ip: string },
): Promise<{ readonly known: IdentityUser | null | 'hidden' } | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_identifier' }
  if (core.rules.hidesWhoIsKnown) return { known: 'hidden' }
  if (!(await core.throttle.count({ askedByIp: ipKey(input.ip) }))) return { refused: 'too_many_attempts' }
  return { known: (await findByEmail(core.db, email.data)) ?? null }
}
