import { Email } from '#contract/users.ts'
import * as store from '../store/profile.ts'
import type { IdentityUser } from '../store/users.ts'
import { notifyOldAddress } from './codes.ts'
import type { Core, Refusal } from './core.ts'
import { checkAddress, hashNewPassword } from './new-password.ts'
import { type Bearer, openSession, readBearer, type Session } from './sessions.ts'

export type ProfileChange = store.Names & {
  readonly idToken: string
  readonly email: string | null
  readonly password: string | null
  readonly ip: string
}

export type ProfileResult = {
  readonly user: IdentityUser
  /** New session when the change ended all others. */
  readonly session: Session | null
}

export async function changeProfile(core: Core, change: ProfileChange): Promise<ProfileResult | Refusal> {
  const bearer = await readBearer(core, change.idToken)
  if ('refused' in bearer) return bearer
  const login = await newLogin(core, bearer, change)
  if ('refused' in login) return login

  const requester = bearer.claims
  const user = await store.changeNames(core.db, requester, change)
  if (!user) return { refused: 'session_over' }
  if (login.email === null && login.passwordHash === null) return { user, session: null }
  return applyLogin(core, bearer, login, change.ip)
}

async function newLogin(core: Core, bearer: Bearer, change: ProfileChange): Promise<store.Login | Refusal> {
  const given = change.email === null ? null : Email.safeParse(change.email)
  if (given && !given.success) return { refused: 'invalid_email' }
  const email = given && given.data !== bearer.user.email ? given.data : null
  if (email === null && change.password === null) return { email: null, passwordHash: null }
  // The new address needs verification by mail, and this answer would reveal taken addresses.
  if (email !== null && core.rules.enumerationProtection) return { refused: 'email_change_needs_mail' }
  const recent = await readBearer(core, change.idToken, { recent: true })
  if ('refused' in recent) return recent
  return checkLogin(core, { email, password: change.password, ip: change.ip })
}

export type PasswordLink = {
  readonly idToken: string
  readonly email: string
  readonly password: string
  readonly ip: string
}

/** Adds address and password. Requires a recent sign-in: a stolen ID token must not set a password. */
export async function linkPassword(core: Core, link: PasswordLink): Promise<Session | Refusal> {
  const bearer = await readBearer(core, link.idToken, { recent: true })
  if ('refused' in bearer) return bearer
  const { user } = bearer
  const email = Email.safeParse(link.email)
  if (!email.success) return { refused: 'invalid_email' }
  const isOwnEmail = email.data === user.email
  if (isOwnEmail && user.password_hash !== null) return { refused: 'email_taken' }
  if (!isOwnEmail && core.rules.enumerationProtection) {
    return { refused: 'email_change_needs_mail' }
  }
  const login = await checkLogin(core, {
    email: isOwnEmail ? null : email.data,
    password: link.password,
    ip: link.ip,
  })
  if ('refused' in login) return login
  const changed = await applyLogin(core, bearer, login, link.ip)
  return 'refused' in changed ? changed : changed.session
}

async function checkLogin(
  core: Core,
  { email, password, ip }: { email: string | null; password: string | null; ip: string },
): Promise<store.Login | Refusal> {
  if (password !== null) {
    const hashed = await hashNewPassword(core, { password, email, ip, known: true })
    return 'refused' in hashed ? hashed : { email, ...hashed }
  }
  const refusal = email === null ? null : await checkAddress(core, email, ip)
  return refusal ?? { email, passwordHash: null }
}

async function applyLogin(
  core: Core,
  { claims }: Bearer,
  login: store.Login,
  ip: string,
): Promise<{ readonly user: IdentityUser; readonly session: Session } | Refusal> {
  const user = await store.changeLogin(core.db, claims, login, new Date(core.now()), notifyOldAddress(core))
  core.wakeMail()
  if (user === 'taken') return { refused: 'email_taken' }
  if (!user) return { refused: 'session_over' }
  const session = await openSession(core, user, { compared: null, ip })
  return 'refused' in session ? session : { user, session }
}

export async function deleteSelf(core: Core, idToken: string): Promise<{ readonly uid: string } | Refusal> {
  const bearer = await readBearer(core, idToken, { recent: true })
  if ('refused' in bearer) return bearer
  if (!core.rules.selfDeletion) return { refused: 'no_self_deletion' }
  await core.eraseUser(bearer.user.uid)
  return { uid: bearer.user.uid }
}
