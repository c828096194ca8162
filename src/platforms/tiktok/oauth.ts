import { z } from 'zod'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { call } from '../kit/http.ts'
import type { Grant, Profile, Tokens } from '../kit/platform.ts'
import { toFailure } from '../kit/failure-rule.ts'
import type { TikTokConfig } from './api/config.ts'
import { creatorInfo } from './api/creator-info.ts'
import { CODE_NOT_TAKEN, GRANT_GONE, NO_REFRESH_TOKEN } from './api/failures.ts'
import { RefreshAnswer, TokenAnswer, UserInfo, readEnvelope, readOAuth } from './api/wire.ts'

/** R15: `user.info.profile`, which `username` would need, is not asked for. */
export const SCOPES = ['user.info.basic', 'video.upload', 'video.publish'] as const

/** "Upload": drafts for the creator's inbox. Requested with the others, but the user may untick it. */
export const INBOX_SCOPES = ['video.upload'] as const

/** "Scopes" (2026-09-11): the numbers of the account's posts. Requested only where results are wanted: TikTok reviews each scope. */
export const RESULTS_SCOPES = ['video.list'] as const

const REFRESH_AHEAD_MS = 30 * 60_000
/** A refresh token lives for a year. No page says whether a refresh extends that, so Reelay refreshes early. */
const IDLE_REFRESH_MS = 7 * 86_400_000

/** TikTok, Login Kit for Web: the scopes are separated by commas. */
export function authorizeUrl(
  config: TikTokConfig,
  request: { readonly state: string; readonly redirectUri: string; readonly extraScopes: readonly string[] },
): string {
  const url = new URL(config.authorizeUrl)
  url.search = new URLSearchParams({
    client_key: config.clientKey,
    response_type: 'code',
    scope: [...new Set([...SCOPES, ...request.extraScopes])].join(','),
    redirect_uri: request.redirectUri,
    state: request.state,
    // Login Kit for Web: 1 always shows the page; otherwise "add another account" links the signed-in account.
    disable_auto_auth: '1',
  }).toString()
  return url.toString()
}

/** "Manage User Access Tokens": a form, never JSON, with exactly the same redirect address. */
export async function exchangeCode(
  config: TikTokConfig,
  now: () => number,
  request: { readonly code: string; readonly redirectUri: string },
): Promise<Result<Grant>> {
  const answer = await token(
    config,
    { grant_type: 'authorization_code', code: request.code, redirect_uri: request.redirectUri },
    TokenAnswer,
  )
  // "OAuth errors": the word covers a used or expired code and a lost grant. Here it is the code.
  if (!answer.ok) return answer.failure.reason.code === 'invalid_grant' ? fail(codeNotTaken) : answer
  const { access_token, expires_in, refresh_token, refresh_expires_in, scope, open_id } = answer.value
  const issuedAt = now()
  return ok({
    tokens: {
      accessToken: access_token,
      accessExpiresAt: issuedAt + expires_in * 1000,
      refreshToken: refresh_token,
      refreshExpiresAt: issuedAt + refresh_expires_in * 1000,
      issuedAt,
    },
    scopes: scope.split(',').map((each) => each.trim()),
    externalId: open_id,
  })
}

/** "The returned refresh_token may be different": keep the old one only if the answer has none. */
export async function refresh(
  config: TikTokConfig,
  now: () => number,
  tokens: Tokens,
): Promise<Result<Tokens>> {
  if (tokens.refreshToken === null) return fail(noRefreshToken)
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }
  const first = await token(config, fields, RefreshAnswer)
  const answer = isMalformed(first) ? await token(config, fields, RefreshAnswer) : first
  // A refresh token that TikTok calls malformed twice stays so: only the user can renew the access.
  if (!answer.ok && isMalformed(answer)) {
    return fail(toFailure('invalid_request', GRANT_GONE, answer.failure.reason.detail))
  }
  if (!answer.ok) return answer
  const { access_token, expires_in, refresh_token, refresh_expires_in } = answer.value
  const issuedAt = now()
  return ok({
    accessToken: access_token,
    accessExpiresAt: issuedAt + expires_in * 1000,
    refreshToken: refresh_token ?? tokens.refreshToken,
    refreshExpiresAt:
      refresh_expires_in === undefined ? tokens.refreshExpiresAt : issuedAt + refresh_expires_in * 1000,
    issuedAt,
  })
}

