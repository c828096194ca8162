import type { PasswordValidationStatus } from '@firebase/auth'
import { expect, test } from 'vitest'
import { unmetRequirements } from './password-policy.ts'

const POLICY = {
  customStrengthOptions: { minPasswordLength: 8, maxPasswordLength: 20 },
  allowedNonAlphanumericCharacters: '!',
  enforcementState: 'ENFORCE',
  forceUpgradeOnSignin: false,
}
const unmet = (status: Partial<PasswordValidationStatus>) =>
  unmetRequirements({ isValid: false, passwordPolicy: POLICY, ...status })

test('each unmet requirement of the policy is a sentence', () => {
  expect(unmet({ meetsMinPasswordLength: false })).toEqual(['Use at least 8 characters.'])
  expect(unmet({ meetsMaxPasswordLength: false })).toEqual(['Use at most 20 characters.'])
  expect(unmet({ containsLowercaseLetter: false })).toEqual(['Add a lowercase letter.'])
  expect(unmet({ containsUppercaseLetter: false })).toEqual(['Add an uppercase letter.'])
  expect(unmet({ containsNumericCharacter: false })).toEqual(['Add a digit.'])
  expect(unmet({ containsNonAlphanumericCharacter: false })).toEqual(['Add a symbol.'])
})

test('met or absent requirements are left out', () => {
  expect(unmet({ meetsMinPasswordLength: true, containsNumericCharacter: true })).toEqual([])
  expect(unmet({})).toEqual([])
})

test('a policy that is not enforced has no unmet requirements', () => {
  const passwordPolicy = { ...POLICY, enforcementState: 'OFF' }
  expect(unmet({ passwordPolicy, containsNumericCharacter: false })).toEqual([])
})
