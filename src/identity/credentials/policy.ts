import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from '#contract/limits.ts'

/** The password policy, in the terms of the Firebase SDK. */
export type PasswordPolicy = {
  readonly minLength: number
  readonly maxLength: number
  readonly lowercase: boolean
  readonly uppercase: boolean
  readonly numeric: boolean
  readonly nonAlphanumeric: boolean
  /** Off: a new password needs the least length only, and who signs in with one that lacks something is told so. */
  readonly enforced: boolean
  /** Enforced at sign-in, too: a password from before the policy no longer opens, and its owner must reset it. */
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

/** What counts as non-alphanumeric: https://cloud.google.com/identity-platform/docs/password-policy, read 2026-11. */
export const SPECIAL_CHARACTERS = Array.from('^$*.[]{}()?"!@#%&/\\,><\':;|_~`')

/** What a password lacks, as data: each protocol says it in its own words. */
export type Requirement =
  | { readonly kind: 'min_length'; readonly chars: number }
  | { readonly kind: 'max_length'; readonly chars: number }
  | { readonly kind: 'lowercase' | 'uppercase' | 'numeric' | 'non_alphanumeric' }

/** Why a password may not be set; what a policy that is not enforced asks for is no reason. */
export const unmetRequirements = (policy: PasswordPolicy, password: string): Requirement[] =>
  lacks(policy.enforced ? policy : DEFAULT_POLICY, password)

/**
 * What a password lacks, enforced or not. Counts UTF-16 units, as the SDK does in the browser: both sides must come to the
 * same answer.
 */
export function lacks(policy: PasswordPolicy, password: string): Requirement[] {
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

/** Whether an operator has asked for anything at all: without, a Firebase project has no policy to speak of. */
export const isOwnPolicy = (policy: PasswordPolicy): boolean =>
  policy.minLength !== DEFAULT_POLICY.minLength ||
  policy.maxLength !== DEFAULT_POLICY.maxLength ||
  policy.lowercase ||
  policy.uppercase ||
  policy.numeric ||
  policy.nonAlphanumeric

/** The least length may be from 6 to 30: https://cloud.google.com/identity-platform/docs/password-policy, read 2026-11. */
const MIN_LENGTH_MAX = 30

/**
 * Reads what an operator writes, such as `min:10,max:128,lowercase,uppercase,numeric,special,enforce:off,upgrade`.
 * @returns `null` where that says nothing, or what no password could meet.
 */
export function readPolicy(text: string): PasswordPolicy | null {
  let policy = DEFAULT_POLICY
  for (const word of text.split(',')) {
    const change = meaningOf(word.trim())
    if (change === null) return null
    policy = { ...policy, ...change }
  }
  const { minLength, maxLength } = policy
  return minLength <= maxLength && (policy.enforced || !policy.upgradeOnSignIn) ? policy : null
}

function meaningOf(word: string): Partial<PasswordPolicy> | null {
  const [, side, digits] = /^(min|max):(\d{1,4})$/.exec(word) ?? []
  if (side !== undefined) {
    const length = Number(digits)
    const most = side === 'min' ? MIN_LENGTH_MAX : PASSWORD_MAX_CHARS
    if (length < PASSWORD_MIN_CHARS || length > most) return null
    return side === 'min' ? { minLength: length } : { maxLength: length }
  }
  return WORDS.get(word) ?? null
}

const WORDS: ReadonlyMap<string, Partial<PasswordPolicy>> = new Map([
  ['lowercase', { lowercase: true }],
  ['uppercase', { uppercase: true }],
  ['numeric', { numeric: true }],
  ['special', { nonAlphanumeric: true }],
  ['enforce:on', { enforced: true }],
  ['enforce:off', { enforced: false }],
  ['upgrade', { upgradeOnSignIn: true }],
])
