import { setTimeout as pause } from 'node:timers/promises'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { call } from '../kit/http.ts'
import type { HttpReply } from '../kit/http.ts'
import type { Grant, Profile, Tokens } from '../kit/platform.ts'
import type { InstagramConfig } from './api/config.ts'
import { ownFailure } from './api/failures.ts'
import { LongToken, Me, ShortToken, graph, readGraph, readLink } from './api/wire.ts'
import type { Graph } from './api/wire.ts'

/** R12: `instagram_business_basic` alone cannot publish. */
export const SCOPES = ['instagram_business_basic', 'instagram_business_content_publish'] as const

/** IG Media Comments. Requested only where a first comment is wanted: Meta reviews each permission. */
export const COMMENT_SCOPES = ['instagram_business_manage_comments'] as const

/** Media insights (2026-06-18). Requested only where results are wanted. */
export const RESULTS_SCOPES = ['instagram_business_manage_insights'] as const

const DAY_MS = 86_400_000
/** "valid for 1 hour" */
const SHORT_MS = 3_600_000
/** The user waits meanwhile. Later tries are refreshes. */
const LONG_TRIES = 3
const PAUSE_MS = 500

/** Business Login guide: scopes separated by commas. */
export function authorizeUrl(
  config: InstagramConfig,
  request: { readonly state: string; readonly redirectUri: string; readonly extraScopes: readonly string[] },
): string {
  const url = new URL(config.authorizeUrl)
  url.search = new URLSearchParams({
    client_id: config.appId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: [...SCOPES, ...request.extraScopes].join(','),
    state: request.state,
    // Changelog 2025-06-14; without it the signed-in account would be linked again.
    force_reauth: 'true',
  }).toString()
  return url.toString()
}

/**
 * Exchanges the single-use code for a token of one hour, and that for one of 60 days. If the second exchange fails
 * temporarily, the account is linked with the first token and `refresh` repeats it within the hour.
 */
export async function exchangeCode(
  config: InstagramConfig,
  now: () => number,
  request: { readonly code: string; readonly redirectUri: string },
): Promise<Result<Grant>> {
  const short = readLink(
    await call({
      method: 'POST',
      url: `${config.apiUrl}/oauth/access_token`,
      form: {
        client_id: config.appId,
        client_secret: config.appSecret,
        grant_type: 'authorization_code',
        redirect_uri: request.redirectUri,
        // Business Login guide: "#_" is appended to the redirect address and does not belong to the code.
        code: request.code.replace(/#_$/, ''),
      },
    }),
    ShortToken,
  )
  if (!short.ok) return short
  const shortLived = toTokens({ access_token: short.value.access_token, expires_in: SHORT_MS / 1000 }, now())
  const long = await longLived(config, now, shortLived)
  if (!long.ok && !isPassing(long.failure)) return long
  return ok({
    tokens: long.ok ? long.value : shortLived,
    // Only this answer names the granted scopes. If it does not, publishing will show what is missing.
    scopes: short.value.permissions?.map((scope) => scope.trim()) ?? [...SCOPES],
    // Its `user_id` is a number that JSON parsers round; `/me` is authoritative.
    externalId: null,
  })
}

async function longLived(config: InstagramConfig, now: () => number, short: Tokens): Promise<Result<Tokens>> {
  for (let tries = 1; ; tries += 1) {
    const answer = await exchange(config, now, short)
    if (answer.ok || answer.failure.kind !== 'unreachable' || tries >= LONG_TRIES) return answer
    await pause(tries * PAUSE_MS)
  }
}

async function exchange(config: InstagramConfig, now: () => number, short: Tokens): Promise<Result<Tokens>> {
  return tokensFrom(
    await call({
      method: 'GET',
      url: `${config.graphUrl}/access_token`,
      query: {
        grant_type: 'ig_exchange_token',
        client_secret: config.appSecret,
        access_token: short.accessToken,
      },
    }),
    now,
  )
}

const isPassing = ({ kind }: Failure): boolean => kind === 'unreachable' || kind === 'throttled'

/** Only tokens of the first exchange live for at most an hour. */
const isShort = ({ issuedAt, accessExpiresAt }: Tokens): boolean => accessExpiresAt - issuedAt <= SHORT_MS

/** Business Login guide: GET, at least 24 hours after the last refresh and before expiry. The new token replaces the old one. */
export async function refresh(
  config: InstagramConfig,
  now: () => number,
  tokens: Tokens,
): Promise<Result<Tokens>> {
  const answer = isShort(tokens)
    ? await exchange(config, now, tokens)
    : tokensFrom(
        await call({
          method: 'GET',
          url: `${config.graphUrl}/refresh_access_token`,
          query: { grant_type: 'ig_refresh_token', access_token: tokens.accessToken },
        }),
        now,
      )
  // An expired token cannot be renewed: there is no second token.
  return !answer.ok && answer.failure.kind === 'account'
    ? fail({ ...answer.failure, expired: false })
    : answer
}

/** Before a post in the last week of the 60 days, never within 24 hours of the last refresh; a short-lived token at once. */
export const refreshDueAt = (tokens: Tokens): number =>
  isShort(tokens) ? tokens.issuedAt : Math.max(tokens.issuedAt + DAY_MS, tokens.accessExpiresAt - 7 * DAY_MS)

/** Accounts without posts refresh in the second half of a token's life: an expired token cannot be renewed. */
export const idleRefreshAt = (tokens: Tokens): number =>
  isShort(tokens) ? tokens.issuedAt : Math.max(tokens.issuedAt + DAY_MS, tokens.accessExpiresAt - 30 * DAY_MS)

function tokensFrom(reply: HttpReply, now: () => number): Result<Tokens> {
  const answer = readGraph(reply, LongToken)
  return answer.ok ? ok(toTokens(answer.value, now())) : fail(answer.failure)
}

const toTokens = (
  answer: { readonly access_token: string; readonly expires_in: number },
  now: number,
): Tokens => ({
  accessToken: answer.access_token,
  accessExpiresAt: now + answer.expires_in * 1000,
  refreshToken: null,
  refreshExpiresAt: now + answer.expires_in * 1000,
  issuedAt: now,
})

/** Get Started: `user_id` is the id of the professional account. Reelay knows the account by it from here on. */
export async function profile(config: InstagramConfig, accessToken: string): Promise<Result<Profile>> {
  const me = await readMe(config, accessToken)
  if (!me.ok) return fail(me.failure)
  const { value } = me
  // Get Started says `Business` and `Media_Creator`; real answers are in capitals.
  if (value.account_type?.toUpperCase() === 'PERSONAL') return fail(ownFailure('personal_account'))
  return ok({
    externalId: value.user_id,
    appScopedId: value.id ?? null,
    username: value.username,
    displayName: value.name !== undefined && value.name !== '' ? value.name : value.username,
    avatarUrl: value.profile_picture_url ?? null,
  })
}

export const readMe = (config: InstagramConfig, accessToken: string): Promise<Graph<Me>> =>
  graph(
    config,
    {
      method: 'GET',
      path: '/me',
      query: { fields: 'id,user_id,username,name,account_type,profile_picture_url' },
      bearer: accessToken,
    },
    Me,
  )
