import { Email } from '#contract/users.ts'
import * as store from '../store/profile.ts'
import type { IdentityUser } from '../store/users.ts'
import { notifyOldAddress } from './codes.ts'
import type { Core, Refusal } from './core.ts'
import { checkAddress, hashNewPassword } from './new-password.ts'
import { bearerOf, openSession } from './sessions.ts'
import type { Bearer, Session } from './sessions.ts'

export type ProfileChange = store.Names & {
  readonly idToken: string
  readonly email: string | null
  readonly password: string | null
  readonly ip: string
}

export type Changed = {
  readonly user: IdentityUser
  /** Where the change has ended every session before, the one that asked for it, too. */
  readonly session: Session | null
}

/** Changes what users may change of themselves. Address and password take a recent sign-in. */
export async function changeProfile(core: Core, change: ProfileChange): Promise<Changed | Refusal> {
  const bearer = await bearerOf(core, change.idToken)
  if ('refused' in bearer) return bearer
  const login = await newLogin(core, bearer, change)
  if ('refused' in login) return login

  const asker = bearer.claims
  const user = await store.changeNames(core.db, asker, change)
  if (!user) return { refused: 'session_over' }
  if (login.email === null && login.passwordHash === null) return { user, session: null }
  return enter(core, bearer, login, change.ip)
}

async function newLogin(core: Core, bearer: Bearer, change: ProfileChange): Promise<store.Login | Refusal> {
  const given = change.email === null ? null : Email.safeParse(change.email)
  if (given && !given.success) return { refused: 'invalid_email' }
  const email = given && given.data !== bearer.user.email ? given.data : null
  if (email === null && change.password === null) return { email: null, passwordHash: null }
  // A mail proves that the new address is theirs, and the answer to a taken one would tell who has an account.
  if (email !== null && core.rules.hidesWhoIsKnown) return { refused: 'email_change_needs_mail' }
  const recent = await bearerOf(core, change.idToken, { recent: true })
  if ('refused' in recent) return recent
  return checkLogin(core, { email, password: change.password, ip: change.ip })
}

export type PasswordLink = {
  readonly idToken: string
  readonly email: string
  readonly password: string
  readonly ip: string
}

/**
 * Gives a user an address and a password to sign in with. It takes a recent sign-in, since the password outlives a
 * stolen ID token has expired.
 */
export async function linkPassword(core: Core, link: PasswordLink): Promise<Session | Refusal> {
  const bearer = await bearerOf(core, link.idToken, { recent: true })
  if ('refused' in bearer) return bearer
  const { user } = bearer
  const email = Email.safeParse(link.email)
  if (!email.success) return { refused: 'invalid_email' }
  const isTheirs = email.data === user.email
  if (isTheirs && user.password_hash !== null) return { refused: 'email_taken' }
  if (!isTheirs && core.rules.hidesWhoIsKnown) {
    return { refused: 'email_change_needs_mail' }
  }
  const login = await checkLogin(core, {
    email: isTheirs ? null : email.data,
    password: link.password,
    ip: link.ip,
  })
  if ('refused' in login) return login
  const changed = await enter(core, bearer, login, link.ip)
  return 'refused' in changed ? changed : changed.session
}

/** Whether somebody may sign in so from now on. */
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

/** The new way in takes effect: all other sessions end, and this one goes on as a new one. */
async function enter(
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

/** Deletes the user who asks, with everything that is theirs. */
export async function deleteSelf(core: Core, idToken: string): Promise<{ readonly uid: string } | Refusal> {
  const bearer = await bearerOf(core, idToken, { recent: true })
  if ('refused' in bearer) return bearer
  if (!core.rules.selfDeletion) return { refused: 'no_self_deletion' }
  await core.forget(bearer.user.uid)
  return { uid: bearer.user.uid }
}
