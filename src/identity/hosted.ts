import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { Problem } from '#base/problem.ts'
import type { Identity, NewUser, SignUpOutcome } from './identity.ts'
import type { Requirement } from './credentials/policy.ts'
import { createIdTokenVerifier } from './credentials/verifier.ts'

export type FirebaseIdentityDeps = {
  readonly apiKey: string
  readonly projectId: string
  readonly authDomain: string
  readonly publicUrl: string
  readonly now: () => number
  readonly identityToolkitUrl?: string
  readonly jwksUrl?: string
}

/** Public keys of Firebase ID tokens: https://firebase.google.com/docs/auth/admin/verify-id-tokens, read 2026-11. */
const JWKS_URL = 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com'
const IDENTITY_TOOLKIT_URL = 'https://identitytoolkit.googleapis.com'
const TIMEOUT_MS = 10_000
const KEYS_MAX_AGE_MS = 3_600_000

/** Firebase Authentication or Identity Platform. Browsers call it directly; the server verifies tokens and signs up. */
export function createFirebaseIdentity(deps: FirebaseIdentityDeps): Identity {
  const getKey = createKeySource(new URL(deps.jwksUrl ?? JWKS_URL))
  const issuer = {
    url: `https://securetoken.google.com/${deps.projectId}`,
    audience: deps.projectId,
  }
  const verify = createIdTokenVerifier(getKey, issuer)
  return {
    verify: (token) => verify(token, deps.now()).catch(throwUnreachable),
    signUp: (user) => signUp(deps, user),
    // The provider may still refuse a deletion.
    selfDeletion: true,
    publicSettings: {
      mode: 'firebase',
      apiKey: deps.apiKey,
      projectId: deps.projectId,
      authDomain: deps.authDomain,
    },
  }
}

/** Fetches keys on first use. Known keys stay in use during a refresh or an outage of the provider. */
function createKeySource(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: TIMEOUT_MS, cacheMaxAge: KEYS_MAX_AGE_MS })
  return async (header, token) => {
    const kept = keys.jwks()
    if (kept === undefined || keys.fresh) return keys(header, token)
    keys.reload().catch(() => undefined) // the next token retries
    return createLocalJWKSet(kept)(header, token).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return keys(header, token)
      throw error
    })
  }
}

const SignedUp = z.object({ localId: z.string().min(1), email: z.string() })
const Refused = z.object({ error: z.object({ message: z.string() }) })

async function signUp(deps: FirebaseIdentityDeps, user: NewUser): Promise<SignUpOutcome> {
  const url = new URL('/v1/accounts:signUp', deps.identityToolkitUrl ?? IDENTITY_TOOLKIT_URL)
  url.searchParams.set('key', deps.apiKey)
  const { email, password, displayName } = user
  const response = await fetch(url, {
    method: 'POST',
    // A web API key may be restricted to the referer of our pages.
    headers: { 'content-type': 'application/json', referer: `${deps.publicUrl}/` },
    body: JSON.stringify({ email, password, displayName, returnSecureToken: true }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(throwUnreachable)
  const body: unknown = await response.json().catch(throwUnreachable)
  if (response.ok) {
    const created = SignedUp.parse(body)
    return { kind: 'signed_up', uid: created.localId, email: created.email }
  }
  const message = Refused.safeParse(body).data?.error.message ?? ''
  const [code = '', detail = ''] = message.split(' : ')
  const outcome = toOutcome(code, detail)
  if (outcome) return outcome
  throw new Problem('unavailable', 'Sign-up does not work at the moment. Try again later.', {
    cause: new Error(`accounts:signUp answered ${response.status} ${message}`),
  })
}

/** `null` for errors that the new user cannot fix. */
function toOutcome(code: string, detail: string): SignUpOutcome | null {
  switch (code) {
    case 'EMAIL_EXISTS':
      return { kind: 'email_taken' }
    case 'INVALID_EMAIL':
      return { kind: 'invalid_email' }
    case 'WEAK_PASSWORD':
    case 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS':
      return { kind: 'weak_password', unmet: parseRequirements(detail) }
    case 'TOO_MANY_ATTEMPTS_TRY_LATER':
    case 'QUOTA_EXCEEDED':
      return { kind: 'too_many_attempts' }
    case 'ADMIN_ONLY_OPERATION':
    case 'OPERATION_NOT_ALLOWED':
      return { kind: 'closed' }
    default:
      return null
  }
}

/** Parses `Missing password requirements: [Password must contain at least 8 characters, …]`. */
function parseRequirements(detail: string): Requirement[] {
  return detail.split(',').flatMap((words): Requirement[] => {
    const chars = Number(/ at (?:least|most) (\d+) characters/.exec(words)?.[1])
    if (/ at least \d/.test(words)) return [{ kind: 'min_length', chars }]
    if (/ at most \d/.test(words)) return [{ kind: 'max_length', chars }]
    if (/ lower case /.test(words)) return [{ kind: 'lowercase' }]
    if (/ upper case /.test(words)) return [{ kind: 'uppercase' }]
    if (/ non-alphanumeric /.test(words)) return [{ kind: 'non_alphanumeric' }]
    if (/ numeric /.test(words)) return [{ kind: 'numeric' }]
    return []
  })
}

function throwUnreachable(cause: unknown): never {
  throw new Problem('unavailable', "Can't reach the login service. Try again in a moment.", { cause })
}
