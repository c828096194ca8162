import { useSyncExternalStore } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { forgetDrafts } from '#web/lib/form-drafts.ts'
import type { Identity } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

/** What the user did to end it: here, in every browser, or with everything that was theirs. */
type Leave = 'left' | 'left everywhere' | 'deleted'
/** `lost`: the server or the provider ended it, and the user wants to go on where they were. */
export type Session =
  | { readonly status: 'starting' }
  | { readonly status: 'unreachable' }
  | { readonly status: 'out'; readonly why: 'never' | 'lost' | Leave }
  | { readonly status: 'in'; readonly uid: string }

let current: Session = { status: 'starting' }
const listeners = new Set<() => void>()
let opening: Promise<Identity> | null = null
/** Why the next sign-out happens, while the provider carries it out. */
let leaving: 'lost' | Leave = 'lost'
/** A page that found no server asks again by itself. */
const AGAIN_MS = 4_000
let again: ReturnType<typeof setTimeout> | undefined

function become(next: Session): void {
  current = next
  for (const listener of listeners) listener()
}

/** Opens the identity provider once; after a failure the next call tries again, and the page itself before long. */
export function open(): Promise<Identity> {
  opening ??= load().catch((error: unknown) => {
    opening = null
    clearTimeout(again)
    again = setTimeout(() => void open().catch(() => undefined), AGAIN_MS)
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
  if (leaving !== 'lost') forgetDrafts(null)
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

/**
 * `null`: logged out, in every tab.
 * @param end what ends the session on the server first; where it fails, the session goes on
 */
export async function logOut(
  why: Leave = 'left',
  end: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string | null> {
  // Said before: whatever else asks the server meanwhile may be the first to hear that it has ended.
  leaving = why
  const refused = await end().then(
    () => ask((identity) => identity.signOut()),
    (error: unknown) => {
      leaving = 'lost'
      throw error
    },
  )
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

/** What the provider's policy misses in a password, as sentences; the server has the last word. */
export const missingInPassword = async (password: string): Promise<string[]> =>
  opening ? opening.then((identity) => identity.missingIn(password)).catch(() => []) : []

/** Whether this server takes no new users; `false` where it cannot be asked. Does not wait for the identity provider. */
export async function isSignupClosed(): Promise<boolean> {
  try {
    const { queryClient, settingsQuery } = await import('#web/client/queries.ts')
    return (await queryClient.ensureQueryData(settingsQuery)).signup === 'closed'
  } catch {
    return false
  }
}

/** One question to the provider. A provider that cannot be opened is one that cannot be reached. */
async function ask(question: (identity: Identity) => Promise<string | null>): Promise<string | null> {
  const identity = await open().catch(() => null)
  return identity === null ? 'network-request-failed' : question(identity)
}
