import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from '#contract/limits.ts'

/** The password policy, in the terms of the Firebase SDK. */
export type PasswordPolicy = {
  readonly minLength: number
  readonly maxLength: number
  readonly lowercase: boolean
  readonly uppercase: boolean
  readonly numeric: boolean
  readonly nonAlphanumeric: boolean
}

export const DEFAULT_POLICY: PasswordPolicy = {
  minLength: PASSWORD_MIN_CHARS,
  maxLength: PASSWORD_MAX_CHARS,
  lowercase: false,
  uppercase: false,
  numeric: false,
  nonAlphanumeric: false,
}

/** What counts as non-alphanumeric: https://cloud.google.com/identity-platform/docs/password-policy, read 2026-11. */
export const SPECIAL_CHARACTERS = Array.from('^$*.[]{}()?"!@#%&/\\,><\':;|_~`')

/** What a password lacks, as data: each protocol says it in its own words. */
export type Requirement =
  | { readonly kind: 'min_length'; readonly chars: number }
  | { readonly kind: 'max_length'; readonly chars: number }
  | { readonly kind: 'lowercase' | 'uppercase' | 'numeric' | 'non_alphanumeric' }

/** Counts UTF-16 units, as the SDK does in the browser: both sides must come to the same answer. */
export function unmetRequirements(policy: PasswordPolicy, password: string): Requirement[] {
  const unmet: Requirement[] = []
  if (password.length < policy.minLength) unmet.push({ kind: 'min_length', chars: policy.minLength })
  if (password.length > policy.maxLength) unmet.push({ kind: 'max_length', chars: policy.maxLength })
  if (policy.lowercase && !/[a-z]/.test(password)) unmet.push({ kind: 'lowercase' })
  if (policy.uppercase && !/[A-Z]/.test(password)) unmet.push({ kind: 'uppercase' })
  if (policy.numeric && !/[0-9]/.test(password)) unmet.push({ kind: 'numeric' })
  if (policy.nonAlphanumeric && !SPECIAL_CHARACTERS.some((character) => password.includes(character))) {
    unmet.push({ kind: 'non_alphanumeric' })
  }
  return unmet
}

/** Whether the policy asks for anything beyond the length that every password has. */
export const asksForCharacters = (policy: PasswordPolicy): boolean =>
  policy.lowercase || policy.uppercase || policy.numeric || policy.nonAlphanumeric
