import { useSyncExternalStore } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { delay } from '#web/lib/delay.ts'
import { clearDrafts } from '#web/lib/form-drafts.ts'
import { onLogOutInOtherTab } from './browser-user.ts'
import type { Identity } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { readItem } from '#web/lib/storage.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'

type LogOutReason = 'left' | 'left everywhere' | 'deleted' | 'disabled'
/** `lost`: ended by the server or the provider; after login the user returns to the same page. */
export type Session =
  | { readonly status: 'starting' }
  | { readonly status: 'unreachable' }
  | { readonly status: 'out'; readonly why: 'never' | 'lost' | LogOutReason }
  | { readonly status: 'in'; readonly uid: string }

let current: Session = { status: 'starting' }
const listeners = new Set<() => void>()
let opening: Promise<Identity> | null = null
/** The reason of the next sign-out, while the provider carries it out. */
let logOutReason: 'lost' | LogOutReason = 'lost'
/** An unreachable server is retried after this time. */
const AGAIN_MS = 4_000
let again: ReturnType<typeof setTimeout> | undefined

/** Another tab's log-out waits this long for the work that it ends here. */
const LAST_WORK_MS = 1_000
const lastWork = new Set<() => Promise<unknown>>()

/** `end` is called when another tab has logged out, and can still call the server for a moment. */
export const beforeLogOut = (end: () => Promise<unknown>): void => void lastWork.add(end)

async function followLogOut(identity: Identity): Promise<void> {
  if (current.status !== 'in') return
  await Promise.race([Promise.allSettled([...lastWork].map((end) => end())), delay(LAST_WORK_MS)])
  await identity.followLogOut()
}

function setSession(next: Session): void {
  current = next
  for (const listener of listeners) listener()
}

/** Opens the identity provider once. After a failure the next call retries, and so does a timer. */
export function open(): Promise<Identity> {
  opening ??= load().catch((error: unknown) => {
    opening = null
    clearTimeout(again)
    again = setTimeout(() => void open().catch(() => undefined), AGAIN_MS)
    setSession({ status: 'unreachable' })
    throw error
  })
  return opening
}

// The provider's code is heavy, and no page needs it for its first paint.
async function load(): Promise<Identity> {
  const { openIdentity } = await import('./identity.ts')
  const identity = await openIdentity(
    (uid, hasLeft) => (uid === null ? onSignedOut(hasLeft) : onSignedIn(uid)),
    () => (logOutReason = 'disabled'),
  )
  onLogOutInOtherTab(() => void followLogOut(identity))
  return identity
}

function onSignedIn(uid: string): void {
  // A log-out that was asked for while the session opened keeps its reason.
  if (current.status === 'out') logOutReason = 'lost'
  clearDrafts(uid)
  setSession({ status: 'in', uid })
}

function onSignedOut(hasLeft: boolean): void {
  // After a lost session the drafts are still there.
  if (hasLeft) clearDrafts(null)
  setSession({ status: 'out', why: current.status === 'in' ? logOutReason : 'never' })
}

/** Forgets why the last session ended, as a reload does. */
export function clearLogOutReason(): void {
  if (current.status === 'out') setSession({ status: 'out', why: 'never' })
}

/** Starts the session, or restarts it after `unreachable`. Screens show errors from its state. */
export function startSession(): void {
  if (opening) return
  if (current.status !== 'starting') setSession({ status: 'starting' })
  open().catch(() => undefined) // `open` has updated the state
}

export const useSession = (): Session => useSyncExternalStore(subscribe, () => current)

/** The first subscriber starts the session. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (current.status === 'starting') startSession()
  return () => listeners.delete(listener)
}

/** If a user was logged in here recently, a page waits for the session before it shows a form. */
export const wasSignedIn = (): boolean => readItem(STORAGE_KEYS.userData) !== null

/** Logs out in every tab. `end` runs first on the server; if it fails, the session goes on. @returns null: success */
export async function logOut(
  why: LogOutReason = 'left',
  end: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string | null> {
  // Set first, because another call may be the first to notice the end.
  logOutReason = why
  const refused = await end().then(
    () => callProvider((identity) => identity.signOut()),
    (error: unknown) => {
      logOutReason = 'lost'
      throw error
    },
  )
  if (refused === null) return null
  logOutReason = 'lost'
  return TEXTS.logoutFailed
}

/** Requests the reset email. The outcome is only logged, so that nobody learns who has an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  const refused = await callProvider((identity) => identity.sendReset(email))
  // oxlint-disable-next-line no-console -- the specification has it logged
  if (refused !== null) console.error('Password reset failed', refused, identityMessage(refused))
}

/** The policy's unmet requirements, as sentences; the server checks again. */
export const unmetPasswordRules = async (password: string): Promise<string[]> =>
  opening ? opening.then((identity) => identity.missingIn(password)).catch(() => []) : []

/** Calls the provider; one that cannot be opened counts as unreachable. */
async function callProvider(
  question: (identity: Identity) => Promise<string | null>,
): Promise<string | null> {
  const identity = await open().catch(() => null)
  return identity === null ? 'network-request-failed' : question(identity)
}
