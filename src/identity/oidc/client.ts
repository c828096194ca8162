import type { FastifyBaseLogger } from 'fastify'
import * as openid from 'openid-client'
import type { Subject } from '../store/provider-links.ts'

/** One entry of `OIDC_PROVIDERS`. */
export type Provider = {
  /** A part of the redirect address that is registered at the provider. */
  readonly id: string
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Separated by spaces. */
  readonly scopes: string
  /** Whoever has the claim operates the server. `null`: the provider has no say in that. */
  readonly operatorClaim: { readonly name: string; readonly value: string } | null
  readonly quotaClaim: string | null
  /** The log-in page leads there by itself. */
  readonly auto: boolean
}

/** A log-in must bring these back. They stay with the browser that began it. */
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string }

export type ProviderUser = Subject & {
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly operator: boolean | null
  readonly quota: string | null
}

export type ProviderFailure =
  | 'provider_unreachable'
  /** The provider answered that there is no log-in: most often the person declined. */
  | 'provider_refused'
  /** Its answer does not belong to this log-in, or cannot be verified. */
  | 'provider_answer_invalid'

export type OidcClient = {
  readonly providers: readonly Provider[]
  find(id: string): Provider | undefined
  begin(provider: Provider): Promise<{ readonly url: string; readonly checks: Checks } | ProviderFailure>
  /** @param query of the address to which the provider sent the browser, with its question mark */
  finish(provider: Provider, query: string, checks: Checks): Promise<ProviderUser | ProviderFailure>
}

export type OidcClientDeps = {
  readonly providers: readonly Provider[]
  readonly callbackUrl: (providerId: string) => string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  /** Epoch ms. */
  readonly now: () => number
  /** Seconds in which a provider must answer each call. */
  readonly answerWithinS?: number | undefined
}

const ANSWER_WITHIN_S = 10
const ANSWER_MAX_BYTES = 1_000_000
/** Providers rarely move an endpoint; keys are fetched again by themselves. */
const DISCOVERED_FOR_MS = 3_600_000

export function createOidcClient(deps: OidcClientDeps): OidcClient {
  const { providers, callbackUrl, log } = deps
  const discovered = new Map<
    string,
    { readonly config: Promise<openid.Configuration>; readonly at: number }
  >()

  /** At the first log-in, not at the start: a provider that is down stops nobody else. A failure is asked again. */
  function discover(provider: Provider): Promise<openid.Configuration> {
    const known = discovered.get(provider.id)
    if (known && deps.now() - known.at < DISCOVERED_FOR_MS) return known.config
    const config = readConfiguration(provider, deps.answerWithinS ?? ANSWER_WITHIN_S)
    discovered.set(provider.id, { config, at: deps.now() })
    config.catch(() => discovered.delete(provider.id))
    return config
  }

  function explain({ id }: Provider, error: unknown): ProviderFailure {
    const reason = describeError(error).slice(0, REASON_MAX_CHARS)
    log.warn({ provider: id, reason }, 'log-in through a provider failed')
    if (error instanceof openid.AuthorizationResponseError) return 'provider_refused'
    return isUnreachable(error) ? 'provider_unreachable' : 'provider_answer_invalid'
  }

  return {
    providers,
    find: (id) => providers.find((each) => each.id === id),
    async begin(provider) {
      try {
        const config = await discover(provider)
        const checks = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
        }
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: callbackUrl(provider.id),
          scope: provider.scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, checks }
      } catch (error) {
        return explain(provider, error)
      }
    },
    async finish(provider, query, { state, nonce, verifier }) {
      try {
        const config = await discover(provider)
        const tokens = await openid.authorizationCodeGrant(
          config,
          new URL(callbackUrl(provider.id) + query),
          { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        )
        const claims = tokens.claims()
        if (!claims) return 'provider_answer_invalid'
        // Some providers tell more there than in the ID token.
        const more =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
        return readUser(provider, { ...more, ...claims })
      } catch (error) {
        return explain(provider, error)
      }
    },
  }
}

function readConfiguration(
  { issuer, clientId, clientSecret }: Provider,
  timeout: number,
): Promise<openid.Configuration> {
  const isPlain = issuer.startsWith('http:')
  return openid.discovery(new URL(issuer), clientId, {}, authenticateClient(clientSecret), {
    timeout,
    [openid.customFetch]: fetchShort,
    execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])],
  })
}

/** Every provider must take the first, and says so where it does not. */
function authenticateClient(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const takes = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (takes.includes('client_secret_basic') ? basic : post)(server, client, body, headers)
  }
}

class TooLong extends Error {
  override readonly name = 'TooLong'
}

/** Reads answers up to a length, so that no provider fills the memory. */
const fetchShort: openid.CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit)
  const parts: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = answer.body
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > ANSWER_MAX_BYTES) throw new TooLong(`${new URL(url).host} answered more than 1 MB.`)
    parts.push(part)
  }
  const { status, headers } = answer
  return new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, headers })
}

/** Nothing was answered in time, or an error page. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (UNREACHABLE.has(String('code' in error ? error.code : error.name)) ||
    // The failure of `fetch`, whose cause is the network's.
    (error instanceof TypeError && error.cause instanceof Error) ||
    isUnreachable(error.cause))

const UNREACHABLE = new Set([
  'TimeoutError',
  'TooLong',
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

/** Anybody may write a long one into the address to which a provider leads back. */
const REASON_MAX_CHARS = 300

/** Without the library's other fields, which hold tokens, codes and whole answers. */
function describeError(error: unknown): string {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    return [error.error, error.error_description].filter(Boolean).join(': ')
  }
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return error.message + cause
}

type ProviderClaims = { readonly [name: string]: unknown } & { readonly iss: string; readonly sub: string }

function readUser({ operatorClaim, quotaClaim }: Provider, claims: ProviderClaims): ProviderUser {
  const { email, email_verified: verified, name } = claims
  const quota = quotaClaim === null ? null : findClaim(claims, quotaClaim)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === 'string' && email !== '' ? email : null,
    // Some providers send a text.
    emailVerified: verified === true || verified === 'true',
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : null,
    operator: operatorClaim && hasClaim(claims, operatorClaim),
    quota: typeof quota === 'string' && quota !== '' ? quota : null,
  }
}

function hasClaim(claims: ProviderClaims, { name, value }: { name: string; value: string }): boolean {
  const found = findClaim(claims, name)
  return (Array.isArray(found) ? found : [found]).some((each) => String(each) === value)
}

/** A name with dots may be one claim, or a path such as `realm_access.roles`. */
function findClaim(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return Reflect.get(claims, name)
  return name
    .split('.')
    .reduce<unknown>(
      (inner, part) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
          ? Reflect.get(inner, part)
          : undefined,
      claims,
    )
}
