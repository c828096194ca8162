import { beforeAuthStateChanged, onIdTokenChanged, type Auth, type User } from 'firebase/auth'

/** Who was signed in longer ago than this is known there already. */
const TOKEN_MAX_AGE_MS = 300_000
/** Signing in and out waits for the address, but no longer than a person would. */
const TIMEOUT_MS = 5_000
const NOBODY = ''

/**
 * Tells an address of this origin who is signed in, so that what else the operator serves there can know it too: POST with
 * each new ID token as bearer, DELETE when nobody is. The SDK has this inside `getAuth()` alone, which is not to be used here,
 * and there a sync that fails blocks the login.
 * @param given what the server names. Elsewhere than at this origin, or where scripts of others could listen, nothing is sent.
 */
export function syncToken(auth: Auth, given: string): void {
  const url = new URL(given, location.origin)
  if (!isSecureContext || url.origin !== location.origin) return
  /** The token, `NOBODY`, or `null` where nothing was told yet. */
  let told: string | null = null
  const sync = async (user: User | null) => {
    // It may have to be renewed, and the provider may be out of reach.
    const result = await user?.getIdTokenResult().catch(() => null)
    if (result === null) return
    if (result && Date.now() - Date.parse(result.issuedAtTime) > TOKEN_MAX_AGE_MS) return
    const telling = result?.token ?? NOBODY
    if (told === telling) return
    told = telling
    const request = result
      ? { method: 'POST', headers: { Authorization: `Bearer ${result.token}` } }
      : { method: 'DELETE' }
    // The browser notes on the console what did not arrive; the next occasion tries again.
    await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {
      if (told === telling) told = null
    })
  }
  // Before, so that the address knows it by the time that the page shows it; undone where something else refuses the login.
  beforeAuthStateChanged(auth, sync, () => void sync(auth.currentUser))
  onIdTokenChanged(auth, (user) => void sync(user))
}
