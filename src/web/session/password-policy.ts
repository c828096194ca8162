import type { PasswordValidationStatus } from '@firebase/auth'

/** The unmet requirements of the provider's policy, as sentences; none if it is not enforced. */
export function unmetRequirements(status: PasswordValidationStatus): string[] {
  if (status.passwordPolicy.enforcementState === 'OFF') return []
  const { minPasswordLength, maxPasswordLength } = status.passwordPolicy.customStrengthOptions
  const unmet: string[] = []
  if (status.meetsMinPasswordLength === false) unmet.push(`Use at least ${minPasswordLength} characters.`)
  if (status.meetsMaxPasswordLength === false) unmet.push(`Use at most ${maxPasswordLength} characters.`)
  if (status.containsLowercaseLetter === false) unmet.push('Add a lowercase letter.')
  if (status.containsUppercaseLetter === false) unmet.push('Add an uppercase letter.')
  if (status.containsNumericCharacter === false) unmet.push('Add a digit.')
  if (status.containsNonAlphanumericCharacter === false) unmet.push('Add a symbol.')
  return unmet
}
