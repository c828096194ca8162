import { DEFAULT_POLICY } from '../credentials/policy.ts'
import type { PasswordPolicy } from '../credentials/policy.ts'

/** What an operator decides about the service. */
export type Rules = {
  readonly signup: 'open' | 'closed'
  readonly policy: PasswordPolicy
  /** Answers never tell who has an account. Off only for those who need `fetchSignInMethodsForEmail`. */
  readonly hidesWhoIsKnown: boolean
  /** Whether users may delete themselves. */
  readonly selfDeletion: boolean
  /** Hosts, beside that of the public address, to which a mailed link may lead back; `d` admits `*.d` too. */
  readonly authorizedDomains: readonly string[]
}

export const DEFAULT_RULES: Rules = {
  signup: 'open',
  policy: DEFAULT_POLICY,
  hidesWhoIsKnown: true,
  selfDeletion: true,
  authorizedDomains: [],
}
