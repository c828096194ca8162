import {
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  reload,
  sendPasswordResetEmail,
  signInWithEmailLink,
  type Auth,
} from '@firebase/auth'
import { z } from 'zod'
import { TEXTS } from '#contract/texts.ts'
import { refusal, settle, type Identity } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { logOut, open } from './session.ts'
import { allowedContinueUrl } from './continue-url.ts'

/** The operations of email links by their `mode`, in the provider's terms. */
const OPERATIONS = {
  resetPassword: 'PASSWORD_RESET',
  verifyEmail: 'VERIFY_EMAIL',
  verifyAndChangeEmail: 'VERIFY_AND_CHANGE_EMAIL',
  recoverEmail: 'RECOVER_EMAIL',
  signIn: 'EMAIL_SIGNIN',
} as const
export type Mode = keyof typeof OPERATIONS

/** A checked link: usable, or the message to show. */
export type Link = UsableLink | InvalidLink
export type UsableLink = {
  readonly kind: 'usable'
  /** The email it is about; empty for a login link. */
  readonly email: string
  readonly replacedEmail: string
  /** The email of the user who is logged in here. */
  readonly here: string | null
}
export type InvalidLink = {
  readonly kind: 'dead'
  readonly message: string
  /** The email of the user who is logged in here, if it is already confirmed. */
  readonly confirmed: string | null
}

/** Checks a link without using it. Rejects if the provider gives no answer. */
export async function checkLink(mode: Mode, code: string): Promise<Link> {
  const { auth } = await reach()
  const found = await settle(checkActionCode(auth, code))
  if (!found.ok) {
    const message = invalidLinkMessage(found.code)
    if (message === null) throw new Error(identityMessage(found.code))
    return { kind: 'dead', message, confirmed: await confirmedHere(auth) }
  }
  const { operation, data } = found.value
  if (operation !== OPERATIONS[mode])
    return { kind: 'dead', message: identityMessage('invalid-action-code'), confirmed: null }
  return {
    kind: 'usable',
    email: data.email ?? '',
    replacedEmail: data.previousEmail ?? '',
    here: auth.currentUser?.email ?? null,
  }
}

/** `dead`: needs a new link; `weak`: needs another password; `field`: needs another email; `failed`: try again later. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'weak' | 'field' | 'dead' | 'failed'; readonly message: string }

/** Applies a link that needs no further input; this uses it up. */
export async function followLink(code: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const { auth } = identity
  const refused = await refusal(applyActionCode(auth, code))
  if (refused !== null) return outcomeOf(refused)
  // It may concern the current user: reload so that every tab knows, even if that ends the session.
  if (auth.currentUser) await refusal(reload(auth.currentUser))
  return { kind: 'done' }
}

/** Sets the new password; this uses the link up. */
export async function finishReset(code: string, email: string, password: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const { auth } = identity
  const refused = await refusal(confirmPasswordReset(auth, code, password))
  if (refused !== null) return outcomeOf(refused)
  // The reset ended all sessions of this user; another user's session here goes on.
  if (auth.currentUser?.email === email) await logOut()
  return { kind: 'done' }
}

export async function logInByLink(email: string, link: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const refused = await refusal(signInWithEmailLink(identity.auth, email, link))
  switch (refused) {
    case null:
      return { kind: 'done' }
    case 'invalid-email':
    case 'invalid-credential':
      return { kind: 'field', message: "This link wasn't sent to that email." }
    case 'user-disabled':
      return { kind: 'failed', message: identityMessage('login-blocked') }
    case 'admin-restricted-operation':
      return { kind: 'failed', message: TEXTS.signupClosed }
    default:
      return outcomeOf(refused)
  }
}

export async function requestPasswordEmail(email: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const refused = await refusal(sendPasswordResetEmail(identity.auth, email))
  return refused === null ? { kind: 'done' } : { kind: 'failed', message: identityMessage(refused) }
}

const Project = z.object({ authorizedDomains: z.array(z.string()) })

/** The allowed continue URL of the link; null: none or not allowed. */
export async function findContinueUrl(wanted: string | null): Promise<URL | null> {
  if (allowedContinueUrl(wanted, location.origin, []) !== null || wanted === null)
    return allowedContinueUrl(wanted, location.origin, [])
  const { apiScheme, apiHost, apiKey } = (await reach()).auth.config
  const answer = await fetch(`${apiScheme}://${apiHost}/v1/projects?key=${encodeURIComponent(apiKey)}`)
  return allowedContinueUrl(wanted, location.origin, Project.parse(await answer.json()).authorizedDomains)
}

const UNREACHABLE: Outcome = { kind: 'failed', message: identityMessage('network-request-failed') }

async function reach(): Promise<Identity> {
  const identity = await open().catch(() => null)
  if (identity === null) throw new Error(identityMessage('network-request-failed'))
  return identity
}

async function confirmedHere(auth: Auth): Promise<string | null> {
  const user = auth.currentUser
  if (!user) return null
  if (!user.emailVerified) await refusal(reload(user))
  return user.emailVerified ? user.email : null
}

function outcomeOf(refused: string): Outcome {
  const message = invalidLinkMessage(refused)
  if (message !== null) return { kind: 'dead', message }
  // At login, the same code is about the current password.
  if (refused === 'weak-password' || refused === 'password-does-not-meet-requirements')
    return { kind: 'weak', message: identityMessage('weak-password') }
  return { kind: 'failed', message: identityMessage(refused) }
}

/** The message for a link that will never work; `null`: another error. */
function invalidLinkMessage(code: string): string | null {
  switch (code) {
    case 'expired-action-code':
      return identityMessage(code)
    case 'invalid-action-code':
    case 'user-not-found':
    case 'user-disabled':
    // Someone else uses the new email by now.
    case 'email-already-in-use':
    // The link is incomplete.
    case 'argument-error':
      return identityMessage('invalid-action-code')
    default:
      return null
  }
}
