import { randomBytes } from 'node:crypto'
import type { Db } from '#base/db/open.ts'
import { networkKey } from '#base/ip-address.ts'
import type { Gate } from '#base/semaphore.ts'
import type { Sealer } from '#base/encryption.ts'
import type { Keys } from '../credentials/keys.ts'
import type { HashCost } from '../credentials/passwords.ts'
import type { Requirement } from '../credentials/policy.ts'
import type { Throttle } from '../limits/throttle.ts'
import type { Issuer } from '../credentials/tokens.ts'
import type { Rules } from './rules.ts'

/** What the service is made of. It knows no protocol. */
export type Core = {
  readonly db: Db
  readonly keys: Keys
  readonly whose: Issuer
  /** Origin of the links in mails, without a slash at its end. */
  readonly publicUrl: string
  readonly apiKey: string
  readonly sealer: Sealer
  readonly rules: Rules
  /** Password hashes under way in this process. */
  readonly gate: Gate
  readonly hashCost: HashCost
  readonly throttle: Throttle
  /** Says that mail is waiting. */
  readonly wakeMail: () => void
  /** Deletes a user, here and whatever else the server holds of them. */
  readonly forget: (uid: string) => Promise<void>
  /** Epoch ms. */
  readonly now: () => number
}

/** Why not, when the caller is to know. Databases that fail reject instead. */
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
    }
export type SignUpRefusal =
  | { readonly refused: 'weak_password'; readonly unmet: readonly Requirement[] }
  | { readonly refused: 'signup_closed' | 'email_taken' | 'invalid_email' | 'too_many_attempts' }

export type Credentials = { readonly email: string; readonly password: string; readonly ip: string }

/** How a network address is stored: keyed, since all of IPv4 is soon hashed. */
export const addressHash = (core: Pick<Core, 'sealer'>, ip: string): Buffer =>
  core.sealer.mac(`known address ${networkKey(ip)}`)

/** 28 characters, as Firebase's are. */
export const newUid = (): string => randomBytes(21).toString('base64url')
