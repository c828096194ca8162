import type { FastifyRequest } from 'fastify'
import { bodyText, parseForm, parseQuery } from '../kit/http/body.ts'
import { secret } from '../kit/ids.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { authenticate, graphError, json } from './graph/answers.ts'
import { appId, appSecret, basicScope, userId, type Instagram, type Token } from './state/state.ts'

const hour = 3_600_000
/** Real answers say `"expires_in":5183944`: about 60 days. */
const longLifetimeMs = 5_183_944_000

const flatError = (message: string, code = 400): Answer =>
  json(400, { error_type: 'OAuthException', code, error_message: message })

export async function token(instagram: Instagram, call: Call): Promise<Answer> {
  const form = await parseForm(call.request)
  if (form === null) return flatError('Missing required field client_id')
  if (form.get('client_id') !== appId) return flatError('Invalid platform app')
  if (form.get('client_secret') !== appSecret) return flatError('Error validating client secret.', 101)
  if (form.get('grant_type') !== 'authorization_code') return flatError('Invalid grant_type')
  const code = instagram.codes.get(form.get('code') ?? '')
  if (code === undefined || code.used) return flatError('Matching code was not found or was already used')
  call.account = code.username
  if (code.expires_at <= instagram.clock.now()) return flatError('This authorization code has expired')
  if (form.get('redirect_uri') !== code.redirect_uri) return flatError('Invalid redirect_uri')
  const issued = instagram.store.transaction(() => {
    instagram.codes.put(code.code, { ...code, used: true })
    return issue(instagram, 'short', code.username, code.scopes)
  })
  const { instagram_token_shape: shape, instagram_permissions_shape: permissions } = instagram.settings.get()
  const answer = {
    access_token: issued.token,
    // An unquoted integer beyond 2^53: as a JavaScript number it names another account.
    user_id: BigInt(userId(code.username)),
    permissions: permissions === 'array' ? code.scopes : code.scopes.join(','),
  }
  return json(200, shape === 'flat' ? answer : { data: [answer] })
}

function issue(instagram: Instagram, kind: Token['kind'], username: string, scopes: string[]): Token {
  const now = instagram.clock.now()
  const issued: Token = {
    token: `IGAA${secret(100)}`,
    kind,
    username,
    scopes,
    created_at: now,
    expires_at: now + (kind === 'short' ? hour : longLifetimeMs),
  }
  instagram.tokens.put(issued.token, issued)
  return issued
}

const longToken = (issued: Token, now: number): Answer =>
  json(200, {
    access_token: issued.token,
    token_type: 'bearer',
    expires_in: Math.round((issued.expires_at - now) / 1000),
  })

/** `GET /access_token?grant_type=ig_exchange_token`: exchanges a short token for one of 60 days. */
export function exchange(instagram: Instagram, call: Call): Answer {
  const query = parseQuery(call.request)
  if (query.get('grant_type') !== 'ig_exchange_token')
    return graphError({ code: 100, message: 'Invalid grant_type' })
  if (query.get('client_secret') !== appSecret) {
    return graphError({ code: 101, message: 'Error validating client secret.' })
  }
  const caller = authenticateQuery(instagram, call.request)
  if ('status' in caller) return caller
  if (caller.kind !== 'short')
    return graphError({ code: 100, message: 'The access token is not a short-lived token.' })
  return longToken(issue(instagram, 'long', caller.username, caller.scopes), instagram.clock.now())
}

/** `GET /refresh_access_token?grant_type=ig_refresh_token`, for a long token at least 24 hours old. */
export function refresh(instagram: Instagram, call: Call): Answer {
  const query = parseQuery(call.request)
  if (query.get('grant_type') !== 'ig_refresh_token')
    return graphError({ code: 100, message: 'Invalid grant_type' })
  const caller = authenticateQuery(instagram, call.request)
  if ('status' in caller) return caller
  const now = instagram.clock.now()
  if (caller.kind !== 'long')
    return graphError({ code: 100, message: 'Only long-lived tokens can be refreshed.' })
  // The code of this refusal is not documented; 100 is our assumption.
  if (caller.created_at + 24 * hour > now) {
    return graphError({
      code: 100,
      message: 'The access token must be at least 24 hours old to be refreshed.',
    })
  }
  // Unknown at Instagram, so a setting decides if the old token ends.
  if (instagram.settings.get().instagram_refresh_ends_old)
    instagram.tokens.put(caller.token, { ...caller, expires_at: now })
  return longToken(issue(instagram, 'long', caller.username, caller.scopes), now)
}

/** These two calls document the token as a parameter, not as a header. */
function authenticateQuery(instagram: Instagram, request: FastifyRequest): Token | Answer {
  const query = parseQuery(request)
  if (!query.has('access_token'))
    return graphError({ code: 100, message: 'The parameter access_token is required' })
  const caller = authenticate(instagram, request, query, basicScope)
  return 'status' in caller ? caller : caller.token
}

/** "GET only": a POST to either token address. */
export const unsupportedMethod = (): Answer =>
  graphError({ code: 100, type: 'IGApiException', message: 'Unsupported request - method type: post' })

export const tokenAccount =
  (instagram: Instagram) =>
  (request: FastifyRequest): string | null => {
    const code = new URLSearchParams(bodyText(request)).get('code')
    return instagram.codes.get(code ?? '')?.username ?? null
  }
