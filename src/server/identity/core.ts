import { randomBytes } from 'node:crypto'
import { Email } from '#contract/users.ts'
import type { Db } from '../db/open.ts'
import { looksLikeSecret, newSecret, secretHash } from '../secret.ts'
import type { Gate } from '../gate.ts'
import type { Claims } from './identity.ts'
import type { Keys } from './keys.ts'
import { hashPassword, isOutdated, passwordMatches } from './passwords.ts'
import { unmetRequirements } from './policy.ts'
import type { PasswordPolicy, Requirement } from './policy.ts'
import * as store from './store.ts'
import type { IdentityUser } from './store.ts'
import { accountKey, ipKey } from './throttle.ts'
import type { Throttle } from './throttle.ts'
import { ID_TOKEN_TTL_S, issueIdToken, readIdToken } from './tokens.ts'
import type { Issuer } from './tokens.ts'

/** What the service is made of. It knows no protocol. */
export type Core = {
  readonly db: Db
  readonly keys: Keys
  readonly whose: Issuer
  readonly policy: PasswordPolicy
  readonly signup: 'open' | 'closed'
  /** Password hashes under way in this process. */
  readonly gate: Gate
  readonly throttle: Throttle
  /** Says that mail is waiting. */
  readonly wakeMail: () => void
  /** Epoch ms. */
  readonly now: () => number
}

/** Why not, when the caller is to know. Databases that fail reject instead. */
export type Refusal =
  | SignUpRefusal
  | {
      readonly refused:
        | 'wrong_login'
        | 'user_disabled'
        | 'too_many_mails'
        | 'invalid_id_token'
        | 'session_over'
        | 'invalid_refresh_token'
        | 'invalid_code'
        | 'expired_code'
    }
export type SignUpRefusal =
  | { readonly refused: 'weak_password'; readonly unmet: readonly Requirement[] }
  | { readonly refused: 'signup_closed' | 'email_taken' | 'invalid_email' | 'too_many_attempts' }

export type Session = {
  readonly user: IdentityUser
  readonly idToken: string
  readonly refreshToken: string
  readonly expiresInS: number
}

/** A session unused for so long is over. */
export const SESSION_IDLE_MS = 180 * 24 * 3_600_000
export const RESET_CODE_TTL_MS = 3_600_000

export type Credentials = { readonly email: string; readonly password: string; readonly ip: string }

/** Makes a user. `displayName` may be changed later; nothing but the address must be unique. */
export async function createAccount(
  core: Core,
  input: Credentials & { readonly displayName: string | null },
): Promise<IdentityUser | SignUpRefusal> {
  if (core.signup === 'closed') return { refused: 'signup_closed' }
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const unmet = unmetRequirements(core.policy, input.password)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  if (!(await core.throttle.count({ signUpByIp: ipKey(input.ip) }))) return { refused: 'too_many_attempts' }
  if (await store.findByEmail(core.db, email.data)) return { refused: 'email_taken' }

  const passwordHash = await core.gate.run(() => hashPassword(input.password))
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  const user = { uid: newUid(), email: email.data, displayName: input.displayName, passwordHash }
  const made = await store.insertUser(core.db, user, new Date(core.now()))
  return made ?? { refused: 'email_taken' }
}

export async function signUp(
  core: Core,
  input: Credentials & { readonly displayName: string | null },
): Promise<Session | Refusal> {
  const user = await createAccount(core, input)
  return 'refused' in user ? user : openSession(core, user, null)
}

/** One answer for an unknown address and a wrong password, after the same work: nobody learns who has an account. */
export async function signIn(core: Core, input: Credentials): Promise<Session | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const keys = { wrongPasswordByAccount: accountKey(email.data), wrongPasswordByIp: ipKey(input.ip) }

  // All of it within the gate: of a burst of guesses only as many as there are places pass the check before one is counted.
  const outcome = await core.gate.run(async (): Promise<IdentityUser | Refusal> => {
    if (!(await core.throttle.allows(keys))) return { refused: 'too_many_attempts' }
    const user = await store.findByEmail(core.db, email.data)
    const matches = await passwordMatches(user?.password_hash, input.password)
    if (user && matches) return user
    return { refused: (await core.throttle.count(keys)) ? 'wrong_login' : 'too_many_attempts' }
  })
  if (outcome === null) return { refused: 'too_many_attempts' }
  if ('refused' in outcome) return outcome
  if (outcome.disabled) return { refused: 'user_disabled' }
  const rehashed = isOutdated(outcome.password_hash)
    ? await core.gate.run(() => hashPassword(input.password))
    : null
  return openSession(core, outcome, rehashed)
}

