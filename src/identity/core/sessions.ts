import { looksLikeSecret, newSecret, secretHash } from '#base/secret.ts'
import { rememberAddress } from '../store/known-addresses.ts'
import * as store from '../store/sessions.ts'
import { findByUid, type IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import { type Claims, ID_TOKEN_TTL_S, issueIdToken, verifyIdToken } from '../credentials/tokens.ts'
import { addressHash, type Core, type Refusal } from './core.ts'

export type Session = {
  readonly user: IdentityUser
  readonly idToken: string
  readonly refreshToken: string
  readonly expiresInS: number
}

export const SESSION_IDLE_MS = 180 * 24 * 3_600_000

type OpenInput = Pick<store.SignIn, 'compared'> & {
  readonly ip: string
  /** Last log-in of the account from this address, when the caller has read it. */
  readonly seenHereAt?: Date | null
}

const SEEN_INTERVAL_MS = 3_600_000

/** Refused when the user changed since authentication. */
export async function openSession(
  core: Core,
  user: IdentityUser,
  { ip, seenHereAt = null, ...how }: OpenInput,
): Promise<Session | Refusal> {
  const refreshToken = newSecret()
  const now = new Date(core.now())
  const opened = await store.openSession(
    core.db,
    { uid: user.uid, validSince: user.valid_since, tokenHash: secretHash(refreshToken), ...how },
    now,
  )
  if (!opened) return { refused: 'wrong_login' }
  if (!seenHereAt || now.getTime() - seenHereAt.getTime() > SEEN_INTERVAL_MS) {
    await rememberAddress(core.db, { uid: user.uid, addressHash: addressHash(core, ip), now })
  }
  return issueSession(core, { ...user, signed_in_at: now }, refreshToken)
}

/** Issues a new ID token. The refresh token stays: tabs share it, and rotation would sign them out. */
export async function refresh(
  core: Core,
  input: { readonly refreshToken: string; readonly ip: string },
): Promise<Session | Refusal> {
  if (!looksLikeSecret(input.refreshToken)) return { refused: 'invalid_refresh_token' }
  const key = { wrongRefreshByIp: ipKey(input.ip) }
  const now = core.now()
  const found = await store.touchSession(core.db, secretHash(input.refreshToken), {
    now: new Date(now),
    notSince: new Date(now - SESSION_IDLE_MS),
  })
  if (found)
    return found.disabled ? { refused: 'user_disabled' } : issueSession(core, found, input.refreshToken)
  return { refused: (await core.throttle.consume(key)) ? 'session_over' : 'too_many_attempts' }
}

async function issueSession(core: Core, live: store.LiveSession, refreshToken: string): Promise<Session> {
  const authTime = Math.max(Math.floor(live.signed_in_at.getTime() / 1000), live.valid_since.getTime() / 1000)
  const idToken = await issueIdToken(core.keys, core.issuer, { user: live, authTime }, core.now())
  return { user: live, idToken, refreshToken, expiresInS: ID_TOKEN_TTL_S }
}

/** Does not check whether the session was revoked. */
const verifyToken = (core: Core, idToken: string): Promise<Claims | null> =>
  verifyIdToken(idToken, core.keys.getKey, core.issuer, core.now())

/** Firebase requires a sign-in within five minutes for sensitive changes. */
const RECENT_S = 300

/** Finds the user of an ID token and checks revocation. `recent`: signed in within five minutes. */
export async function readBearer(
  core: Core,
  idToken: string,
  asked: { readonly recent: boolean } = { recent: false },
): Promise<Bearer | Refusal> {
  const claims = await verifyToken(core, idToken)
  if (!claims) return { refused: 'invalid_id_token' }
  const user = await findByUid(core.db, claims.uid)
  if (!user) return { refused: 'session_over' }
  // Check before `valid_since`: the client must learn the reason.
  if (user.disabled) return { refused: 'user_disabled' }
  if (claims.authTime < user.valid_since.getTime() / 1000) return { refused: 'session_over' }
  if (asked.recent && claims.authTime < core.now() / 1000 - RECENT_S) return { refused: 'login_too_old' }
  return { user, claims }
}

export type Bearer = { readonly user: IdentityUser; readonly claims: Claims }
