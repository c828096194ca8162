import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readBearer, mediaType } from '../kit/http/body.ts'
import { toJson } from '../kit/json.ts'
import type { Answer, Dialect } from '../kit/http/serve.ts'
import { recordTokenUse } from './state/tokens.ts'
import type { Creator, Grant, TikTok } from './state/state.ts'

export const ok = (data: Record<string, unknown>): Answer =>
  answer(200, { data, error: { code: 'ok', message: '' } })

export const refusal = (status: number, code: string, message: string): Answer =>
  answer(status, { data: {}, error: { code, message } })

function answer(status: number, body: { data: object; error: object }): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: toJson({ ...body, error: { ...body.error, log_id: logId() } }),
  }
}

export const logId = (): string => `2026${randomUUID().replaceAll('-', '').toUpperCase().slice(0, 28)}`

export const invalidParams = (message: string): Answer => refusal(400, 'invalid_params', message)

export interface Caller {
  grant: Grant
  creator: Creator
}

export function authenticate(tiktok: TikTok, request: FastifyRequest, anyOf: string[]): Caller | Answer {
  const token = tiktok.accessTokens.get(readBearer(request) ?? '')
  const grant = token === undefined ? undefined : tiktok.grants.get(token.grant_id)
  const creator = grant === undefined ? undefined : tiktok.creators.get(grant.username)
  if (
    token === undefined ||
    grant === undefined ||
    creator === undefined ||
    token.expires_at <= tiktok.clock.now()
  ) {
    return refusal(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
  }
  recordTokenUse(tiktok, grant, token.token)
  if (!anyOf.some((scope) => grant.scopes.includes(scope))) return missingScope()
  return { grant, creator }
}

export const missingScope = (): Answer =>
  refusal(
    401,
    'scope_not_authorized',
    'The user did not authorize the scope required for completing this request.',
  )

export const findAccount =
  (tiktok: TikTok) =>
  (request: FastifyRequest): string | null => {
    const token = tiktok.accessTokens.get(readBearer(request) ?? '')
    return token === undefined ? null : (tiktok.grants.get(token.grant_id)?.username ?? null)
  }

export const isJson = (request: FastifyRequest): boolean =>
  mediaType(request.headers['content-type']) === 'application/json'

export const notJson = (): Answer => invalidParams('Content-Type must be application/json')

export const dialect = (tiktok: TikTok): Dialect => ({
  platform: 'tiktok',
  serverError: () => refusal(500, 'internal_error', 'Something went wrong. Please try again later.'),
  throttled: () =>
    refusal(429, 'rate_limit_exceeded', 'The API rate limit was exceeded. Please try again later.'),
  expireToken: (request) => {
    const token = tiktok.accessTokens.get(readBearer(request) ?? '')
    if (token !== undefined)
      tiktok.accessTokens.put(token.token, { ...token, expires_at: tiktok.clock.now() })
    return refusal(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
  },
})
