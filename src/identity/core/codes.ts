import { Email } from '#contract/users.ts'
import { secretHash } from '#base/secret.ts'
import * as store from '../store/codes.ts'
import type { Code } from '../store/codes.ts'
import { consumeLink } from '../store/email-link.ts'
import { rememberAddress } from '../store/known-addresses.ts'
import { insertMailRequest, type NewMail } from '../store/mails.ts'
import { findByEmail, type IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import { accountKey } from '../limits/throttle.ts'
import { addressHash, type Core, newUid, type Refusal } from './core.ts'
import { buildLink, makeCode, mayJoin, lockCodeOwner } from './links.ts'
import { hashNewPassword } from './new-password.ts'
import { openSession, readBearer, type Session } from './sessions.ts'

export type CodeRequest =
  | { readonly purpose: 'password_reset' | 'email_sign_in'; readonly email: string }
  | { readonly purpose: 'verify_email'; readonly idToken: string }
  | { readonly purpose: 'verify_and_change_email'; readonly idToken: string; readonly newEmail: string }

/** Checks permission to request the mail. Never depends on whether an address is known. */
export async function readRequest(
  core: Core,
  request: CodeRequest,
  givenUrl: string | null,
): Promise<NewMail | Refusal> {
  const continueUrl = givenUrl === null ? null : readContinueUrl(core, givenUrl)
  if (continueUrl !== null && 'refused' in continueUrl) return continueUrl
  const common = { continueUrl: continueUrl?.href ?? null, newEmail: null }

  switch (request.purpose) {
    case 'password_reset':
    case 'email_sign_in': {
      const email = Email.safeParse(request.email)
      if (!email.success) return { refused: 'invalid_email' }
      return { ...common, purpose: request.purpose, email: email.data, uid: null }
    }
    case 'verify_email': {
      const bearer = await readBearer(core, request.idToken)
      if ('refused' in bearer) return bearer
      const { uid, email } = bearer.user
      return { ...common, purpose: request.purpose, email, uid }
    }
    case 'verify_and_change_email': {
      const bearer = await readBearer(core, request.idToken, { recent: true })
      if ('refused' in bearer) return bearer
      const newEmail = Email.safeParse(request.newEmail)
      if (!newEmail.success) return { refused: 'invalid_email' }
      const { uid, email } = bearer.user
      if (email === newEmail.data) return { refused: 'email_taken' }
      return { ...common, purpose: request.purpose, email, uid, newEmail: newEmail.data }
    }
  }
}

/**
 * Enqueues a mail. Whether the address is known is checked when it is sent, so that neither answer nor timing
 * reveals it, unless enumeration protection is off.
 */
export async function requestMail(core: Core, mail: NewMail, ip: string): Promise<Refusal | null> {
  const tooMany = await countMailRequest(core, mail, ip)
  if (tooMany) return tooMany
  if (!core.rules.enumerationProtection) {
    const unknown = mail.purpose === 'password_reset' && !(await findByEmail(core.db, mail.email))
    if (unknown) return { refused: 'email_not_found' }
    if (mail.newEmail !== null && (await findByEmail(core.db, mail.newEmail))) {
      return { refused: 'email_taken' }
    }
  }
  await insertMailRequest(core.db, mail, new Date(core.now()))
  core.wakeMail()
  return null
}

async function countMailRequest(core: Core, mail: NewMail, ip: string): Promise<Refusal | null> {
  const account = accountKey(mail.newEmail ?? mail.email)
  if (mail.purpose === 'password_reset') {
    const keys = { resetMailByAccount: account, resetMailByIp: ipKey(ip) }
    return (await core.throttle.consume(keys)) ? null : { refused: 'too_many_mails' }
  }
  const keys = { linkMailByAccount: account, linkMailByUser: mail.uid, linkMailByIp: ipKey(ip) }
  return (await core.throttle.consume(keys)) ? null : { refused: 'too_many_links' }
}

/** Creates a link without mailing it, for trusted callers: the answer tells unknown addresses. */
export function makeLink(
  core: Core,
  mail: NewMail,
): Promise<{ readonly code: string; readonly link: string } | Refusal> {
  return core.db.transaction().execute(async (trx) => {
    const owner = await lockCodeOwner(trx, core, mail)
    if (!owner) return { refused: mail.newEmail === null ? 'email_not_found' : 'email_taken' }
    const code = await makeCode(trx, owner, mail, core.now())
    return { code, link: buildLink(core, mail, code) }
  })
}

export type MailedCode = { readonly code: string; readonly ip: string }

/** Reads a code without consuming it: mail scanners open links too. */
export async function inspectCode(core: Core, input: MailedCode): Promise<Code | Refusal> {
  const found = await store.findCode(core.db, secretHash(input.code))
  if (!found) return refuseCode(core, input)
  return found.expiresAt.getTime() <= core.now() ? { refused: 'expired_code' } : found
}

async function refuseCode(core: Core, { ip }: MailedCode): Promise<Refusal> {
  const within = await core.throttle.consume({ wrongCodeByIp: ipKey(ip) })
  return { refused: within ? 'invalid_code' : 'too_many_attempts' }
}

export type AppliedCode = { readonly user: IdentityUser; readonly newEmail: string | null }

export async function applyCode(core: Core, input: MailedCode): Promise<AppliedCode | Refusal> {
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  const use = { codeHash: secretHash(input.code), now: new Date(core.now()) }
  const { newEmail } = found
  switch (found.purpose) {
    case 'password_reset':
    case 'email_sign_in':
      return refuseCode(core, input)
    case 'verify_email':
      return toResult(await store.verifyEmail(core.db, use), newEmail)
    case 'verify_and_change_email': {
      const changed = await store.changeEmail(core.db, use, notifyOldAddress(core))
      core.wakeMail()
      return toResult(changed, newEmail)
    }
    case 'recover_email':
      return toResult(await store.recoverEmail(core.db, use), null)
  }
}

export const notifyOldAddress =
  (core: Core): store.NotifyOldAddress =>
  async (trx, old) => {
    const mail = { ...old, purpose: 'recover_email', newEmail: null, continueUrl: null } as const
    // Created now, not when the mail is sent: the order of recovery codes matters.
    const code = await makeCode(trx, old, mail, core.now())
    await insertMailRequest(trx, mail, new Date(core.now()), core.encrypter.encrypt(code))
  }

const CODE_REFUSALS = {
  void: 'invalid_code',
  disabled: 'user_disabled',
  taken: 'email_taken',
} as const satisfies Record<store.CodeUnusable | 'taken', Refusal['refused']>

const toResult = (
  used: IdentityUser | store.CodeUnusable | 'taken',
  newEmail: string | null,
): AppliedCode | Refusal =>
  typeof used === 'string' ? { refused: CODE_REFUSALS[used] } : { user: used, newEmail }

/** Mailed links may continue to our own origin or authorized hosts only: prevents open redirects. */
function readContinueUrl(core: Pick<Core, 'publicUrl' | 'rules'>, address: string): URL | Refusal {
  const url = URL.parse(address)
  const isWeb = url !== null && /^https?:\/\//i.test(address) && ['http:', 'https:'].includes(url.protocol)
  if (!isWeb || url.username !== '' || url.password !== '') return { refused: 'invalid_continue_uri' }
  const isOurs = url.origin === new URL(core.publicUrl).origin
  const isAllowed = core.rules.authorizedDomains.some(
    (domain) => url.host === domain || url.host.endsWith(`.${domain}`),
  )
  return isOurs || isAllowed ? url : { refused: 'unauthorized_domain' }
}

/** A refused password does not consume the code. */
export async function confirmPasswordReset(
  core: Core,
  input: MailedCode & { readonly newPassword: string },
): Promise<{ readonly email: string } | Refusal> {
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  if (found.purpose !== 'password_reset') return refuseCode(core, input)
  const { newPassword: password, ip } = input
  const hashed = await hashNewPassword(core, { password, email: null, ip, known: true })
  if ('refused' in hashed) return hashed
  const now = new Date(core.now())
  const done = await store.resetPassword(core.db, { codeHash: secretHash(input.code), ...hashed, now })
  if (typeof done === 'string') return { refused: CODE_REFUSALS[done] }
  // The owner can log in from this address even while others guess from elsewhere.
  await rememberAddress(core.db, { uid: done.uid, addressHash: addressHash(core, input.ip), now })
  return { email: found.email }
}

/** Signs in by mailed link and creates unknown users. The address must be given too: the link alone is not enough. */
export async function signInByLink(
  core: Core,
  input: MailedCode & { readonly email: string },
): Promise<(Session & { readonly isNew: boolean }) | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  if (found.purpose !== 'email_sign_in') return refuseCode(core, input)
  if (found.email !== email.data) {
    const wrong = await refuseCode(core, input)
    return wrong.refused === 'invalid_code' ? { refused: 'other_email' } : wrong
  }
  const used = await consumeLink(core.db, {
    codeHash: secretHash(input.code),
    now: new Date(core.now()),
    email: email.data,
    newUid: (await mayJoin(core.db, core, email.data)) ? newUid() : null,
  })
  if (used === 'nobody_new') return { refused: 'signup_closed' }
  if (typeof used === 'string') return { refused: CODE_REFUSALS[used] }
  const session = await openSession(core, used.user, { compared: null, ip: input.ip })
  return 'refused' in session ? session : { ...session, isNew: used.isNew }
}
