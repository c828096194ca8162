import type { FastifyPluginAsync } from 'fastify'
import type { Settings } from '#contract/settings.ts'
import type { UserAdministration } from './core/users.ts'
import type { Requirement } from './credentials/policy.ts'
import type { Claims } from './credentials/tokens.ts'

export type { Claims } from './credentials/tokens.ts'
// For the caller's own transaction or query.
export { deleteUser as deleteIdentityUser } from './store/profile.ts'
export { findByUid as findIdentityUser } from './store/users.ts'

export type NewUser = {
  readonly email: string
  readonly password: string
  readonly displayName: string
  readonly ip: string
}

export type SignUpOutcome =
  | { readonly kind: 'signed_up'; readonly uid: string; readonly email: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'email_taken' }
  | { readonly kind: 'invalid_email' }
  | { readonly kind: 'weak_password'; readonly unmet: readonly Requirement[] }
  | { readonly kind: 'too_many_attempts' }

/** Who users are: the service inside this server, or a hosted one. One of them per server, never both. */
export type Identity = {
  /**
   * Checks signature, issuer, audience and times of an ID token; `null` when it is not good. Does not ask whether the
   * session was revoked since: that is part of `authenticate`'s one query (`users/store.ts`), which is what guards the API.
   * Rejects only when the keys cannot be had.
   */
  verify(token: string): Promise<Claims | null>
  /** Makes a user who can sign in with the password. Does not sign in. */
  signUp(user: NewUser): Promise<SignUpOutcome>
  /** Ends every session of a user, and every ID token that they were given. Not there: it cannot be done from here. */
  signOutEverywhere?(uid: string): Promise<void>
  /** What an operator may do with users; a hosted service has a console of its own. */
  readonly users?: UserAdministration
  /** Whether users may delete themselves. */
  readonly selfDeletion: boolean
  readonly publicSettings: Settings['identity']
  /** What must be done now and then, whether anybody signs in or not. Safe in any number of processes at once. */
  readonly tend?: () => Promise<void>
  /** The embedded service: to be registered with the prefix `publicSettings.path`. */
  readonly plugin?: FastifyPluginAsync
}
