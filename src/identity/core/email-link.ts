import { Email } from '#contract/users.ts'
import { secretHash } from '#base/secret.ts'
import { takeLink } from '../store/email-link.ts'
import { inspectCode, NOT_USED, wrongCode } from './codes.ts'
import type { MailedCode } from './codes.ts'
import { newUid } from './core.ts'
import type { Core, Refusal } from './core.ts'
import { bearerOf, openSession } from './sessions.ts'
import type { Bearer, Session } from './sessions.ts'

/**
 * Signs in by a mailed link, and makes the user where there is none. The address must be told beside the link: who only finds
 * the link does not get in.
 * @param input.idToken of a user who is to have the address and this way in.
 */
export async function signInByLink(
  core: Core,
  input: MailedCode & { readonly email: string; readonly idToken: string | null },
): Promise<(Session & { readonly isNew: boolean }) | Refusal> {
  const email = Email.safeParse(input.email)
  if (!email.success) return { refused: 'invalid_email' }
  const bearer = input.idToken === null ? null : await whoLinks(core, input.idToken, email.data)
  if (bearer && 'refused' in bearer) return bearer
  const found = await inspectCode(core, input)
  if ('refused' in found) return found
  if (found.purpose !== 'email_sign_in') return wrongCode(core, input)
  if (found.email !== email.data) {
    const wrong = await wrongCode(core, input)
    return wrong.refused === 'invalid_code' ? { refused: 'other_email' } : wrong
  }
  const used = await takeLink(core.db, {
    codeHash: secretHash(input.code),
    now: new Date(core.now()),
    email: email.data,
    linkTo: bearer?.user.uid ?? null,
    newUid: core.rules.signup === 'open' ? newUid() : null,
  })
  if (used === 'nobody_new') return { refused: 'signup_closed' }
  if (typeof used === 'string') return { refused: NOT_USED[used] }
  const session = await openSession(core, used.user, { provider: 'password', compared: null, ip: input.ip })
  return 'refused' in session ? session : { ...session, isNew: used.isNew }
}

/** Who may have this address and this way in. The rules are those of a password that is linked. */
async function whoLinks(core: Core, idToken: string, email: string): Promise<Bearer | Refusal> {
  const bearer = await bearerOf(core, idToken)
  if ('refused' in bearer) return bearer
  const { user } = bearer
  const anonymous = user.email === null && user.federated.length === 0
  if (anonymous && core.rules.signup === 'closed') return { refused: 'signup_closed' }
  // Another address than the one they have is a change, which a mail of its own must prove.
  if (user.email !== null && user.email !== email) return { refused: 'email_change_needs_mail' }
  return bearerOf(core, idToken, { recent: !anonymous })
}