const isMalformed = (answer: Result<unknown>): boolean =>
  !answer.ok && answer.failure.reason.code === 'invalid_request'

const codeNotTaken = toFailure('invalid_grant', CODE_NOT_TAKEN, null)

const noRefreshToken = toFailure('invalid_grant', NO_REFRESH_TOKEN, null)

/** Half an hour before expiry; at half the life of shorter-lived practice tokens. */
export const refreshDueAt = (tokens: Tokens): number =>
  Math.max(
    tokens.accessExpiresAt - REFRESH_AHEAD_MS,
    tokens.issuedAt + (tokens.accessExpiresAt - tokens.issuedAt) / 2,
  )

/** Every week; at half the life of refresh tokens that live less than two weeks. */
export const idleRefreshAt = (tokens: Tokens): number =>
  Math.min(
    tokens.issuedAt + IDLE_REFRESH_MS,
    tokens.issuedAt + (tokens.refreshExpiresAt - tokens.issuedAt) / 2,
  )

/** An expired token is refused as unknown and leaves the grant alive, so renew it first. Success is an empty body. */
export async function revoke(config: TikTokConfig, now: () => number, tokens: Tokens): Promise<Result<void>> {
  let accessToken = tokens.accessToken
  if (tokens.accessExpiresAt <= now()) {
    const fresh = await refresh(config, now, tokens)
    if (!fresh.ok) return fresh.failure.kind === 'account' ? ok(undefined) : fresh
    accessToken = fresh.value.accessToken
  }
  const reply = await call({
    method: 'POST',
    url: `${config.apiUrl}/v2/oauth/revoke/`,
    form: { client_key: config.clientKey, client_secret: config.clientSecret, token: accessToken },
  })
  const empty = reply.kind === 'answered' && reply.status < 300 && reply.text.trim() === ''
  const answer = empty ? ok({}) : readOAuth(reply, z.object({}))
  if (answer.ok) return ok(undefined)
  return answer.failure.reason.code === 'invalid_grant' ? ok(undefined) : answer
}

/** "Get User Info": one field outside the granted scopes fails the whole call, so ask only for `user.info.basic`. */
export async function profile(
  config: TikTokConfig,
  grant: { readonly accessToken: string; readonly scopes: readonly string[] },
): Promise<Result<Profile>> {
  const info = readEnvelope(
    await call({
      method: 'GET',
      url: `${config.apiUrl}/v2/user/info/`,
      query: { fields: 'open_id,union_id,avatar_url,display_name' },
      bearer: grant.accessToken,
    }),
    UserInfo,
  )
  if (!info.ok) return info
  const { user } = info.value
  const named = {
    externalId: user.open_id,
    appScopedId: null,
    // R15: `user.info.basic` does not include it, and asking for it fails the whole call.
    username: null,
    displayName: user.display_name ?? user.open_id,
    avatarUrl: user.avatar_url ?? null,
  }
  if (!grant.scopes.includes('video.publish')) return ok(named)
  const creator = await creatorInfo(config, grant.accessToken)
  if (creator.ok) {
    const { creator_username, creator_nickname, creator_avatar_url } = creator.value
    return ok({
      externalId: user.open_id,
      appScopedId: null,
      username: creator_username,
      displayName: creator_nickname || named.displayName,
      avatarUrl: creator_avatar_url ?? named.avatarUrl,
    })
  }
  // A creator who may not post now can still be linked; the handle is then unknown.
  return creator.failure.kind === 'rejected' || creator.failure.kind === 'throttled' ? ok(named) : creator
}

async function token<T>(
  config: TikTokConfig,
  fields: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
): Promise<Result<T>> {
  const reply = await call({
    method: 'POST',
    url: `${config.apiUrl}/v2/oauth/token/`,
    form: { client_key: config.clientKey, client_secret: config.clientSecret, ...fields },
  })
  return readOAuth(reply, schema)
}
