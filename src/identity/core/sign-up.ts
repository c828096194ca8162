import { Email } from '#contract/users.ts'
import type { Db } from '#base/db/open.ts'
import { hashPassword } from '../passwords.ts'
import { unmetRequirements } from '../policy.ts'
import { insertMailRequest } from '../store/mails.ts'
import { findByEmail, insertUser } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey } from '../throttle.ts'
import { newUid } from './core.ts'
import type { Core, Credentials, Refusal, SignUpRefusal } from './core.ts'
import { openSession } from './sessions.ts'
import type { Session } from './sessions.ts'

export type NewAccount = Credentials & {
  readonly displayName: string | null
  /** Whether to ask by mail for a proof of the address, and in which language. */
  readonly verification: { readonly language: string | null } | null
}

/** Makes a user. `displayName` may be changed later; nothing but the address must be unique. */
export async function createAccount(core: Core, input: NewAccount): Promise<IdentityUser | SignUpRefusal> {
  if (core.rules.signup === 'closed') return { refused: 'signup_closed' }
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const unmet = unmetRequirements(core.rules.policy, input.password)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  if (!(await core.throttle.count({ signUpByIp: ipKey(input.ip) }))) return { refused: 'too_many_attempts' }
  if (await findByEmail(core.db, email.data)) return { refused: 'email_taken' }

  const passwordHash = await core.gate.run(() => hashPassword(input.password, core.hashCost), {
    key: ipKey(input.ip),
    known: false,
  })
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  const user = { uid: newUid(), email: email.data, displayName: input.displayName, passwordHash }
  const now = new Date(core.now())
  const made = await core.db.transaction().execute(async (trx) => {
    const inserted = await insertUser(trx, user, now)
    if (inserted && input.verification) await askForProof(trx, user, input.verification.language, now)
    return inserted
  })
  if (input.verification) core.wakeMail()
  return made ?? { refused: 'email_taken' }
}

/** In the transaction that makes the user: a process that dies right after it leaves the mail to whoever comes next. */
const askForProof = (
  trx: Db,
  { uid, email }: { readonly uid: string; readonly email: string },
  language: string | null,
  now: Date,
): Promise<void> =>
  insertMailRequest(
    trx,
    { purpose: 'verify_email', uid, email, newEmail: null, continueUrl: null, language },
    now,
  )

export async function signUp(
  core: Core,
  input: Omit<NewAccount, 'verification'>,
): Promise<Session | Refusal> {
  const user = await createAccount(core, { ...input, verification: null })
  return 'refused' in user
    ? user
    : openSession(core, user, { provider: 'password', compared: null, ip: input.ip })
}

/** Somebody who does not say who they are. They can do so later, and stay the same user. */
export async function signUpAnonymously(
  core: Core,
  input: { readonly ip: string },
): Promise<Session | Refusal> {
  if (!core.rules.anonymous) return { refused: 'no_anonymous_users' }
  if (core.rules.signup === 'closed') return { refused: 'signup_closed' }
  if (!(await core.throttle.count({ signUpByIp: ipKey(input.ip) }))) return { refused: 'too_many_attempts' }
  const nobody = { uid: newUid(), email: null, displayName: null, passwordHash: null }
  const user = await insertUser(core.db, nobody, new Date(core.now()))
  if (!user) throw new Error('A user id of 168 random bits was taken.')
  return openSession(core, user, { provider: 'anonymous', compared: null, ip: input.ip })
}
