import { createHash } from 'node:crypto'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { Email } from '#contract/users.ts'

/** A provider whose ID tokens are taken. */
export type OidcProvider = {
  /** `google.com`, or `oidc.` and a name that the operator chose. */
  readonly id: string
  /** To the letter, as its tokens name it. */
  readonly issuer: string
  /** What its tokens must be made for. */
  readonly clientId: string
}

export const GOOGLE = { id: 'google.com', issuer: 'https://accounts.google.com' } as const

/**
 * Reads what an operator writes: `google.com=<client id>`, `oidc.<name>=<issuer>|<client id>`, separated by commas.
 * @returns `null` where that is not what it says.
 */
export function readProviders(text: string): OidcProvider[] | null {
  const providers: OidcProvider[] = []
  for (const entry of text.split(',')) {
    const [, id = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(entry) ?? []
    const provider = id === GOOGLE.id ? { ...GOOGLE, clientId: value } : readOwn(id, value)
    if (provider === null || (id === GOOGLE.id && value.includes('|'))) return null
    if (providers.some((other) => other.id === provider.id)) return null
    providers.push(provider)
  }
  return providers
}

function readOwn(id: string, value: string): OidcProvider | null {
  const [issuer = '', clientId = ''] = value.split(/\|(.*)/)
  const url = URL.parse(issuer)
  const isIssuer = url !== null && isSafe(url) && !/[?#@]/.test(issuer)
  return /^oidc\.[a-z0-9-]{1,64}$/.test(id) && isIssuer && clientId !== '' ? { id, issuer, clientId } : null
}

/** Who somebody is at a provider, by its word. */
export type Asserted = {
  readonly provider: string
  readonly rawId: string
  readonly email: string | null
  /** Whether that word is proof that the address is theirs: the provider is the one that keeps its mailbox. */
  readonly ownsEmail: boolean
  readonly displayName: string | null
  readonly photoUrl: string | null
  /** All that the token says. */
  readonly claims: { readonly [name: string]: unknown }
}

export type Unproven = {
  readonly refused:
    | 'unknown_provider'
    | 'idp_unreadable'
    | 'idp_signature'
    | 'idp_issuer'
    | 'idp_audience'
    | 'idp_stale'
    | 'idp_no_subject'
    | 'nonce_missing'
    | 'nonce_wrong'
}

export type Proven = {
  readonly asserted: Asserted
  /** Set where this token may be used once: what it is known by, and until when (ms) it could come again. */
  readonly once: { readonly key: string; readonly untilMs: number } | null
}

export type OidcVerifier = {
  /**
   * What an ID token proves, if it is the provider's, for us, and good now.
   * Rejects only when the provider's keys cannot be had.
   */
  verify(
    token: { readonly provider: string; readonly idToken: string; readonly nonce: string | null },
    now: number,
  ): Promise<Proven | Unproven>
}

/** A secret that both sides know proves nothing here: whoever may check could sign as well. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_TOLERANCE_S = 30
/** Longer than any provider's token is good for. */
const MAX_AGE_S = 86_400

export type Patience = {
  /** How long an issuer may take over an answer. */
  readonly timeoutMs: number
  /** How long it is not asked again for a key that it does not publish: tokens that name one are cheap to make. */
  readonly cooldownMs: number
}

export function createOidcVerifier(
  providers: readonly OidcProvider[],
  patience: Patience = { timeoutMs: 5_000, cooldownMs: 30_000 },
): OidcVerifier {
  const known = new Map(
    providers.map((provider) => [provider.id, { provider, getKey: keysOf(provider, patience) }]),
  )
  return {
    async verify({ provider: id, idToken, nonce }, now) {
      const found = known.get(id)
      if (!found) return { refused: 'unknown_provider' }
      const read = await verified(found, idToken, now)
      if ('refused' in read) return read
      const { claims } = read
      const { provider } = found
      const { aud, azp, sub, exp } = claims
      if (Array.isArray(aud) && aud.length > 1 && azp !== provider.clientId)
        return { refused: 'idp_audience' }
      const rawId = Subject.safeParse(sub)
      if (!rawId.success) return { refused: 'idp_no_subject' }
      const asserted = assertedBy(provider, rawId.data, claims)
      if (claims.nonce === undefined)
        return nonce === null ? { asserted, once: null } : { refused: 'nonce_wrong' }
      if (nonce === null) return { refused: 'nonce_missing' }
      // Not the nonce itself: whoever got hold of the token can read it there. Only who asked for it knows what was hashed.
      if (claims.nonce !== createHash('sha256').update(nonce).digest('hex')) return { refused: 'nonce_wrong' }
      const key = JSON.stringify([provider.id, rawId.data, nonce])
      return { asserted, once: { key, untilMs: (Number(exp) + CLOCK_TOLERANCE_S) * 1000 } }
    },
  }
}

type Known = { readonly provider: OidcProvider; readonly getKey: JWTVerifyGetKey }

async function verified(
  { provider, getKey }: Known,
  idToken: string,
  now: number,
): Promise<{ readonly claims: Asserted['claims'] } | Unproven> {
  try {
    const { payload } = await jwtVerify(idToken, getKey, {
      algorithms: ALGORITHMS,
      // Google's tokens name it with or without the scheme: https://developers.google.com/identity/openid-connect/openid-connect
      issuer: provider.id === GOOGLE.id ? [provider.issuer, 'accounts.google.com'] : provider.issuer,
      audience: provider.clientId,
      requiredClaims: ['exp', 'iat'],
      maxTokenAge: MAX_AGE_S,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    })
    return { claims: payload }
  } catch (error) {
    // jose throws its "no".
    const refused = error instanceof errors.JOSEError ? reasonOf(error) : null
    if (refused !== null) return { refused }
    // Not the token's fault, and over when the provider is back.
    throw new Error(`The keys of ${provider.id} cannot be had from ${provider.issuer}.`, { cause: error })
  }
}

function reasonOf(error: errors.JOSEError): Unproven['refused'] | null {
  if (error instanceof errors.JWTExpired) return 'idp_stale'
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIMS.get(error.claim) ?? 'idp_unreadable'
  return REASONS.get(error.code) ?? null
}

const CLAIMS: ReadonlyMap<string, Unproven['refused']> = new Map([
  ['iss', 'idp_issuer'],
  ['aud', 'idp_audience'],
  ['iat', 'idp_stale'],
  ['nbf', 'idp_stale'],
])

const REASONS: ReadonlyMap<string, Unproven['refused']> = new Map([
  [errors.JWSInvalid.code, 'idp_unreadable'],
  [errors.JWTInvalid.code, 'idp_unreadable'],
  [errors.JOSEAlgNotAllowed.code, 'idp_signature'],
  [errors.JOSENotSupported.code, 'idp_signature'],
  [errors.JWSSignatureVerificationFailed.code, 'idp_signature'],
  [errors.JWKSNoMatchingKey.code, 'idp_signature'],
  [errors.JWKSMultipleMatchingKeys.code, 'idp_signature'],
])

// ---- what a token says ----

const printable = z.string().regex(/^\P{Cc}+$/u)
const Subject = printable.max(255)
const Name = printable.max(256).nullable().catch(null)
const Photo = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .nullable()
  .catch(null)
const Address = Email.nullable().catch(null)

function assertedBy(provider: OidcProvider, rawId: string, claims: Asserted['claims']): Asserted {
  const email = Address.parse(claims.email)
  return {
    provider: provider.id,
    rawId,
    email,
    ownsEmail: email !== null && claims.email_verified === true && keepsMailbox(provider, email, claims.hd),
    displayName: Name.parse(claims.name),
    photoUrl: Photo.parse(claims.picture),
    claims,
  }
}

/**
 * Google speaks for its own mailboxes and for those of a Workspace, which `hd` names:
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token, read 2026-11. Of any other issuer we cannot know
 * how it came by an address that it calls verified.
 */
const keepsMailbox = (provider: OidcProvider, email: string, hd: unknown): boolean =>
  provider.id === GOOGLE.id && (email.endsWith('@gmail.com') || typeof hd === 'string')

// ---- where its keys are ----

const ANSWER_MAX_BYTES = 262_144
/** For so long an issuer's word where its keys are is taken. */
const DISCOVERY_TTL_MS = 3_600_000

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** Asked for when first needed, and together by all who wait for it. What failed is asked again by the next. */
function keysOf(provider: OidcProvider, patience: Patience): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | null = null
  let foundAt = Number.NEGATIVE_INFINITY
  return async (header, token) => {
    if (found === null || Date.now() - foundAt > DISCOVERY_TTL_MS) {
      foundAt = Date.now()
      const asked = discover(provider, patience)
      found = asked
      asked.catch(() => {
        if (found === asked) found = null
      })
    }
    return (await found)(header, token)
  }
}

async function discover(
  { issuer }: OidcProvider,
  { timeoutMs, cooldownMs }: Patience,
): Promise<JWTVerifyGetKey> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await boundedFetch(address, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'manual',
  })
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}.`)
  const said = Discovery.parse(await response.json())
  if (said.issuer !== issuer) throw new Error(`${address} is of another issuer: ${said.issuer}.`)
  const keys = new URL(said.jwks_uri)
  if (!isSafe(keys) || (issuer.startsWith('https:') && keys.protocol !== 'https:')) {
    throw new Error(`${address} names keys at an address that can be forged: ${said.jwks_uri}.`)
  }
  return createRemoteJWKSet(keys, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    [customFetch]: boundedFetch,
  })
}

/** Nobody in between can answer in its name: by https, or on this very machine. */
export const isSafe = (url: URL): boolean =>
  url.protocol === 'https:' ||
  (url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))

/** An answer of reasonable size; the time is the caller's signal. */
async function boundedFetch(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init)
  if (response.status !== 200) {
    await response.body?.cancel()
    return new Response(null, { status: response.status })
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`${address} answered more than ${ANSWER_MAX_BYTES} bytes.`)
    parts.push(part)
  }
  return new Response(Buffer.concat(parts))
}
