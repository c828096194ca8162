import { DEFAULT_POLICY, type PasswordPolicy } from '../credentials/policy.ts'

export type Rules = {
  readonly policy: PasswordPolicy
  /** Answers never reveal accounts. Off only for clients that need `fetchSignInMethodsForEmail`. */
  readonly enumerationProtection: boolean
  readonly selfDeletion: boolean
  /** Additional hosts that mailed links may lead back to, with any non-default port; `d` includes `*.d`. */
  readonly authorizedDomains: readonly string[]
}

export const DEFAULT_RULES: Rules = {
  policy: DEFAULT_POLICY,
  enumerationProtection: true,
  selfDeletion: true,
  authorizedDomains: [],
}
