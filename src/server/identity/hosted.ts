import { createRemoteJWKSet } from 'jose'
import { z } from 'zod'
import { PASSWORD_MIN_CHARS } from '#contract/limits.ts'
import { Problem } from '../problem.ts'
import type { Identity, NewUser, SignUpOutcome } from './identity.ts'
import { readIdToken } from './tokens.ts'

export type FirebaseIdentityDeps = {
  readonly apiKey: string
  readonly projectId: string
  readonly authDomain: string
  readonly signup: 'open' | 'closed'
  /** Epoch ms. */
  readonly now: () => number
  readonly identityToolkitUrl?: string
  readonly jwksUrl?: string
}

/**
 * Google publishes the keys of Firebase ID tokens here, the issuer is `https://securetoken.google.com/<project id>`:
 * https://firebase.google.com/docs/auth/admin/verify-id-tokens, read 2026-11.
 */
const JWKS_URL = 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com'
const IDENTITY_TOOLKIT_URL = 'https://identitytoolkit.googleapis.com'
const TIMEOUT_MS = 10_000

/** Firebase Authentication or Identity Platform. The browser talks to it directly; the server checks tokens and signs up. */
export function createFirebaseIdentity(deps: FirebaseIdentityDeps): Identity {
  const getKey = createRemoteJWKSet(new URL(deps.jwksUrl ?? JWKS_URL), { timeoutDuration: TIMEOUT_MS })
  const whose = {
    issuer: `https://securetoken.google.com/${deps.projectId}`,
    audience: deps.projectId,
  }
  return {
    verify: (token) => readIdToken(token, getKey, whose, deps.now()).catch(unreachable),
    signUp: (user) => signUp(deps, user),
    publicSettings: {
      mode: 'firebase',
      apiKey: deps.apiKey,
      projectId: deps.projectId,
      authDomain: deps.authDomain,
    },
  }
}

const SignedUp = z.object({ localId: z.string().min(1), email: z.string() })
const Refused = z.object({ error: z.object({ message: z.string() }) })

async function signUp(deps: FirebaseIdentityDeps, user: NewUser): Promise<SignUpOutcome> {
  if (deps.signup === 'closed') return { kind: 'closed' }
  const url = new URL('/v1/accounts:signUp', deps.identityToolkitUrl ?? IDENTITY_TOOLKIT_URL)
  url.searchParams.set('key', deps.apiKey)
  const { email, password, displayName } = user
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, displayName, returnSecureToken: true }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(unreachable)
  const body: unknown = await response.json().catch(unreachable)
  if (response.ok) {
    const made = SignedUp.parse(body)
    return { kind: 'signed_up', uid: made.localId, email: made.email }
  }
  const refused = Refused.safeParse(body)
  const [code = ''] = (refused.data?.error.message ?? '').split(' : ')
  const outcome = refusals[code]
  if (outcome) return outcome
  throw new Problem('unavailable', 'Sign-up does not work at the moment. Try again later.', {
    cause: new Error(`accounts:signUp answered ${response.status} ${code}`),
  })
}

const refusals: Readonly<Record<string, SignUpOutcome>> = {
  EMAIL_EXISTS: { kind: 'email_taken' },
  INVALID_EMAIL: { kind: 'invalid_email' },
  WEAK_PASSWORD: { kind: 'weak_password', unmet: [{ kind: 'min_length', chars: PASSWORD_MIN_CHARS }] },
  // Which requirements, only the browser can list: it asks the provider for the policy itself.
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: { kind: 'weak_password', unmet: [] },
  TOO_MANY_ATTEMPTS_TRY_LATER: { kind: 'too_many_attempts' },
  ADMIN_ONLY_OPERATION: { kind: 'closed' },
  OPERATION_NOT_ALLOWED: { kind: 'closed' },
}

function unreachable(cause: unknown): never {
  throw new Problem('unavailable', 'The sign-in service cannot be reached. Try again in a moment.', { cause })
}
