import { Email } from '#contract/users.ts'
import { secretHash } from '#base/secret.ts'
import { consumeLink } from '../store/email-link.ts'
import { CODE_REFUSALS, inspectCode, type MailedCode, refuseCode } from './codes.ts'
import { type Core, newUid, type Refusal } from './core.ts'
import { openSession, type Session } from './sessions.ts'

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
    newUid: core.rules.signup === 'open' ? newUid() : null,
  })
  if (used === 'nobody_new') return { refused: 'signup_closed' }
  if (typeof used === 'string') return { refused: CODE_REFUSALS[used] }
  const session = await openSession(core, used.user, { compared: null, ip: input.ip })
  return 'refused' in session ? session : { ...session, isNew: used.isNew }
}
