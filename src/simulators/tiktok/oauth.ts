import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { formFields, isForm } from '../kit/http/form.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { logId } from './envelope.ts'
import { accessLifetimeMs, closeGrant, openGrant, refreshGrant } from './state/tokens.ts'
import { authorizationRemoved } from './webhooks.ts'
import { clientKey, clientSecret, openId, type Grant, type TikTok } from './state/state.ts'

export const tokenAccount =
  (tiktok: TikTok) =>
  (request: FastifyRequest): string | null => {
    const form = formFields(request)
    const refreshToken = form.get('refresh_token')
    const grant = tiktok.grants
      .all()
      .find((each) => each.refresh_token === refreshToken || each.previous_refresh_token === refreshToken)
    return tiktok.codes.get(form.get('code') ?? '')?.username ?? grant?.username ?? null
  }

export function token(tiktok: TikTok, call: Call): Answer {
  const form = readForm(tiktok, call)
  if (!(form instanceof URLSearchParams)) return form
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(tiktok, form)
    case 'refresh_token':
      return refresh(tiktok, form)
    case null:
      return flatError(tiktok, 'invalid_request', 'The request parameters are malformed: grant_type.')
    default:
      return flatError(tiktok, 'unsupported_grant_type', 'The grant_type is not supported.')
  }
}

function readForm(tiktok: TikTok, call: Call): URLSearchParams | Answer {
  if (!isForm(call.request)) {
    return flatError(
      tiktok,
      'invalid_request',
      'Only `application/x-www-form-urlencoded` is allowed as Content-Type.',
    )
  }
  const form = formFields(call.request)
  const wrongClient = checkClient(tiktok, form)
  return wrongClient ?? form
}

function exchangeCode(tiktok: TikTok, form: URLSearchParams): Answer {
  const code = tiktok.codes.get(form.get('code') ?? '')
  if (!form.has('code') || !form.has('redirect_uri')) {
    return flatError(tiktok, 'invalid_request', 'The request parameters are malformed: code, redirect_uri.')
  }
  if (code === undefined) return flatError(tiktok, 'invalid_grant', 'Authorization code is invalid.')
  if (code.used || code.expires_at <= tiktok.clock.now()) {
    return flatError(tiktok, 'invalid_grant', 'Authorization code is expired.')
  }
  if (form.get('redirect_uri') !== code.redirect_uri) {
    return flatError(
      tiktok,
      'invalid_request',
      'Redirect_uri is not matched with the uri when requesting code.',
    )
  }
  if (
    code.code_challenge !== null &&
    !answersChallenge(form.get('code_verifier') ?? '', code.code_challenge)
  ) {
    return flatError(tiktok, 'invalid_request', 'Code verifier or code challenge is invalid.')
  }
  return tiktok.store.transaction(() => {
    tiktok.codes.put(code.code, { ...code, used: true })
    return tokenReply(tiktok, openGrant(tiktok, code.username, code.scopes))
  })
}

const answersChallenge = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && sha256Hex(verifier) === challenge

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

function refresh(tiktok: TikTok, form: URLSearchParams): Answer {
  return tiktok.store.transaction(() => {
    const grant = refreshGrant(tiktok, form.get('refresh_token') ?? '')
    if (grant === null) return flatError(tiktok, 'invalid_grant', 'Refresh token is invalid or expired.')
    return tokenReply(tiktok, grant)
  })
}

function tokenReply(tiktok: TikTok, grant: Grant): Answer {
  return json(200, {
    access_token: grant.access_token,
    expires_in: accessLifetimeMs / 1000,
    open_id: openId(grant.username),
    refresh_token: grant.refresh_token,
    refresh_expires_in: Math.round((grant.refresh_expires_at - tiktok.clock.now()) / 1000),
    scope: grant.scopes.join(','),
    token_type: 'Bearer',
  })
}

/** `POST /v2/oauth/revoke/`: success is an empty body. An expired access token is refused as unknown. */
export function revoke(tiktok: TikTok, call: Call): Answer {
  const form = readForm(tiktok, call)
  if (!(form instanceof URLSearchParams)) return form
  const accessToken = tiktok.accessTokens.get(form.get('token') ?? '')
  const grant = accessToken === undefined ? undefined : tiktok.grants.get(accessToken.grant_id)
  if (accessToken === undefined || grant === undefined || accessToken.expires_at <= tiktok.clock.now()) {
    return flatError(tiktok, 'invalid_request', 'The token is unknown.')
  }
  call.account = grant.username
  tiktok.store.transaction(() => {
    closeGrant(tiktok, grant)
    authorizationRemoved(tiktok, grant.username, 5)
  })
  return { status: 200, headers: {}, body: '' }
}

function checkClient(tiktok: TikTok, form: URLSearchParams): Answer | null {
  if (form.get('client_key') === clientKey && form.get('client_secret') === clientSecret) return null
  return flatError(tiktok, 'invalid_client', 'Client key or secret is incorrect.')
}

/** The flat errors of the token endpoints, recorded with status 200: the body decides. */
function flatError(tiktok: TikTok, error: string, description: string): Answer {
  return json(tiktok.settings.get().tiktok_oauth_error_status, {
    error,
    error_description: description,
    log_id: logId(),
  })
}

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
