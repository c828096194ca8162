import { randomBytes } from 'node:crypto'
import type { Db } from '#base/db/open.ts'
import { networkKey } from '#base/ip-address.ts'
import type { Semaphore } from '#base/semaphore.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { Keys } from '../credentials/keys.ts'
import type { HashCost } from '../credentials/passwords.ts'
import type { Requirement } from '../credentials/policy.ts'
import type { Throttle } from '../limits/throttle.ts'
import type { Issuer } from '../credentials/tokens.ts'
import type { Rules } from './rules.ts'

export type Core = {
  readonly db: Db
  readonly keys: Keys
  readonly issuer: Issuer
  readonly publicUrl: string
  readonly apiKey: string
  readonly encrypter: Encrypter
  readonly rules: Rules
  /** Bounds concurrent calls that query the database, fairly by network. */
  readonly callPermits: Semaphore
  /** Bounds concurrent password hashes in this process. */
  readonly hashPermits: Semaphore
  readonly hashCost: HashCost
  readonly throttle: Throttle
  readonly wakeMail: () => void
  readonly eraseUser: (uid: string) => Promise<void>
  readonly admit: Admit
  readonly recordProviderLogin: RecordProviderLogin
  /** Epoch ms. */
  readonly now: () => number
}

export type Applicant = {
  readonly email: string
  /** The secret of an invitation link. */
  readonly invitation: string | null
}

export type Admission =
  /** `use` ends the invitation, if there is one: call it in the same transaction, once the user was made. */
  | { readonly kind: 'admitted'; readonly use: () => Promise<void> }
  | { readonly kind: 'closed' }
  /** Sign-up needs an invitation, and this one was used, is for another address, or has ended. */
  | { readonly kind: 'not_invited' }

/**
 * Decides whether somebody may sign up. Whatever makes a new user asks it in the transaction that makes it: an invitation stays locked
 * until that ends, so one user is made with it. Outside of one it only tells.
 */
export type Admit = (db: Db, applicant: Applicant) => Promise<Admission>

export type ProviderLogin = {
  /** The provider's name. */
  readonly provider: string
  readonly name: string | null
  /** The browser's. */
  readonly timezone: string | null
  /** A claim makes the user an operator, or not. `null`: the provider has no say in that. */
  readonly operator: boolean | null
  /** The user may store so much, as a claim says. */
  readonly quota: string | null
}

/** Called at each log-in through a provider, also at a new user's first. */
export type RecordProviderLogin = (
  user: { readonly uid: string; readonly email: string },
  login: ProviderLogin,
) => Promise<void>

/** Expected refusals. Database failures reject instead. */
export type Refusal =
  | SignUpRefusal
  | {
      readonly refused:
        | 'wrong_login'
        | 'user_disabled'
        | 'too_many_mails'
        | 'too_many_links'
        | 'email_not_found'
        | 'other_email'
        | 'invalid_continue_uri'
        | 'unauthorized_domain'
        | 'invalid_id_token'
        | 'session_over'
        | 'login_too_old'
        | 'email_change_needs_mail'
        | 'no_self_deletion'
        | 'invalid_identifier'
        | 'invalid_refresh_token'
        | 'invalid_code'
        | 'expired_code'
        | 'invalid_custom_token'
        | 'unknown_provider'
        | 'provider_unreachable'
    }
export type SignUpRefusal =
  | { readonly refused: 'weak_password'; readonly unmet: readonly Requirement[] }
  | {
      readonly refused:
        | 'signup_closed'
        | 'not_invited'
        | 'email_taken'
        | 'invalid_email'
        | 'too_many_attempts'
    }

export type Credentials = { readonly email: string; readonly password: string; readonly ip: string }

/** Keyed hash of a network address: a plain hash of IPv4 is easily reversed. */
export const addressHash = (core: Pick<Core, 'encrypter'>, ip: string): Buffer =>
  core.encrypter.mac(`known address ${networkKey(ip)}`)

export const newUid = (): string => randomBytes(21).toString('base64url')
