import { Email } from '#contract/users.ts'
import type { Db } from '#base/db/open.ts'
import { insertMailRequest } from '../store/mails.ts'
import { type IdentityUser, insertUser } from '../store/users.ts'
import {
  type Admission,
  type Core,
  type Credentials,
  newUid,
  type Refusal,
  type SignUpRefusal,
} from './core.ts'
import { hashNewPassword } from './new-password.ts'
import { openSession, type Session } from './sessions.ts'

export type NewAccount = Credentials & {
  readonly displayName: string | null
  readonly invitation: string | null
  /** Also mails a link that verifies the address. */
  readonly verify: boolean
}

export async function createAccount(core: Core, input: NewAccount): Promise<IdentityUser | SignUpRefusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const { password, displayName, invitation, ip } = input
  const applicant = { email: email.data, invitation }
  // Asked before the password is hashed, which is costly, and again when the user is made.
  const asked = await core.admit(core.db, applicant)
  if (asked.kind !== 'admitted') return refuse(asked)
  const hashed = await hashNewPassword(core, { password, email: email.data, ip, known: false })
  if ('refused' in hashed) return hashed
  const user = { uid: newUid(), email: email.data, displayName, ...hashed }
  const now = new Date(core.now())
  const made = await core.db.transaction().execute(async (trx): Promise<IdentityUser | SignUpRefusal> => {
    const admission = await core.admit(trx, applicant)
    if (admission.kind !== 'admitted') return refuse(admission)
    const inserted = await insertUser(trx, user, now)
    if (!inserted) return { refused: 'email_taken' }
    await admission.use()
    if (input.verify) await requestVerification(trx, user, now)
    return inserted
  })
  if (input.verify) core.wakeMail()
  return made
}

const refuse = ({ kind }: Exclude<Admission, { kind: 'admitted' }>): SignUpRefusal => ({
  refused: kind === 'closed' ? 'signup_closed' : kind,
})

/** Runs in the transaction that creates the user, so that a crash does not lose the mail. */
const requestVerification = (
  trx: Db,
  { uid, email }: { readonly uid: string; readonly email: string },
  now: Date,
): Promise<void> =>
  insertMailRequest(trx, { purpose: 'verify_email', uid, email, newEmail: null, continueUrl: null }, now)

/** The protocol's own call, which knows no invitations. */
export async function signUp(
  core: Core,
  input: Omit<NewAccount, 'verify' | 'invitation'>,
): Promise<Session | Refusal> {
  const user = await createAccount(core, { ...input, invitation: null, verify: false })
  return 'refused' in user ? user : openSession(core, user, { compared: null, ip: input.ip })
}
