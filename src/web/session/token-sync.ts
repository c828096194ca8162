import { beforeAuthStateChanged, onIdTokenChanged, type Auth, type User } from '@firebase/auth'
import { serverNow } from '#web/lib/server-time.ts'

/** Older tokens are not sent: the address already knows the user. */
const TOKEN_MAX_AGE_MS = 300_000
/** A login waits at most this long for the address. */
const TIMEOUT_MS = 5_000
const NOBODY = ''

/**
 * Syncs the ID token with a same-origin URL of the operator: POST with each new token as bearer, DELETE on logout.
 * The SDK does this only in `getAuth()`, which we avoid, and lets a failed sync block the login. */
export function syncToken(auth: Auth, given: string): void {
  const url = new URL(given, location.origin)
  if (!isSecureContext || url.origin !== location.origin) return
  /** The last sent token, `NOBODY`, or `null` if nothing was sent. */
  let told: string | null = null
  const sync = async (user: User | null) => {
    // The token may need a renewal that fails.
    const result = await user?.getIdTokenResult().catch(() => null)
    if (result === null) return
    if (result && serverNow() - Date.parse(result.issuedAtTime) > TOKEN_MAX_AGE_MS) return
    const telling = result?.token ?? NOBODY
    if (told === telling) return
    told = telling
    const request = result
      ? { method: 'POST', headers: { Authorization: `Bearer ${result.token}` } }
      : // A page that is closed after the log-out still sends it.
        { method: 'DELETE', keepalive: true }
    // The browser logs the failure; the next change retries.
    await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {
      if (told === telling) told = null
    })
  }
  // Before the login is visible on the page; undone if it is refused. A log-out waits for nobody.
  beforeAuthStateChanged(
    auth,
    (user) => (user === null ? undefined : sync(user)),
    () => void sync(auth.currentUser),
  )
  onIdTokenChanged(auth, (user) => void sync(user))
}
