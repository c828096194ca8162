import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from '#contract/limits.ts'

/** The password policy, in the terms of the Firebase SDK. */
export type PasswordPolicy = {
  readonly minLength: number
  readonly maxLength: number
  readonly lowercase: boolean
  readonly uppercase: boolean
  readonly numeric: boolean
  readonly nonAlphanumeric: boolean
  /** When off, a new password needs the minimum length only, and sign-in reports what it lacks. */
  readonly enforced: boolean
  /** Also enforced at sign-in: a password that does not meet the policy must be reset. */
  readonly upgradeOnSignIn: boolean
}

export const DEFAULT_POLICY: PasswordPolicy = {
  minLength: PASSWORD_MIN_CHARS,
  maxLength: PASSWORD_MAX_CHARS,
  lowercase: false,
  uppercase: false,
  numeric: false,
  nonAlphanumeric: false,
  enforced: true,
  upgradeOnSignIn: false,
}

/** These count as non-alphanumeric: https://cloud.google.com/identity-platform/docs/password-policy, read 2026-11. */
export const SPECIAL_CHARACTERS = Array.from('^$*.[]{}()?"!@#%&/\\,><\':;|_~`')

/** Requirements are data, since each protocol has its own wording. */
export type Requirement =
  | { readonly kind: 'min_length'; readonly chars: number }
  | { readonly kind: 'max_length'; readonly chars: number }
  | { readonly kind: 'lowercase' | 'uppercase' | 'numeric' | 'non_alphanumeric' }

/** Requirements that block a new password. A policy that is not enforced blocks by the default only. */
export const blockingRequirements = (policy: PasswordPolicy, password: string): Requirement[] =>
  unmetRequirements(policy.enforced ? policy : DEFAULT_POLICY, password)

/** All unmet requirements, enforced or not. Counts UTF-16 units, as the SDK in the browser does. */
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

/** A Firebase project without a configured policy reports none. */
export const isCustomPolicy = (policy: PasswordPolicy): boolean =>
  policy.minLength !== DEFAULT_POLICY.minLength ||
  policy.maxLength !== DEFAULT_POLICY.maxLength ||
  policy.lowercase ||
  policy.uppercase ||
  policy.numeric ||
  policy.nonAlphanumeric

/** Google allows a minimum length of 6 to 30: https://cloud.google.com/identity-platform/docs/password-policy, read 2026-11. */
const MIN_LENGTH_MAX = 30

/**
 * Parses `min:10,max:128,lowercase,uppercase,numeric,special,enforce:off,upgrade`.
 * @returns `null` when a word is unknown or no password could meet the policy.
 */
export function parsePolicy(text: string): PasswordPolicy | null {
  let policy = DEFAULT_POLICY
  for (const word of text.split(',')) {
    const change = parseWord(word.trim())
    if (change === null) return null
    policy = { ...policy, ...change }
  }
  const { minLength, maxLength } = policy
  return minLength <= maxLength && (policy.enforced || !policy.upgradeOnSignIn) ? policy : null
}

function parseWord(word: string): Partial<PasswordPolicy> | null {
  const [, side, digits] = /^(min|max):(\d{1,4})$/.exec(word) ?? []
  if (side !== undefined) {
    const length = Number(digits)
    const most = side === 'min' ? MIN_LENGTH_MAX : PASSWORD_MAX_CHARS
    if (length < PASSWORD_MIN_CHARS || length > most) return null
    return side === 'min' ? { minLength: length } : { maxLength: length }
  }
  return OPTIONS.get(word) ?? null
}

const OPTIONS: ReadonlyMap<string, Partial<PasswordPolicy>> = new Map([
  ['lowercase', { lowercase: true }],
  ['uppercase', { uppercase: true }],
  ['numeric', { numeric: true }],
  ['special', { nonAlphanumeric: true }],
  ['enforce:on', { enforced: true }],
  ['enforce:off', { enforced: false }],
  ['upgrade', { upgradeOnSignIn: true }],
])
