import { createLocalJWKSet, createRemoteJWKSet, errors } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { Problem } from '#base/problem.ts'
import type { Identity, NewUser, SignUpOutcome } from './identity.ts'
import type { Requirement } from './credentials/policy.ts'
import { readIdToken } from './credentials/tokens.ts'

export type FirebaseIdentityDeps = {
  readonly apiKey: string
  readonly projectId: string
  readonly authDomain: string
  readonly signup: 'open' | 'closed'
  /** Origin of our pages. */
  readonly publicUrl: string
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
const KEYS_FRESH_MS = 3_600_000

/** Firebase Authentication or Identity Platform. The browser talks to it directly; the server checks tokens and signs up. */
export function createFirebaseIdentity(deps: FirebaseIdentityDeps): Identity {
  const getKey = keysAt(new URL(deps.jwksUrl ?? JWKS_URL))
  const whose = {
    issuer: `https://securetoken.google.com/${deps.projectId}`,
    audience: deps.projectId,
  }
  return {
    verify: (token) => readIdToken(token, getKey, whose, deps.now()).catch(unreachable),
    signUp: (user) => signUp(deps, user),
    // The browser asks the provider, which may have it otherwise.
    selfDeletion: true,
    publicSettings: {
      mode: 'firebase',
      apiKey: deps.apiKey,
      projectId: deps.projectId,
      authDomain: deps.authDomain,
    },
  }
}

/**
 * The provider's keys, fetched when the first token comes. Those at hand go on counting while newer ones are fetched or
 * cannot be: nobody is held up by an hourly call, or signed out here by an outage there.
 */
function keysAt(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: TIMEOUT_MS, cacheMaxAge: KEYS_FRESH_MS })
  return async (header, token) => {
    const kept = keys.jwks()
    if (kept === undefined || keys.fresh) return keys(header, token)
    keys.reload().catch(() => undefined) // the next token tries again
    return createLocalJWKSet(kept)(header, token).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return keys(header, token)
      throw error
    })
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
    // A web API key may be restricted to our pages' address, and it is one of them that asks.
    headers: { 'content-type': 'application/json', referer: `${deps.publicUrl}/` },
    body: JSON.stringify({ email, password, displayName, returnSecureToken: true }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(unreachable)
  const body: unknown = await response.json().catch(unreachable)
  if (response.ok) {
    const made = SignedUp.parse(body)
    return { kind: 'signed_up', uid: made.localId, email: made.email }
  }
  const message = Refused.safeParse(body).data?.error.message ?? ''
  const [code = '', detail = ''] = message.split(' : ')
  const outcome = refusal(code, detail)
  if (outcome) return outcome
  throw new Problem('unavailable', 'Sign-up does not work at the moment. Try again later.', {
    cause: new Error(`accounts:signUp answered ${response.status} ${message}`),
  })
}

/** What the provider's "no" means; `null`: nothing that whoever signs up could change. */
function refusal(code: string, detail: string): SignUpOutcome | null {
  switch (code) {
    case 'EMAIL_EXISTS':
      return { kind: 'email_taken' }
    case 'INVALID_EMAIL':
      return { kind: 'invalid_email' }
    case 'WEAK_PASSWORD':
    case 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS':
      return { kind: 'weak_password', unmet: requirementsIn(detail) }
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

/** Such as `Missing password requirements: [Password must contain at least 8 characters, …]`; the provider says it in words only. */
function requirementsIn(detail: string): Requirement[] {
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

function unreachable(cause: unknown): never {
  throw new Problem('unavailable', 'The sign-in service cannot be reached. Try again in a moment.', { cause })
}
