import { Email } from '#contract/users.ts'
import { secretHash } from '#base/secret.ts'
import * as store from '../store/codes.ts'
import type { Code } from '../store/codes.ts'
import { insertMailRequest } from '../store/mails.ts'
import type { Wanted } from '../store/mails.ts'
import { findByEmail } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey } from '#base/ip-address.ts'
import { accountKey } from '../limits/throttle.ts'
import { readContinueUrl } from './continue-url.ts'
import type { Core, Refusal } from './core.ts'
import { linkWith, makeCode, ownerOf } from './links.ts'
import { bearerOf } from './sessions.ts'

/** What somebody asks a mail for. */
export type CodeRequest =
  | { readonly purpose: 'password_reset' | 'email_sign_in'; readonly email: string }
  | { readonly purpose: 'verify_email'; readonly idToken: string }
  | { readonly purpose: 'verify_and_change_email'; readonly idToken: string; readonly newEmail: string }

/** Reads a request: who asks, for which address, and whether they may. Whether an address is known plays no part. */
export async function readRequest(
  core: Core,
  request: CodeRequest,
  givenUrl: string | null,
): Promise<Wanted | Refusal> {
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
      const bearer = await bearerOf(core, request.idToken)
      if ('refused' in bearer) return bearer
      const { uid, email } = bearer.user
      return { ...common, purpose: request.purpose, email, uid }
    }
    case 'verify_and_change_email': {
      const bearer = await bearerOf(core, request.idToken, { recent: true })
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
 * Notes that a mail is wanted. Whether the address is known, or the new one taken, is looked up when the mail is made, so
 * that neither the answer nor the time that it takes can tell; unless this service is told to tell.
 */
export async function requestMail(core: Core, wanted: Wanted, ip: string): Promise<Refusal | null> {
  const tooMany = await countMail(core, wanted, ip)
  if (tooMany) return tooMany
  if (!core.rules.hidesWhoIsKnown) {
    const unknown = wanted.purpose === 'password_reset' && !(await findByEmail(core.db, wanted.email))
    if (unknown) return { refused: 'email_not_found' }
    if (wanted.newEmail !== null && (await findByEmail(core.db, wanted.newEmail))) {
      return { refused: 'email_taken' }
    }
  }
  await insertMailRequest(core.db, wanted, new Date(core.now()))
  core.wakeMail()
  return null
}

async function countMail(core: Core, wanted: Wanted, ip: string): Promise<Refusal | null> {
  const account = accountKey(wanted.newEmail ?? wanted.email)
  if (wanted.purpose === 'password_reset') {
    const keys = { resetMailByAccount: account, resetMailByIp: ipKey(ip) }
    return (await core.throttle.count(keys)) ? null : { refused: 'too_many_mails' }
  }
  const keys = { linkMailByAccount: account, linkMailByUser: wanted.uid, linkMailByIp: ipKey(ip) }
  return (await core.throttle.count(keys)) ? null : { refused: 'too_many_links' }
}

/** Makes a code and its link without mailing them, for who may have them in hand: then it is told who is not known. */
export function makeLink(
  core: Core,
  wanted: Wanted,
): Promise<{ readonly code: string; readonly link: string } | Refusal> {
  return core.db.transaction().execute(async (trx) => {
    const owner = await ownerOf(trx, core, wanted)
    if (!owner) return { refused: wanted.newEmail === null ? 'email_not_found' : 'email_taken' }
    const code = await makeCode(trx, owner, wanted, core.now())
    return { code, link: linkWith(core, wanted, code) }
  })
}

export type MailedCode = { readonly code: string; readonly ip: string }

/** What a code is good for and whose it is. Uses nothing up: mail scanners open links too. */
export async function inspectCode(core: Core, input: MailedCode): Promise<Code | Refusal> {
  const found = await store.findCode(core.db, secretHash(input.code))
  if (!found) return wrongCode(core, input)
  return found.expiresAt.getTime() <= core.now() ? { refused: 'expired_code' } : found
}

export async function wrongCode(core: Core, { ip }: MailedCode): Promise<Refusal> {
  const within = await core.throttle.count({ wrongCodeByIp: ipKey(ip) })
  return { refused: within ? 'invalid_code' : 'too_many_attempts' }
}

export type Applied = { readonly user: IdentityUser; readonly newEmail: string | null }

/** Does what a code is for that needs nothing but the code: proves, moves or brings back an address. */
export async function applyCode(core: Core, input: MailedCode): Promise<Applied | Refusal> {
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  const use = { codeHash: secretHash(input.code), now: new Date(core.now()) }
  const { newEmail } = found
  switch (found.purpose) {
    case 'password_reset':
    case 'email_sign_in':
      return wrongCode(core, input)
    case 'verify_email':
      return outcomeOf(await store.verifyEmail(core.db, use), newEmail)
    case 'verify_and_change_email': {
      const changed = await store.changeEmail(core.db, use, notifyOldAddress(core))
      core.wakeMail()
      return outcomeOf(changed, newEmail)
    }
    case 'recover_email':
      return outcomeOf(await store.recoverEmail(core.db, use), null)
  }
}

/** Tells the address that a user has left, in the transaction that takes it from them, with a code that brings it back. */
export const notifyOldAddress =
  (core: Core): store.NotifyOldAddress =>
  async (trx, left) => {
    const wanted = { ...left, purpose: 'recover_email', newEmail: null, continueUrl: null } as const
    // Made now and not with the mail: of several it must be clear which came first.
    const code = await makeCode(trx, left, wanted, core.now())
    await insertMailRequest(trx, wanted, new Date(core.now()), core.sealer.seal(code))
  }

/** What is said of a code that turned out to be of no use, and of an address that somebody else has by now. */
export const NOT_USED = {
  void: 'invalid_code',
  disabled: 'user_disabled',
  taken: 'email_taken',
} as const satisfies Record<store.NotUsed | 'taken', Refusal['refused']>

const outcomeOf = (
  used: IdentityUser | store.NotUsed | 'taken',
  newEmail: string | null,
): Applied | Refusal => (typeof used === 'string' ? { refused: NOT_USED[used] } : { user: used, newEmail })
