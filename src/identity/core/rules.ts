import { DEFAULT_POLICY } from '../policy.ts'
import type { PasswordPolicy } from '../policy.ts'
import type { OidcProvider } from './oidc.ts'

/** What an operator decides about the service. */
export type Rules = {
  readonly signup: 'open' | 'closed'
  readonly policy: PasswordPolicy
  /** Answers never tell who has an account. Off only for those who need `fetchSignInMethodsForEmail`. */
  readonly hidesWhoIsKnown: boolean
  /** Whether somebody may sign in without saying who they are. */
  readonly anonymous: boolean
  /** Whether users may delete themselves. */
  readonly selfDeletion: boolean
  /** Hosts, beside that of the public address, to which a mailed link may lead back; `d` admits `*.d` too. */
  readonly authorizedDomains: readonly string[]
  /** Other providers by whose ID tokens users may sign in. */
  readonly providers: readonly OidcProvider[]
  /** What a privileged call brings as bearer. `null`: there are no privileged calls. */
  readonly adminKey: string | null
}

export const DEFAULT_RULES: Rules = {
  signup: 'open',
  policy: DEFAULT_POLICY,
  hidesWhoIsKnown: true,
  anonymous: false,
  selfDeletion: true,
  authorizedDomains: [],
  providers: [],
  adminKey: null,
}
