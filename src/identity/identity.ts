import type { FastifyPluginAsync } from 'fastify'
import type { Settings } from '#contract/settings.ts'
import type { UserAdministration } from './core/users.ts'
import type { Requirement } from './credentials/policy.ts'
import type { Claims } from './credentials/tokens.ts'

export type { UserAdministration } from './core/users.ts'
export type { Admission, Admit, Applicant, RecordProviderLogin } from './core/core.ts'
export type { Claims } from './credentials/tokens.ts'
// For use inside the caller's transaction.
export { deleteUser as deleteIdentityUser } from './store/profile.ts'
export { setDisabled as setIdentityDisabled } from './core/users.ts'
export { findByUid as findIdentityUser } from './store/users.ts'

export type NewUser = {
  readonly email: string
  readonly password: string
  readonly displayName: string
  readonly invitation: string | null
  readonly ip: string
}

export type SignUpOutcome =
  | { readonly kind: 'signed_up'; readonly uid: string; readonly email: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'not_invited' }
  | { readonly kind: 'email_taken' }
  | { readonly kind: 'invalid_email' }
  | { readonly kind: 'weak_password'; readonly unmet: readonly Requirement[] }
  | { readonly kind: 'too_many_attempts' }

export type Identity = {
  /**
   * Checks signature, issuer, audience and times; `null` when invalid. Throws when keys cannot be fetched.
   * Does not check revocation: `authenticate` in `users/store.ts` does, and guards the API.
   */
  verify(token: string): Promise<Claims | null>
  /** Creates a user with a password. Does not sign in. A hosted service asks nobody who may: the caller does. */
  signUp(user: NewUser): Promise<SignUpOutcome>
  /** Ends every session and ID token of a user. Absent when the provider does not offer it. */
  signOutEverywhere?(uid: string): Promise<void>
  /** Absent for a hosted service, which has its own console. */
  readonly users?: UserAdministration
  /** Users may delete themselves. */
  readonly selfDeletion: boolean
  readonly publicSettings: Settings['identity']
  /** Periodic work, such as key rotation. Safe to run in several processes at once. */
  readonly runMaintenance?: () => Promise<void>
  /** Built-in service only: register it under `publicSettings.path`. */
  readonly plugin?: FastifyPluginAsync
}
