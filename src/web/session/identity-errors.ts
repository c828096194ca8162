import { TEXTS } from '#contract/texts.ts'

const TRY_LATER = 'Something went wrong on the server. Try again in a minute.'
const LOAD_AGAIN = 'Something went wrong on this page. Reload it and try again.'
const ASK_THE_HOST = 'Contact the person who runs this server.'
const KEY_NOT_TAKEN = `Nobody can log in, because this server isn't set up correctly. ${ASK_THE_HOST}`

/** The messages for the identity provider's error codes; the last group is for login methods that no screen offers. */
export const IDENTITY_ERRORS = {
  // One text for a wrong email and a wrong password, so that accounts cannot be guessed.
  'invalid-argument': TEXTS.loginFailed, // longer than any email or password
  'invalid-credential': TEXTS.loginFailed,
  'invalid-email': TEXTS.loginFailed,
  'missing-password': TEXTS.loginFailed,
  'user-disabled': TEXTS.userDisabled, // told only to whoever knows the password
  'user-not-found': TEXTS.loginFailed,
  'wrong-password': TEXTS.loginFailed,
  'too-many-requests': TEXTS.tooManyAttempts,
  'network-request-failed': "Can't reach the server. Check your connection and try again.",
  'password-does-not-meet-requirements':
    "Your password no longer meets this server's rules. Reset it to choose a new one.",
  'weak-password': 'Choose a longer password with a mix of characters.',
  'expired-action-code': 'This link has expired. Ask for a new one.',
  'invalid-action-code': "This link doesn't work any more. It was already used, or a newer one was sent.",
  'missing-recaptcha-token':
    "Couldn't check that you're a person. Turn off any blocker for this page, reload it and try again.",
  'multi-factor-auth-required': `This account needs a second login step, which Reelay doesn't support. ${ASK_THE_HOST}`,
  'login-blocked': `This account can't log in here. ${ASK_THE_HOST}`,
  'web-storage-unsupported':
    "Your browser doesn't save data for this page, so you wouldn't stay logged in. Allow site data and try again.",
  'invalid-user-token': 'Your login is no longer valid. Log in again.',
  'user-token-expired': 'Your login is no longer valid. Log in again.',
  'user-mismatch': "You're logged in as someone else. Log out, then log in again.",
  'requires-recent-login': 'You logged in a while ago. Log out and in again, then try once more.',
  'email-already-in-use': 'Someone else uses this email. Choose another one.',
  'internal-error': TRY_LATER,
  timeout: TRY_LATER,

  // Errors in the setup of the server or the page.
  'invalid-api-key': KEY_NOT_TAKEN,
  // The SDK turns the hosted provider's sentence into this code.
  'api-key-not-valid.-please-pass-a-valid-api-key.': KEY_NOT_TAKEN,
  'operation-not-allowed': `This server doesn't allow logging in with a password. ${ASK_THE_HOST}`,
  'tenant-id-mismatch': `This login belongs to another server. Check this page's address, or contact the person who runs this server.`,
  'unauthorized-domain': `You can't log in at this address. Open Reelay at its usual address, or contact the person who runs this server.`,
  'unauthorized-continue-uri': `Couldn't send the email from this address. ${ASK_THE_HOST}`,
  'invalid-continue-uri': `Couldn't send the email, because its link would lead nowhere. ${ASK_THE_HOST}`,
  'auth-domain-config-required': "This server doesn't offer that way to log in. Use your email and password.",
  'argument-error': LOAD_AGAIN,
  'already-initialized': LOAD_AGAIN,

  // Login in a popup of another service.
  'popup-blocked': 'Your browser blocked the login window. Allow windows for this page and try again.',
  'popup-closed-by-user': 'You closed the login window before you were done. Try again.',
  'cancelled-popup-request': 'Another login window is open. Continue there, or close it and try again.',
  'invalid-auth-event': 'Something went wrong in the login window. Close it and try again.',
} as const satisfies Record<string, string>

type IdentityErrorCode = keyof typeof IDENTITY_ERRORS

const isKnown = (code: string): code is IdentityErrorCode => Object.hasOwn(IDENTITY_ERRORS, code)

/** The message for an error code of the provider; unknown codes get the general one. */
export const identityMessage = (code: string): string =>
  isKnown(code) ? IDENTITY_ERRORS[code] : 'Something went wrong. Try again.'
