import { FirebaseError, initializeApp } from '@firebase/app'
import {
  beforeAuthStateChanged,
  browserLocalPersistence,
  browserSessionPersistence,
  indexedDBLocalPersistence,
  initializeAuth,
  onAuthStateChanged,
  sendPasswordResetEmail,
  signOut,
  validatePassword,
  type Auth,
} from '@firebase/auth'
import type { Settings } from '#contract/settings.ts'
import { setCredentials } from '#web/api/api.ts'
import { clearUserData, queryClient, settingsQuery } from '#web/api/queries.ts'
import { storedUser } from '#web/api/stored-user.ts'
import { hasLoggedOut, isLoggedOut, recordUser } from './browser-user.ts'
import { unmetRequirements } from './password-policy.ts'
import { syncToken } from './token-sync.ts'
import { delay } from '#web/lib/delay.ts'
import { messageOf } from '#web/lib/message-of.ts'

/** The identity provider, loaded separately so that the page paints first. */
export type Identity = Awaited<ReturnType<typeof openIdentity>>

/** Records of another tab can be read here after this time. */
const RECORDED_MS = 500

/** The SDK looks this often for what another tab has stored. */
const SDK_POLL_MS = 800

/**
 * After a password change in another tab this one's token is refused, and so would be its renewal, which logs out all tabs:
 * the session that the other tab has stored is awaited first.
 */
async function renew(token: (renewed?: boolean) => Promise<string | null>): Promise<string | null> {
  const refused = await token()
  await delay(SDK_POLL_MS)
  // Again, as timers of a tab in the background end together.
  await delay(SDK_POLL_MS)
  const stored = await token()
  return stored === refused ? token(true) : stored
}

/**
 * Opens the configured provider, restores the stored user and signs API calls as that user. Throws `ApiProblem`.
 * `onChange`: called with the current user, and on each change in any tab. `hasLeft`: the last user has logged out, in any tab. `onDisabled`: called before a disabled user is logged out. */
export async function openIdentity(
  onChange: (uid: string | null, hasLeft: boolean) => void,
  onDisabled: () => void,
) {
  const { identity, token_sync_url } = await queryClient.ensureQueryData(settingsQuery)
  const auth = connect(identity)
  // Before the SDK stores the user, so that no tab takes the login for a stale one.
  beforeAuthStateChanged(auth, (user) => {
    if (user) recordUser(identity.apiKey, user.uid)
  })
  if (token_sync_url !== null) syncToken(auth, token_sync_url)
  await auth.authStateReady()
  let shown: string | null = null
  const show = (uid: string | null): void => {
    const isHere = () => uid !== null && auth.currentUser?.uid === uid
    const token = async (renewed = false) =>
      isHere() ? ((await auth.currentUser?.getIdToken(renewed)) ?? null) : null
    setCredentials({
      token: (renewed) => (renewed ? renew(token) : token()),
      refused(why) {
        if (!isHere()) return
        if (why === 'disabled') onDisabled()
        void signOut(auth)
      },
    })
    // All tabs share the stored profile: another tab may have stored the next user's.
    const isNext = shown !== null && uid !== shown
    if (uid === null || isNext || uid !== storedUser()?.uid) clearUserData()
    shown = uid
    onChange(uid, isLoggedOut(identity.apiKey))
  }
  const showUnlessLoggedOut = async (uid: string): Promise<void> => {
    if (hasLoggedOut(identity.apiKey, uid)) {
      await delay(RECORDED_MS)
      if (auth.currentUser?.uid !== uid) return
      // A tab that was opening during a log-out has stored the user again, for all tabs.
      if (hasLoggedOut(identity.apiKey, uid)) return signOut(auth)
    }
    show(uid)
  }
  onAuthStateChanged(auth, (user) => (user ? void showUnlessLoggedOut(user.uid) : show(null)))

  return {
    /** For calls that only one screen makes. */
    auth,
    signOut: () => {
      recordUser(identity.apiKey, null)
      // Browser storage may fail too, with an error that is not the SDK's.
      return signOut(auth).then(
        () => null,
        (error: unknown) => messageOf(error, 'unknown'),
      )
    },
    /** Signs out after a log-out in another tab, unless somebody has logged in since. */
    followLogOut: async (): Promise<void> => {
      if (isLoggedOut(identity.apiKey)) await signOut(auth)
    },
    sendReset: (email: string) => refusal(sendPasswordResetEmail(auth, email)),
    /** The policy's unmet requirements, as sentences; empty if the policy cannot be loaded. */
    missingIn: async (password: string): Promise<string[]> => {
      const status = await settle(validatePassword(auth, password))
      return status.ok ? unmetRequirements(status.value) : []
    },
  }
}

/** Connects the Firebase SDK to the hosted provider or to the built-in service. */
function connect(settings: Settings['identity']): Auth {
  const { apiKey, projectId } = settings
  const authDomain = settings.mode === 'firebase' ? settings.authDomain : undefined
  const app = initializeApp({ apiKey, projectId, ...(authDomain !== undefined && { authDomain }) })
  // Not getAuth(), which loads a Google script that our CSP forbids.
  // The first that the browser has; without any, the SDK keeps the session in the page's memory.
  const persistence = [indexedDBLocalPersistence, browserLocalPersistence, browserSessionPersistence]
  const auth = initializeAuth(app, { persistence })
  if (settings.mode === 'embedded') {
    // In the same tick, because the SDK's first request follows at once.
    auth.config.apiScheme = location.protocol.replace(':', '')
    auth.config.apiHost = location.host + settings.path
    auth.config.tokenApiHost = location.host + settings.path
  }
  return auth
}

/** An SDK result, or the provider's error code, such as `invalid-credential`. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string }

/** Turns an SDK error into a value; other errors are rethrown. */
export async function settle<T>(attempt: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await attempt }
  } catch (error) {
    if (captchaFailed(error)) return { ok: false, code: 'missing-recaptcha-token' }
    if (error instanceof FirebaseError) return { ok: false, code: error.code.replace('auth/', '') }
    throw error
  }
}

/** The SDK fetches a captcha token by itself. If its script does not load, it throws an internal error with the
 * browser's event; if the key is missing, a plain error. */
const captchaFailed = (error: unknown): boolean =>
  error instanceof FirebaseError
    ? error.code === 'auth/internal-error' && isLoadError(error.customData)
    : error instanceof Error && /recaptcha/i.test(error.message)

const isLoadError = (data: unknown): boolean => data instanceof Event && data.type === 'error'

/** The error code alone; `null`: success. */
export async function refusal(attempt: Promise<unknown>): Promise<string | null> {
  const settled = await settle(attempt)
  return settled.ok ? null : settled.code
}
