import { looksLikeSecret, newSecret, secretHash } from '#base/secret.ts'
import { rememberAddress } from '../store/known-addresses.ts'
import * as store from '../store/sessions.ts'
import { findByUid } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import { ID_TOKEN_TTL_S, issueIdToken, readIdToken } from '../credentials/tokens.ts'
import type { Claims } from '../credentials/tokens.ts'
import { addressHash } from './core.ts'
import type { Core, Refusal } from './core.ts'

export type Session = {
  readonly user: IdentityUser
  readonly idToken: string
  readonly refreshToken: string
  readonly expiresInS: number
}

/** A session unused for so long is over. */
export const SESSION_IDLE_MS = 180 * 24 * 3_600_000

type Opening = Pick<store.SignIn, 'compared'> & {
  readonly ip: string
  /** When the account last logged in from this address, where the caller has read it. */
  readonly seenHereAt?: Date | null
}

/** A known address is noted again once in so long. */
const SEEN_AGAIN_MS = 3_600_000

/** Opens one for a user who has just shown who they are. Refused where they have changed since that was looked at. */
export async function openSession(
  core: Core,
  user: IdentityUser,
  { ip, seenHereAt = null, ...how }: Opening,
): Promise<Session | Refusal> {
  const refreshToken = newSecret()
  const now = new Date(core.now())
  const opened = await store.openSession(
    core.db,
    { uid: user.uid, validSince: user.valid_since, tokenHash: secretHash(refreshToken), ...how },
    now,
  )
  if (!opened) return { refused: 'wrong_login' }
  if (!seenHereAt || now.getTime() - seenHereAt.getTime() > SEEN_AGAIN_MS) {
    await rememberAddress(core.db, { uid: user.uid, addressHash: addressHash(core, ip), now })
  }
  return sessionOf(core, { ...user, signed_in_at: now }, refreshToken)
}

/** A new ID token for a session. Its refresh token stays: tabs share it, and would sign each other out if it changed. */
export async function refresh(
  core: Core,
  input: { readonly refreshToken: string; readonly ip: string },
): Promise<Session | Refusal> {
  if (!looksLikeSecret(input.refreshToken)) return { refused: 'invalid_refresh_token' }
  const key = { wrongRefreshByIp: ipKey(input.ip) }
  const now = core.now()
  const found = await store.useSession(core.db, secretHash(input.refreshToken), {
    now: new Date(now),
    notSince: new Date(now - SESSION_IDLE_MS),
  })
  if (found) return found.disabled ? { refused: 'user_disabled' } : sessionOf(core, found, input.refreshToken)
  return { refused: (await core.throttle.count(key)) ? 'session_over' : 'too_many_attempts' }
}

async function sessionOf(core: Core, live: store.LiveSession, refreshToken: string): Promise<Session> {
  const authTime = Math.max(Math.floor(live.signed_in_at.getTime() / 1000), live.valid_since.getTime() / 1000)
  const idToken = await issueIdToken(core.keys, core.whose, { user: live, authTime }, core.now())
  return { user: live, idToken, refreshToken, expiresInS: ID_TOKEN_TTL_S }
}

/** Signature, issuer, audience and times; not whether the session was revoked since. */
export const readToken = (core: Core, idToken: string): Promise<Claims | null> =>
  readIdToken(idToken, core.keys.getKey, core.whose, core.now())

/** Firebase asks for a sign-in within the last five minutes before what could take an account over. */
const RECENT_S = 300

/** Who sends this ID token, as of now. `recent`: and has signed in within five minutes. */
export async function bearerOf(
  core: Core,
  idToken: string,
  asked: { readonly recent: boolean } = { recent: false },
): Promise<Bearer | Refusal> {
  const claims = await readToken(core, idToken)
  if (!claims) return { refused: 'invalid_id_token' }
  const user = await findByUid(core.db, claims.uid)
  if (!user) return { refused: 'session_over' }
  // First, for disabling ends their sign-ins, too: they are to hear why.
  if (user.disabled) return { refused: 'user_disabled' }
  if (claims.authTime < user.valid_since.getTime() / 1000) return { refused: 'session_over' }
  if (asked.recent && claims.authTime < core.now() / 1000 - RECENT_S) return { refused: 'login_too_old' }
  return { user, claims }
}

export type Bearer = { readonly user: IdentityUser; readonly claims: Claims }
