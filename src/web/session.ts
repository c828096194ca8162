import { useSyncExternalStore } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { forgetDrafts } from './drafts.ts'
import type { Identity } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { STORAGE_KEYS } from './storage-keys.ts'

/** `left`: the user logged out; `lost`: the server or the provider ended it, and the user wants to go on where they were. */
export type Session =
  | { readonly status: 'starting' }
  | { readonly status: 'unreachable' }
  | { readonly status: 'out'; readonly why: 'never' | 'left' | 'lost' }
  | { readonly status: 'in'; readonly uid: string }

let current: Session = { status: 'starting' }
const listeners = new Set<() => void>()
let opening: Promise<Identity> | null = null
/** Why the next sign-out happens, while the provider carries it out. */
let leaving: 'left' | 'lost' = 'lost'

function become(next: Session): void {
  current = next
  for (const listener of listeners) listener()
}

/** Opens the identity provider once; after a failure the next call tries again. */
function open(): Promise<Identity> {
  opening ??= load().catch((error: unknown) => {
    opening = null
    become({ status: 'unreachable' })
    throw error
  })
  return opening
}

// Everything heavy comes with the provider, while the page is painted already.
async function load(): Promise<Identity> {
  const { openIdentity } = await import('./identity.ts')
  return openIdentity((uid) => (uid === null ? leave() : enter(uid)))
}

function enter(uid: string): void {
  leaving = 'lost'
  forgetDrafts(uid)
  become({ status: 'in', uid })
}

function leave(): void {
  // Who logs out leaves nothing behind; whose session is lost finds everything again.
  if (leaving === 'left') forgetDrafts(null)
  become({ status: 'out', why: current.status === 'in' ? leaving : 'never' })
}

/** Starts the session, and again after `unreachable`. What goes wrong is in its state, for the screens to show. */
export function startSession(): void {
  if (opening) return
  if (current.status !== 'starting') become({ status: 'starting' })
  open().catch(() => undefined) // `open` has told the screens
}

export const useSession = (): Session => useSyncExternalStore(subscribe, () => current)

/** The first to ask starts the session. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (current.status === 'starting') afterPaint(startSession)
  return () => listeners.delete(listener)
}

/** The provider weighs as much as a page, and comes after it. A tab in the background paints nothing, and waits so long. */
const PAINT_MS = 300
function afterPaint(then: () => void): void {
  const late = setTimeout(then, PAINT_MS)
  requestAnimationFrame(() => {
    clearTimeout(late)
    setTimeout(then)
  })
}

/** True when somebody was signed in here lately, so that a page may wait for the session before it shows a form. */
export const wasSignedIn = (): boolean => localStorage.getItem(STORAGE_KEYS.userData) !== null

/** `null`: signed in; otherwise what to tell the user, the same for an unknown address and a wrong password. */
export async function logIn(email: string, password: string): Promise<string | null> {
  const refused = await ask((identity) => identity.signIn(email, password))
  if (refused === null) return null
  // oxlint-disable-next-line no-console -- the specification has it logged
  console.error('Login failed', refused)
  return identityMessage(refused)
}

/** `null`: logged out, in every tab. */
export async function logOut(): Promise<string | null> {
  leaving = 'left'
  const refused = await ask((identity) => identity.signOut())
  if (refused === null) return null
  leaving = 'lost'
  return TEXTS.logoutFailed
}

/** Asks for the mail; the outcome is logged and not told, so that nobody learns who has an account. */
export async function askForReset(email: string): Promise<void> {
  const refused = await ask((identity) => identity.sendReset(email))
  // oxlint-disable-next-line no-console -- the specification has it logged
  if (refused !== null) console.error('Password reset failed', refused, identityMessage(refused))
}

/** A link of a mail: good, or what to tell the user of it. */
export type ResetLink =
  | { readonly kind: 'usable'; readonly email: string }
  | { readonly kind: 'dead'; readonly message: string }

/** Looks at a reset link without using it. Rejects where the provider cannot say. */
export async function checkResetLink(code: string): Promise<ResetLink> {
  const found = await (await open()).checkReset(code)
  if (found.ok) return { kind: 'usable', email: found.value }
  const message = deadLink(found.code)
  if (message === null) throw new Error(identityMessage(found.code))
  return { kind: 'dead', message }
}

export type ResetOutcome =
  | { readonly kind: 'done' }
  /** `weak`: another password may do; `dead`: only another link does; `failed`: the same may do in a while. */
  | { readonly kind: 'weak' | 'dead' | 'failed'; readonly message: string }

/** Sets the new password, which uses the link up. */
export async function finishReset(code: string, password: string): Promise<ResetOutcome> {
  const refused = await ask((identity) => identity.finishReset(code, password))
  if (refused === null) {
    // Every session of this user has just ended; the one in this browser should know.
    if (current.status === 'in') await logOut()
    return { kind: 'done' }
  }
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
      return identityMessage('invalid-action-code')
    default:
      return null
  }
}

/** What the provider's policy misses in a password, as sentences; the server has the last word. */
export const missingInPassword = async (password: string): Promise<string[]> =>
  opening ? opening.then((identity) => identity.missingIn(password)).catch(() => []) : []

/** Whether this server takes no new users; `false` while that cannot be asked. */
export const isSignupClosed = (): Promise<boolean> =>
  open().then(
    ({ signup }) => signup === 'closed',
    () => false,
  )

/** One question to the provider. A provider that cannot be opened is one that cannot be reached. */
async function ask(question: (identity: Identity) => Promise<string | null>): Promise<string | null> {
  const identity = await open().catch(() => null)
  return identity === null ? 'network-request-failed' : question(identity)
}
