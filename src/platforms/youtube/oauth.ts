import { createHash } from 'node:crypto'
import { z } from 'zod'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { toFailure } from '../kit/failure-rule.ts'
import { call, parseJson } from '../kit/http.ts'
import type { Grant, Profile, Tokens } from '../kit/platform.ts'
import { avatarOf, handleOf, readChannel } from './api/channel.ts'
import type { Deps, YouTubeConfig } from './api/config.ts'
import { accessEnded, CODE_NOT_TAKEN, ownFailure } from './api/failures.ts'
import { readOAuth, TokenAnswer } from './api/wire.ts'

const PREFIX = 'https://www.googleapis.com/auth/'
const UPLOAD = `${PREFIX}youtube.upload`
const READ = `${PREFIX}youtube.readonly`

/** `youtube.upload` alone can neither name the channel nor read a status. `openid` tells which Google account gave the grant. */
export const SCOPES = ['openid', UPLOAD, READ] as const

/** `commentThreads`: the only scope for comments. Requested only where a first comment is wanted. */
export const COMMENT_SCOPES = [`${PREFIX}youtube.force-ssl`] as const

/** Shares, watch time and subscribers: YouTube Analytics, Reports: Query. It also wants `youtube.readonly`. Counts need neither. */
export const RESULTS_SCOPES = [`${PREFIX}yt-analytics.readonly`] as const

/** Each box of the consent page as Google words it: people may untick them one by one. */
export const BOXES: Readonly<Record<string, string>> = {
  [UPLOAD]: 'Manage your YouTube videos',
  [READ]: 'View your YouTube account',
}

const DAY_MS = 86_400_000
const REFRESH_AHEAD_MS = 30 * 60_000
/** OAuth 2.0 overview (2026-05-26): a refresh token that is not used for six months ends. */
const UNUSED_MS = 180 * DAY_MS
const IDLE_REFRESH_MS = 30 * DAY_MS
/** The same page: seven days while the consent screen is in Testing. */
const TESTING_MS = 8 * DAY_MS

