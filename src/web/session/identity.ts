import { FirebaseError, initializeApp } from 'firebase/app'
import {
  browserLocalPersistence,
  indexedDBLocalPersistence,
  initializeAuth,
  onAuthStateChanged,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signOut,
  validatePassword,
  type Auth,
} from 'firebase/auth'
import type { Settings } from '#contract/settings.ts'
import { speakAs } from '#web/client/api.ts'
import { forgetUserData, keptUserData, queryClient, settingsQuery } from '#web/client/queries.ts'
import { unmetRequirements } from './password-policy.ts'
import { syncToken } from './token-sync.ts'
import { messageOf } from '#web/lib/format/message-of.ts'

/** The identity provider as the session uses it. Loaded apart from the page, so that the page paints first. */
export type Identity = Awaited<ReturnType<typeof openIdentity>>

/**
 * Opens the provider that the server names, looks the stored user up, and speaks for that user from then on.
 * @param onChange told who is signed in: now, and whenever it changes, in this tab or another
 * @throws {ApiProblem} where the server cannot be asked
 */
export async function openIdentity(onChange: (uid: string | null) => void) {
  const { identity, token_sync_url } = await queryClient.ensureQueryData(settingsQuery)
  const auth = connect(identity)
  if (token_sync_url !== null) syncToken(auth, token_sync_url)
  await auth.authStateReady()
  let shown: string | null = null
  onAuthStateChanged(auth, (user) => {
    const uid = user?.uid ?? null
    const isHere = () => uid !== null && auth.currentUser?.uid === uid
    speakAs({
      token: async (renewed) => (isHere() ? ((await auth.currentUser?.getIdToken(renewed)) ?? null) : null),
      refused: () => void (isHere() && signOut(auth)),
    })
    // The kept profile is every tab's: another may have kept the next person's already, while this one slept.
    const isNext = shown !== null && uid !== shown
    if (uid === null || isNext || uid !== keptUserData()?.uid) forgetUserData()
    shown = uid
    onChange(uid)
  })

  return {
    /** For what only one screen asks of the provider: it comes with that screen. */
    auth,
    signIn: (email: string, password: string) => refusal(signInWithEmailAndPassword(auth, email, password)),
    // Its storage may refuse as well, with an error that is not the SDK's.
    signOut: () =>
      signOut(auth).then(
        () => null,
        (error: unknown) => messageOf(error, 'unknown'),
      ),
    sendReset: (email: string) => refusal(sendPasswordResetEmail(auth, email)),
    /** What the provider's policy misses in a password, as sentences; empty where the policy cannot be had. */
    missingIn: async (password: string): Promise<string[]> => {
      const status = await settle(validatePassword(auth, password))
      return status.ok ? unmetRequirements(status.value) : []
    },
  }
}

/** The Firebase SDK on the hosted provider, or on the service built into the server. */
function connect(settings: Settings['identity']): Auth {
  const { apiKey, projectId } = settings
  const authDomain = settings.mode === 'firebase' ? settings.authDomain : undefined
  const app = initializeApp({ apiKey, projectId, ...(authDomain !== undefined && { authDomain }) })
  // Not getAuth(): it loads a script of Google's at start-up, which this product neither needs nor allows.
  const auth = initializeAuth(app, { persistence: [indexedDBLocalPersistence, browserLocalPersistence] })
  if (settings.mode === 'embedded') {
    // In the same tick: the first request, for a stored user, follows at once.
    auth.config.apiScheme = location.protocol.replace(':', '')
    auth.config.apiHost = location.host + settings.path
    auth.config.tokenApiHost = location.host + settings.path
  }
  return auth
}

/** What the SDK brought, or the provider's code for why it did not, such as `invalid-credential`. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string }

/** The SDK says no by throwing; here a "no" becomes a value. Anything that is not the SDK's goes on as a fault. */
export async function settle<T>(attempt: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await attempt }
  } catch (error) {
    if (captchaFailed(error)) return { ok: false, code: 'missing-recaptcha-token' }
    if (error instanceof FirebaseError) return { ok: false, code: error.code.replace('auth/', '') }
    throw error
  }
}

/**
 * Asked for a captcha token, the SDK fetches one by itself and tries again. Where it gets none it says so in passing: its
 * script that did not load is an internal error with the browser's event in it, a key that is missing a plain error.
 */
const captchaFailed = (error: unknown): boolean =>
  error instanceof FirebaseError
    ? error.code === 'auth/internal-error' && isLoadError(error.customData)
    : error instanceof Error && /recaptcha/i.test(error.message)

const isLoadError = (data: unknown): boolean => data instanceof Event && data.type === 'error'

/** The code alone; `null`: it went well. */
export async function refusal(attempt: Promise<unknown>): Promise<string | null> {
  const settled = await settle(attempt)
  return settled.ok ? null : settled.code
}
