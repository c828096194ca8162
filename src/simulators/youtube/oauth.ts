import { createHash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { formFields, isForm } from '../kit/http/form.ts'
import { secret } from '../kit/ids.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import {
  clientId,
  clientSecret,
  endAccess,
  googleId,
  scopes,
  type Code,
  type RefreshToken,
  type YouTube,
} from './state.ts'

const day = 86_400_000
/** "expires_in (about 3599)" */
const accessLifetimeS = 3599

export const tokenAccount =
  (youtube: YouTube) =>
  (request: FastifyRequest): string | null => {
    const form = formFields(request)
    return (
      youtube.codes.get(form.get('code') ?? '')?.username ??
      youtube.refreshTokens.get(form.get('refresh_token') ?? '')?.username ??
      null
    )
  }

export function token(youtube: YouTube, call: Call): Answer {
  const form = formFields(call.request)
  if (!isForm(call.request)) return flatError(400, 'invalid_request', 'The body must be form-encoded.')
  if (form.get('client_id') !== clientId)
    return flatError(401, 'invalid_client', 'The OAuth client was not found.')
  if (form.get('client_secret') !== clientSecret) return flatError(401, 'invalid_client', 'Unauthorized')
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(youtube, form)
    case 'refresh_token':
      return refresh(youtube, form)
    case null:
      return flatError(400, 'invalid_request', 'Missing required parameter: grant_type')
    default:
      return flatError(400, 'unsupported_grant_type', 'Invalid grant_type')
  }
}

function exchangeCode(youtube: YouTube, form: URLSearchParams): Answer {
  if (!form.has('code')) return flatError(400, 'invalid_request', 'Missing required parameter: code')
  const code = youtube.codes.get(form.get('code') ?? '')
  const now = youtube.clock.now()
  if (code === undefined || code.used || code.expires_at <= now)
    return flatError(400, 'invalid_grant', 'Malformed auth code.')
  if (form.get('redirect_uri') !== code.redirect_uri) {
    return flatError(400, 'redirect_uri_mismatch', 'Bad Request')
  }
  if (code.code_challenge !== null && !answersChallenge(form.get('code_verifier'), code.code_challenge))
    return flatError(400, 'invalid_grant', 'Invalid code verifier.')
  return youtube.store.transaction(() => {
    youtube.codes.put(code.code, { ...code, used: true })
    const fresh = code.gives_refresh_token ? newRefreshToken(youtube, code) : null
    return tokenAnswer(youtube, code, fresh)
  })
}

const answersChallenge = (verifier: string | null, challenge: string): boolean =>
  verifier !== null &&
  /^[\w.~-]{43,128}$/.test(verifier) &&
  createHash('sha256').update(verifier).digest('base64url') === challenge

/** "100 live refresh tokens per Google account and client id": one more ends the oldest, without a word. */
function newRefreshToken(youtube: YouTube, { username, scopes: granted }: Pick<Code, 'username' | 'scopes'>) {
  const now = youtube.clock.now()
  const { youtube_refresh_tokens_max: most, youtube_access_limited_s: limitedS } = youtube.settings.get()
  const personOf = (name: string): string | undefined => youtube.creators.get(name)?.person
  const ofPerson = youtube.refreshTokens
    .all()
    .filter((each) => personOf(each.username) === personOf(username))
  for (const oldest of ofPerson.slice(0, Math.max(0, ofPerson.length + 1 - most)))
    youtube.refreshTokens.delete(oldest.token)
  const fresh: RefreshToken = {
    token: `1//0${secret(70)}`,
    username,
    scopes: granted,
    created_at: now,
    used_at: now,
    expires_at: limitedS > 0 ? now + limitedS * 1000 : null,
  }
  youtube.refreshTokens.put(fresh.token, fresh)
  return fresh
}

/** Repeating a refresh is safe: the refresh token stays valid. */
function refresh(youtube: YouTube, form: URLSearchParams): Answer {
  const old = youtube.refreshTokens.get(form.get('refresh_token') ?? '')
  if (!form.has('refresh_token'))
    return flatError(400, 'invalid_request', 'Missing required parameter: refresh_token')
  if (old === undefined || isDead(youtube, old))
    return flatError(400, 'invalid_grant', 'Token has been expired or revoked.')
  return youtube.store.transaction(() => {
    youtube.refreshTokens.put(old.token, { ...old, used_at: youtube.clock.now() })
    const fresh = youtube.settings.get().youtube_refresh_returns_new ? newRefreshToken(youtube, old) : null
    return tokenAnswer(youtube, old, fresh)
  })
}

function isDead(
  youtube: YouTube,
  { created_at, used_at, expires_at, scopes: granted }: RefreshToken,
): boolean {
  const now = youtube.clock.now()
  const { youtube_consent_screen: screen, youtube_refresh_unused_days: unusedDays } = youtube.settings.get()
  // "consent screen External + Testing: 7 days (only sign-in scopes are exempt)"
  const isLimited = screen === 'testing' && granted.some((name) => scopes[name]?.signIn === false)
  return (
    (isLimited && created_at + 7 * day <= now) ||
    used_at + unusedDays * day <= now ||
    (expires_at !== null && expires_at <= now)
  )
}

function tokenAnswer(
  youtube: YouTube,
  { username, scopes: granted }: Pick<Code, 'username' | 'scopes'>,
  refreshToken: RefreshToken | null,
): Answer {
  const now = youtube.clock.now()
  const access = `ya29.${secret(120)}`
  const expires_at = now + accessLifetimeS * 1000
  youtube.accessTokens.put(access, { token: access, username, scopes: granted, expires_at })
  return json(200, {
    access_token: access,
    expires_in: accessLifetimeS,
    ...(refreshToken !== null && { refresh_token: refreshToken.token }),
    ...(refreshToken?.expires_at != null && {
      refresh_token_expires_in: Math.round((refreshToken.expires_at - now) / 1000),
    }),
    scope: granted.join(' '),
    token_type: 'Bearer',
    ...(granted.includes('openid') && { id_token: idToken(youtube, username) }),
  })
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The signature is noise: it came over TLS from the token endpoint, and these pages name no keys to check it with. */
function idToken(youtube: YouTube, username: string): string {
  const seconds = Math.floor(youtube.clock.now() / 1000)
  const claims = {
    iss: 'https://accounts.google.com',
    azp: clientId,
    aud: clientId,
    sub: googleId(youtube.creators.get(username)?.person ?? username),
    iat: seconds,
    exp: seconds + accessLifetimeS,
  }
  const signature = randomBytes(256).toString('base64url')
  return `${encode({ alg: 'RS256', kid: 'practice', typ: 'JWT' })}.${encode(claims)}.${signature}`
}

/** `POST /revoke` with an access or refresh token. */
export function revoke(youtube: YouTube, call: Call): Answer {
  const given = formFields(call.request).get('token')
  if (given === null) return flatError(400, 'invalid_request', 'Missing required parameter: token')
  const known = youtube.refreshTokens.get(given) ?? youtube.accessTokens.get(given)
  if (known === undefined || (known.expires_at !== null && known.expires_at <= youtube.clock.now()))
    return flatError(400, 'invalid_token', 'Token expired or revoked')
  call.account = known.username
  endAccess(youtube, known.username)
  return json(200, {})
}

const flatError = (status: number, error: string, description: string): Answer =>
  json(status, { error, error_description: description })

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