/** OAuth 2.0 for Web Server Applications: a refresh token needs offline access and a consent; the chooser picks a brand channel. */
export function authorizeUrl(
  config: YouTubeConfig,
  request: {
    readonly state: string
    readonly redirectUri: string
    readonly extraScopes: readonly string[]
    readonly codeVerifier: string
  },
): string {
  const url = new URL(config.authorizeUrl)
  url.search = new URLSearchParams({
    client_id: config.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: [...new Set([...SCOPES, ...request.extraScopes])].join(' '),
    state: request.state,
    access_type: 'offline',
    prompt: 'select_account consent',
    include_granted_scopes: 'true',
    code_challenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  return url.toString()
}

/** A code serves once. Without a refresh token the access would end after an hour, so nothing is linked. */
export async function exchangeCode(
  { config, now }: Deps,
  request: { readonly code: string; readonly redirectUri: string; readonly codeVerifier: string },
): Promise<Result<Grant>> {
  const answer = await token(config, {
    grant_type: 'authorization_code',
    code: request.code,
    redirect_uri: request.redirectUri,
    code_verifier: request.codeVerifier,
  })
  if (!answer.ok) {
    return isGrantRefused(answer)
      ? fail(toFailure('invalid_grant', CODE_NOT_TAKEN, answer.failure.reason.detail))
      : answer
  }
  const { refresh_token: refreshToken, scope, id_token: idToken } = answer.value
  if (refreshToken === undefined) return fail(ownFailure('not_renewable'))
  return ok({
    tokens: toTokens(answer.value, refreshToken, null, now()),
    scopes: scope.split(' ').filter((one) => one !== ''),
    externalId: null,
    ownerId: idToken === undefined ? null : readSubject(idToken),
  })
}

/** OAuth 2.0 for Web Server Applications: the answer has no refresh token, the old one stays valid. Repeating the call is harmless. */
export async function refresh({ config, now }: Deps, tokens: Tokens): Promise<Result<Tokens>> {
  if (tokens.refreshToken === null) return fail(accessEnded('no_refresh_token'))
  const answer = await token(config, { grant_type: 'refresh_token', refresh_token: tokens.refreshToken })
  if (!answer.ok) {
    return isGrantRefused(answer)
      ? fail(accessEnded(causeOfEnd(tokens, now()), answer.failure.reason.detail))
      : answer
  }
  return ok(toTokens(answer.value, answer.value.refresh_token ?? tokens.refreshToken, tokens, now()))
}

function causeOfEnd(tokens: Tokens, now: number): 'ended' | 'ended_testing' | 'ended_unused' {
  if (now - tokens.issuedAt >= UNUSED_MS) return 'ended_unused'
  const isLimited = tokens.refreshExpiresAt - tokens.issuedAt <= TESTING_MS
  return isLimited && tokens.refreshExpiresAt <= now + DAY_MS ? 'ended_testing' : 'ended'
}

const isGrantRefused = (answer: Result<unknown>): boolean =>
  !answer.ok && answer.failure.reason.code === 'invalid_grant'

/** @param before the tokens that were renewed: an end that Google fixed stays */
function toTokens(
  answer: TokenAnswer,
  refreshToken: string,
  before: Tokens | null,
  issuedAt: number,
): Tokens {
  const unused = issuedAt + UNUSED_MS
  const isFixed = before !== null && before.refreshExpiresAt - before.issuedAt < UNUSED_MS
  const told = answer.refresh_token_expires_in
  return {
    accessToken: answer.access_token,
    accessExpiresAt: issuedAt + answer.expires_in * 1000,
    refreshToken,
    refreshExpiresAt:
      told === undefined ? (isFixed ? before.refreshExpiresAt : unused) : issuedAt + told * 1000,
    issuedAt,
  }
}

/** Half an hour before expiry; at half the life of shorter-lived practice tokens. */
export const refreshDueAt = (tokens: Tokens): number =>
  Math.max(
    tokens.accessExpiresAt - REFRESH_AHEAD_MS,
    tokens.issuedAt + (tokens.accessExpiresAt - tokens.issuedAt) / 2,
  )

/** Every month, far within the six; at half the life of grants that end at a fixed time. */
export const idleRefreshAt = (tokens: Tokens): number =>
  Math.min(
    tokens.issuedAt + IDLE_REFRESH_MS,
    tokens.issuedAt + (tokens.refreshExpiresAt - tokens.issuedAt) / 2,
  )

/** Ends everything that this Google account granted to the app, for all its channels. */
export async function revoke({ config }: Deps, tokens: Tokens): Promise<Result<void>> {
  const reply = await call({
    method: 'POST',
    url: `${config.oauthUrl}/revoke`,
    form: { token: tokens.refreshToken ?? tokens.accessToken },
  })
  if (reply.kind === 'answered' && reply.status < 300) return ok(undefined)
  const answer = readOAuth(reply, z.object({}))
  // It is gone already.
  if (answer.ok || answer.failure.reason.code === 'invalid_token') return ok(undefined)
  return fail(answer.failure)
}

/** `channels.list`: one grant is for one channel. */
export async function profile(deps: Deps, accessToken: string): Promise<Result<Profile>> {
  const channel = await readChannel(deps, accessToken)
  if (!channel.ok) return channel
  const { id, snippet } = channel.value
  return ok({
    externalId: id,
    appScopedId: null,
    username: handleOf(channel.value),
    displayName: snippet.title === '' ? id : snippet.title,
    avatarUrl: avatarOf(channel.value),
  })
}

const IdToken = z.object({ sub: z.string().min(1).max(255) })

/** OpenID Connect: came straight from Google over TLS, so its signature need not be checked. */
function readSubject(idToken: string): string | null {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
  return IdToken.safeParse(parseJson(payload, ['_'])).data?.sub ?? null
}

const token = async (
  config: YouTubeConfig,
  fields: Readonly<Record<string, string>>,
): Promise<Result<TokenAnswer>> =>
  readOAuth(
    await call({
      method: 'POST',
      url: `${config.oauthUrl}/token`,
      form: { client_id: config.clientId, client_secret: config.clientSecret, ...fields },
    }),
    TokenAnswer,
  )
