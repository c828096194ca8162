import { secret } from '../../kit/ids.ts'
import type { Grant, TikTok } from './state.ts'

const day = 86_400_000
/** "expires_in": 86400 and "refresh_expires_in": 31536000. */
export const accessLifetimeMs = day
const refreshLifetimeMs = 365 * day

const newRefreshToken = (): string => `rft.${secret(48)}`

function issueAccessToken(tiktok: TikTok, grantId: string): string {
  const token = `act.${secret(48)}`
  tiktok.accessTokens.put(token, {
    token,
    grant_id: grantId,
    expires_at: tiktok.clock.now() + accessLifetimeMs,
  })
  return token
}

export function openGrant(tiktok: TikTok, username: string, scopes: string[]): Grant {
  const id = secret(12)
  const grant: Grant = {
    id,
    username,
    scopes,
    refresh_token: newRefreshToken(),
    refresh_expires_at: tiktok.clock.now() + refreshLifetimeMs,
    previous_refresh_token: null,
    access_token: issueAccessToken(tiktok, id),
  }
  tiktok.grants.put(id, grant)
  return grant
}

export function closeGrant(tiktok: TikTok, grant: Grant): void {
  tiktok.grants.delete(grant.id)
  for (const token of tiktok.accessTokens.all()) {
    if (token.grant_id === grant.id) tiktok.accessTokens.delete(token.token)
  }
}

/**
 * Exchanges a refresh token for a new pair; null if it is dead. TikTok does not document how long the old one stays valid,
 * so a setting decides: `on_use` (the default) repairs a lost answer, and of two concurrent refreshes the later wins.
 */
export function refreshGrant(tiktok: TikTok, refreshToken: string): Grant | null {
  const now = tiktok.clock.now()
  const grant = tiktok.grants
    .all()
    .find((each) => each.refresh_token === refreshToken || each.previous_refresh_token === refreshToken)
  if (grant === undefined || grant.refresh_expires_at <= now) return null
  const again = grant.previous_refresh_token === refreshToken
  // The pair with the lost answer is replaced: it was never used, or the old token would be dead.
  if (again) tiktok.accessTokens.delete(grant.access_token)
  const rotation = tiktok.settings.get().tiktok_refresh_rotation
  const next: Grant = {
    ...grant,
    access_token: issueAccessToken(tiktok, grant.id),
    refresh_token: rotation === 'never' ? grant.refresh_token : newRefreshToken(),
    refresh_expires_at: now + refreshLifetimeMs,
    previous_refresh_token: rotation === 'on_use' ? refreshToken : null,
  }
  tiktok.grants.put(grant.id, next)
  return next
}

/** The first use of a new pair ends the previous refresh token. */
export function recordTokenUse(tiktok: TikTok, grant: Grant, accessToken: string): void {
  if (grant.previous_refresh_token !== null && grant.access_token === accessToken) {
    tiktok.grants.put(grant.id, { ...grant, previous_refresh_token: null })
  }
}
