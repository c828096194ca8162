import { AuthErrorCodes } from '@firebase/auth'
import { describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { sdk } from '#web/testing/sdk-source.ts'
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

describe('the messages for identity provider errors', () => {
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

  test.each(SPECIFIED)('the SDK has the error code %s', (code) => {
    const exported: readonly string[] = Object.values(AuthErrorCodes)
    expect(exported.includes(`auth/${code}`) || sdk.includes(`"${code}" /*`)).toBe(true)
  })

  test('an unknown address and a wrong password read alike', () => {
    for (const code of ['invalid-credential', 'user-not-found', 'wrong-password', 'invalid-email'])
      expect(identityMessage(code)).toBe('Email or password is incorrect.')
  })

  test('too many attempts have their own text', () => {
    expect(identityMessage('too-many-requests')).toBe(TEXTS.tooManyAttempts)
  })

  test('an unknown code, or a name that every object has, gets the general text', () => {
    for (const code of ['a-code-of-tomorrow', 'constructor', 'toString', ''])
      expect(identityMessage(code)).toBe('Something went wrong. Try again.')
  })

  test('a rejected API key reads alike from the SDK and the hosted provider', () => {
    const name = 'api-key-not-valid.-please-pass-a-valid-api-key.'
    expect(identityMessage(name)).toBe(identityMessage('invalid-api-key'))
  })

  test('every message is a sentence with a full stop', () => {
    for (const sentence of Object.values(IDENTITY_ERRORS)) expect(sentence).toMatch(/^[A-Z].+\.$/)
  })
})
