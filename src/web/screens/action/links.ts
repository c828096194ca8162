import {
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  reload,
  sendPasswordResetEmail,
  signInWithEmailLink,
  type Auth,
} from 'firebase/auth'
import { z } from 'zod'
import { TEXTS } from '#contract/texts.ts'
import { refusal, settle, type Identity } from '#web/session/identity.ts'
import { identityMessage } from '#web/session/identity-errors.ts'
import { logOut, open } from '#web/session/session.ts'
import { wayBack } from './way-back.ts'

/** What the links of mails are for, by their `mode`, in the provider's words. */
const OPERATIONS = {
  resetPassword: 'PASSWORD_RESET',
  verifyEmail: 'VERIFY_EMAIL',
  verifyAndChangeEmail: 'VERIFY_AND_CHANGE_EMAIL',
  recoverEmail: 'RECOVER_EMAIL',
  signIn: 'EMAIL_SIGNIN',
} as const
export type Mode = keyof typeof OPERATIONS

/** A link as it was found: good, or what to tell the user of it. */
export type Link = UsableLink | DeadLink
export type UsableLink = {
  readonly kind: 'usable'
  /** The address that it is about; of a link that logs in nobody is told. */
  readonly email: string
  /** The one that the address takes the place of. */
  readonly instead: string
  /** Who is logged in here. */
  readonly here: string | null
}
export type DeadLink = {
  readonly kind: 'dead'
  readonly message: string
  /** Who is logged in here with an address that needs no link any more. */
  readonly confirmed: string | null
}

/** Looks at a link without using it. Rejects where the provider cannot say. */
export async function checkLink(mode: Mode, code: string): Promise<Link> {
  const { auth } = await reach()
  const found = await settle(checkActionCode(auth, code))
  if (!found.ok) {
    const message = deadLink(found.code)
    if (message === null) throw new Error(identityMessage(found.code))
    return { kind: 'dead', message, confirmed: await confirmedHere(auth) }
  }
  const { operation, data } = found.value
  if (operation !== OPERATIONS[mode])
    return { kind: 'dead', message: identityMessage('invalid-action-code'), confirmed: null }
  return {
    kind: 'usable',
    email: data.email ?? '',
    instead: data.previousEmail ?? '',
    here: auth.currentUser?.email ?? null,
  }
}

/** `dead`: only another link does; `weak`: another password may do; `field`: another address may; `failed`: the same may do in a while. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'weak' | 'field' | 'dead' | 'failed'; readonly message: string }

/** Does what a link is for that needs no more than a press, which uses it up. */
export async function followLink(code: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const { auth } = identity
  const refused = await refusal(applyActionCode(auth, code))
  if (refused !== null) return outcomeOf(refused)
  // It may be about who is logged in here: every tab should know, also where that ends the session.
  if (auth.currentUser) await refusal(reload(auth.currentUser))
  return { kind: 'done' }
}

/** Sets the new password, which uses the link up. */
export async function finishReset(code: string, email: string, password: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const { auth } = identity
  const refused = await refusal(confirmPasswordReset(auth, code, password))
  if (refused !== null) return outcomeOf(refused)
  // Every session of this user has just ended; the one in this browser should know. Another's is no concern of theirs.
  if (auth.currentUser?.email === email) await logOut()
  return { kind: 'done' }
}

/** Logs in through the link that this page was opened by. */
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

/** Asks for the mail that leads to a new password. */
export async function askForNewPassword(email: string): Promise<Outcome> {
  const identity = await reach().catch(() => null)
  if (identity === null) return UNREACHABLE
  const refused = await refusal(sendPasswordResetEmail(identity.auth, email))
  return refused === null ? { kind: 'done' } : { kind: 'failed', message: identityMessage(refused) }
}

const Project = z.object({ authorizedDomains: z.array(z.string()) })

/** Where the link may lead back to; null also while the provider cannot say. */
export async function findWayBack(wanted: string | null): Promise<URL | null> {
  if (wayBack(wanted, location.origin, []) !== null || wanted === null)
    return wayBack(wanted, location.origin, [])
  const { apiScheme, apiHost, apiKey } = (await reach()).auth.config
  const answer = await fetch(`${apiScheme}://${apiHost}/v1/projects?key=${encodeURIComponent(apiKey)}`)
  return wayBack(wanted, location.origin, Project.parse(await answer.json()).authorizedDomains)
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
  const message = deadLink(refused)
  if (message !== null) return { kind: 'dead', message }
  // The same code at log-in is about the password that the user has.
  if (refused === 'weak-password' || refused === 'password-does-not-meet-requirements')
    return { kind: 'weak', message: identityMessage('weak-password') }
  return { kind: 'failed', message: identityMessage(refused) }
}

/** What to tell of a link that no second try will open; `null`: the link is not to blame. */
function deadLink(code: string): string | null {
  switch (code) {
    case 'expired-action-code':
      return identityMessage(code)
    case 'invalid-action-code':
    case 'user-not-found':
    case 'user-disabled':
    // The address that it leads to has become somebody else's.
    case 'email-already-in-use':
    // It does not have all its parts.
    case 'argument-error':
      return identityMessage('invalid-action-code')
    default:
      return null
  }
}
