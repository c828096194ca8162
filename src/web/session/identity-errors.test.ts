import { describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { IDENTITY_ERRORS, identityMessage } from './identity-errors.ts'

/** The specification's list, section 8. */
const SPECIFIED = [
  'internal-error',
  'argument-error',
  'invalid-user-token',
  'user-mismatch',
  'tenant-id-mismatch',
  'login-blocked',
  'unauthorized-domain',
  'popup-blocked',
  'popup-closed-by-user',
  'cancelled-popup-request',
  'web-storage-unsupported',
  'network-request-failed',
  'invalid-api-key',
  'auth-domain-config-required',
  'invalid-auth-event',
  'multi-factor-auth-required',
  'missing-recaptcha-token',
  'password-does-not-meet-requirements',
  'already-initialized',
  'invalid-continue-uri',
]
const UNKNOWN = identityMessage('a-code-of-tomorrow')

describe('what a person is told of a refusal of the identity provider', () => {
  test.each(SPECIFIED)('%s leads to a sentence a person can act on', (code) => {
    const sentence = identityMessage(code)
    expect(sentence).not.toBe(UNKNOWN)
    expect(sentence).toMatch(
      /\b(try|reload|log (in|out)|check|open|contact|turn off|allow|reset|continue|close)\b.*\.$/i,
    )
    expect(sentence, 'the user is not to meet our words').not.toMatch(
      /auth|token|code|oauth|captcha|tenant|uri/i,
    )
  })

  test('an address that nobody has, a wrong password and an account that is switched off are told alike', () => {
    for (const code of [
      'invalid-credential',
      'user-not-found',
      'wrong-password',
      'user-disabled',
      'invalid-email',
    ])
      expect(identityMessage(code)).toBe('Email or password is incorrect.')
  })

  test('too many attempts have one text of their own', () => {
    expect(identityMessage('too-many-requests')).toBe(TEXTS.tooManyAttempts)
  })

  test('a code that nobody knows yet is answered too, and names that every object has are no codes', () => {
    for (const code of ['a-code-of-tomorrow', 'constructor', 'toString', ''])
      expect(identityMessage(code)).toBe('Something went wrong. Try again.')
  })

  test('a key that the hosted provider does not take is the host’s to mend, as one that the SDK does not', () => {
    const name = 'api-key-not-valid.-please-pass-a-valid-api-key.'
    expect(identityMessage(name)).toBe(identityMessage('invalid-api-key'))
  })

  test('no sentence is empty or without a full stop', () => {
    for (const sentence of Object.values(IDENTITY_ERRORS)) expect(sentence).toMatch(/^[A-Z].+\.$/)
  })
})