async function openSession(
  core: Core,
  user: IdentityUser,
  rehashed: string | null,
): Promise<Session | Refusal> {
  const refreshToken = newSecret()
  const now = new Date(core.now())
  const opened = await store.openSession(
    core.db,
    { uid: user.uid, passwordHash: user.password_hash, rehashed, tokenHash: secretHash(refreshToken) },
    now,
  )
  if (!opened) return { refused: 'wrong_login' }
  return session(core, { ...user, provider: 'password', signed_in_at: now }, refreshToken)
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
  if (found) return found.disabled ? { refused: 'user_disabled' } : session(core, found, input.refreshToken)
  return { refused: (await core.throttle.count(key)) ? 'session_over' : 'too_many_attempts' }
}

async function session(core: Core, live: store.LiveSession, refreshToken: string): Promise<Session> {
  const subject = {
    uid: live.uid,
    email: live.email,
    emailVerified: live.email_verified,
    displayName: live.display_name,
    provider: live.provider,
    authTime: Math.max(Math.floor(live.signed_in_at.getTime() / 1000), live.valid_since.getTime() / 1000),
  }
  const idToken = await issueIdToken(core.keys, core.whose, subject, core.now())
  return { user: live, idToken, refreshToken, expiresInS: ID_TOKEN_TTL_S }
}

/** Signature, issuer, audience and times; not whether the session was revoked since. */
export const readToken = (core: Core, idToken: string): Promise<Claims | null> =>
  readIdToken(idToken, core.keys.getKey, core.whose, core.now())

/** The user whom an ID token names, as of now. */
export async function lookUp(core: Core, idToken: string): Promise<IdentityUser | Refusal> {
  const claims = await readToken(core, idToken)
  if (!claims) return { refused: 'invalid_id_token' }
  const user = await store.findByUid(core.db, claims.uid)
  if (!user || claims.authTime < user.valid_since.getTime() / 1000) return { refused: 'session_over' }
  return user.disabled ? { refused: 'user_disabled' } : user
}

/** Notes that a mail is wanted. Whether the address is known is looked up later, so the answer cannot tell. */
export async function requestPasswordReset(
  core: Core,
  input: { readonly email: string; readonly ip: string },
): Promise<{ readonly email: string } | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const keys = { resetMailByAccount: accountKey(email.data), resetMailByIp: ipKey(input.ip) }
  if (!(await core.throttle.count(keys))) return { refused: 'too_many_mails' }
  await store.requestMail(core.db, 'password_reset', email.data, new Date(core.now()))
  core.wakeMail()
  return { email: email.data }
}

export type MailedCode = { readonly code: string; readonly ip: string }

/** What a code is good for and whose it is. Uses nothing up: mail scanners open links too. */
export async function inspectResetCode(core: Core, input: MailedCode): Promise<{ email: string } | Refusal> {
  const found = await store.findCode(core.db, 'password_reset', secretHash(input.code))
  if (!found) {
    const within = await core.throttle.count({ wrongCodeByIp: ipKey(input.ip) })
    return { refused: within ? 'invalid_code' : 'too_many_attempts' }
  }
  if (found.expires_at.getTime() <= core.now()) return { refused: 'expired_code' }
  return { email: found.email }
}

/** Sets the password by a mailed code. A password that is refused leaves the code good. */
export async function confirmPasswordReset(
  core: Core,
  input: MailedCode & { readonly newPassword: string },
): Promise<{ email: string } | Refusal> {
  const found = await inspectResetCode(core, input)
  if ('refused' in found) return found
  const unmet = unmetRequirements(core.policy, input.newPassword)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const passwordHash = await core.gate.run(() => hashPassword(input.newPassword))
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  const now = new Date(core.now())
  const done = await store.resetPassword(core.db, {
    codeHash: secretHash(input.code),
    passwordHash,
    now,
    // From the next second on: a token of the second in which the password changed must not outlive it.
    validSince: new Date(store.wholeSeconds(now).getTime() + 1000),
  })
  if (!done) return { refused: 'invalid_code' }
  await core.throttle.forget('wrongPasswordByAccount', accountKey(found.email))
  return found
}

/** 28 characters, as Firebase's are. */
const newUid = (): string => randomBytes(21).toString('base64url')
