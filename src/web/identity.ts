import { FirebaseError, initializeApp } from 'firebase/app'
import {
  browserLocalPersistence,
  confirmPasswordReset,
  indexedDBLocalPersistence,
  initializeAuth,
  onAuthStateChanged,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signOut,
  validatePassword,
  verifyPasswordResetCode,
} from 'firebase/auth'
import type { Settings } from '#contract/settings.ts'
import { unmetRequirements } from './password-policy.ts'

/** The identity provider as the session uses it. Loaded apart from the page, so that the page paints first. */
export type Identity = ReturnType<typeof connectIdentity>

/**
 * Opens the Firebase SDK on the provider that the server names: the hosted one, or the service built into the server.
 * @param settings what `GET /settings` answered under `identity`
 */
export function connectIdentity(settings: Settings['identity']) {
  const { apiKey, projectId } = settings
  const authDomain = settings.mode === 'firebase' ? settings.authDomain : undefined
  const app = initializeApp({ apiKey, projectId, ...(authDomain !== undefined && { authDomain }) })
  // Not getAuth(): it loads a script of Google's at start-up, which this product neither needs nor allows.
  const auth = initializeAuth(app, { persistence: [indexedDBLocalPersistence, browserLocalPersistence] })
  if (settings.mode === 'embedded') {
    // In the same tick: the first request, of a stored user, follows at once.
    auth.config.apiScheme = location.protocol.replace(':', '')
    auth.config.apiHost = location.host + settings.path
    auth.config.tokenApiHost = location.host + settings.path
  }

  return {
    /** Resolves when the stored user, if any, has been looked up. */
    ready: () => auth.authStateReady(),
    onChange: (listener: (user: { uid: string } | null) => void) => onAuthStateChanged(auth, listener),
    /** The current ID token, renewed when it is about to expire; `null` when signed out. */
    token: async (): Promise<string | null> => (await auth.currentUser?.getIdToken()) ?? null,
    signIn: (email: string, password: string) => refusal(signInWithEmailAndPassword(auth, email, password)),
    signOut: () => refusal(signOut(auth)),
    sendReset: (email: string) => refusal(sendPasswordResetEmail(auth, email)),
    /** Looks a reset link up without using it. */
    checkReset: (code: string) => settle(verifyPasswordResetCode(auth, code)),
    finishReset: (code: string, password: string) => refusal(confirmPasswordReset(auth, code, password)),
    /** What the provider's policy misses in a password, as sentences; empty where the policy cannot be had. */
    missingIn: async (password: string): Promise<string[]> => {
      const status = await settle(validatePassword(auth, password))
      return status.ok ? unmetRequirements(status.value) : []
    },
  }
}

/** What the SDK brought, or the provider's code for why it did not, such as `invalid-credential`. */
type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: string }

/** The SDK says no by throwing; here a "no" becomes a value. Anything that is not the SDK's goes on as a fault. */
async function settle<T>(attempt: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await attempt }
  } catch (error) {
    if (error instanceof FirebaseError) return { ok: false, code: error.code.replace('auth/', '') }
    throw error
  }
}

/** The code alone; `null`: it went well. */
async function refusal(attempt: Promise<unknown>): Promise<string | null> {
  const settled = await settle(attempt)
  return settled.ok ? null : settled.code
}
