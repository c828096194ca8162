import { TEXTS } from '#contract/texts.ts'

const TRY_LATER = 'Something went wrong on the server. Try again in a minute.'
const LOAD_AGAIN = 'Something went wrong on this page. Load it again and try once more.'
const ASK_THE_HOST = 'Tell the person who runs this server.'
const KEY_NOT_TAKEN = `This server is not set up to log people in: its API key is not taken. ${ASK_THE_HOST}`

/**
 * What a person can do about each refusal of the identity provider, by the provider's own code. First what can happen at
 * log-in, reset and new password; then what the SDK can say besides, at ways of logging in that no screen offers today.
 */
export const IDENTITY_ERRORS = {
  // One text for whatever is wrong with an address or a password: accounts are not to be guessed.
  'invalid-argument': TEXTS.loginFailed, // longer than any address or password
  'invalid-credential': TEXTS.loginFailed,
  'invalid-email': TEXTS.loginFailed,
  'missing-password': TEXTS.loginFailed,
  'user-disabled': TEXTS.loginFailed,
  'user-not-found': TEXTS.loginFailed,
  'wrong-password': TEXTS.loginFailed,
  'too-many-requests': TEXTS.tooManyAttempts,
  'network-request-failed': 'The server cannot be reached. Check your connection and try again.',
  'password-does-not-meet-requirements':
    'Your password no longer meets the rules of this server. Reset it to choose a new one.',
  'weak-password': 'Choose a longer password with different kinds of characters.',
  'expired-action-code': 'This link has expired. Ask for a new one.',
  'invalid-action-code':
    'This link cannot be used. It may have been used already, or a newer one was sent since.',
  'missing-recaptcha-token':
    'The check that you are a person could not be made. Switch off what blocks it for this page, load the page again and try once more.',
  'multi-factor-auth-required': `This account asks for a second step at login, which Reelay does not offer. ${ASK_THE_HOST}`,
  'login-blocked': `This account may not log in here. ${ASK_THE_HOST}`,
  'web-storage-unsupported':
    'Your browser keeps nothing for this page, so you would not stay logged in. Allow it to keep site data and try again.',
  'invalid-user-token': 'Your login is no longer valid. Log in again.',
  'user-token-expired': 'Your login is no longer valid. Log in again.',
  'user-mismatch': 'That login belongs to somebody else. Log out first, then log in again.',
  'requires-recent-login': 'It is a while since you logged in. Log out and in again, then try once more.',
  'email-already-in-use': 'Somebody else logs in with this address. Take another one.',
  'internal-error': TRY_LATER,
  timeout: TRY_LATER,

  // How the server or the page is set up.
  'invalid-api-key': KEY_NOT_TAKEN,
  // What the SDK makes of the hosted provider's own sentence.
  'api-key-not-valid.-please-pass-a-valid-api-key.': KEY_NOT_TAKEN,
  'operation-not-allowed': `This server does not let people log in with a password. ${ASK_THE_HOST}`,
  'tenant-id-mismatch': `This login belongs to another server. Check the address of this page, or tell the person who runs this server.`,
  'unauthorized-domain': `Nobody may log in at this address. Open Reelay at its usual address, or tell the person who runs this server.`,
  'unauthorized-continue-uri': `The mail could not be sent from this address. ${ASK_THE_HOST}`,
  'invalid-continue-uri': `The mail could not be sent, because its link would lead nowhere. ${ASK_THE_HOST}`,
  'auth-domain-config-required':
    'This server does not offer that way of logging in. Log in with your email and password.',
  'argument-error': LOAD_AGAIN,
  'already-initialized': LOAD_AGAIN,

  // Logging in through a window of another service.
  'popup-blocked': 'Your browser blocked the login window. Allow windows for this page and try again.',
  'popup-closed-by-user': 'The login window was closed before you were done. Try again.',
  'cancelled-popup-request': 'Another login window is open. Go on there, or close it and try again.',
  'invalid-auth-event': 'The login window did not answer as expected. Close it and try again.',
} as const satisfies Record<string, string>

type IdentityErrorCode = keyof typeof IDENTITY_ERRORS

const isKnown = (code: string): code is IdentityErrorCode => Object.hasOwn(IDENTITY_ERRORS, code)

/** The sentence for a code of the provider; one that it may learn to say tomorrow gets the general one. */
export const identityMessage = (code: string): string =>
  isKnown(code) ? IDENTITY_ERRORS[code] : 'Something went wrong. Try again.'
