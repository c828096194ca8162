import type { FastifyRequest } from 'fastify'
import {
  applyCode,
  type CodeRequest,
  confirmPasswordReset,
  inspectCode,
  readRequest,
  requestMail,
  signInByLink,
} from '../core/codes.ts'
import type { Core } from '../core/core.ts'
import type { Purpose } from '../store/codes.ts'
import { type Answer, type Post, refuse } from './call.ts'
import type { Refused } from './errors.ts'
import * as wire from './wire.ts'

const REQUEST_TYPES = {
  password_reset: 'PASSWORD_RESET',
  email_sign_in: 'EMAIL_SIGNIN',
  verify_email: 'VERIFY_EMAIL',
  verify_and_change_email: 'VERIFY_AND_CHANGE_EMAIL',
  recover_email: 'RECOVER_EMAIL',
} as const satisfies Record<Purpose, string>

export function addCodeRoutes(post: Post, core: Core): void {
  post('/v1/accounts::sendOobCode', wire.SendCodeBody, async (body, request) => {
    const asked = readCodeRequest(body)
    if ('refused' in asked) return asked
    if (body.returnOobLink) return refuse('admin_only')
    const mail = await readRequest(core, asked, body.continueUrl || null)
    if ('refused' in mail) return mail
    const refused = await requestMail(core, mail, request.ip)
    return (
      refused ?? {
        answer: { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email: mail.email },
      }
    )
  })

  post('/v1/accounts::resetPassword', wire.ResetBody, async (body, { ip }) => {
    if (!body.oobCode) return refuse('missing_code')
    const kind = 'identitytoolkit#ResetPasswordResponse'
    const code = { code: body.oobCode, ip }
    if (body.newPassword !== undefined) {
      const reset = await confirmPasswordReset(core, { ...code, newPassword: body.newPassword })
      if ('refused' in reset) return reset
      return { answer: { kind, email: reset.email, requestType: REQUEST_TYPES.password_reset } }
    }
    const found = await inspectCode(core, code)
    if ('refused' in found) return found
    return {
      answer: {
        kind,
        requestType: REQUEST_TYPES[found.purpose],
        // Never reveal the address of a sign-in link: signing in requires it.
        ...(found.purpose !== 'email_sign_in' && { email: found.email }),
        ...(found.newEmail !== null && { newEmail: found.newEmail }),
      },
    }
  })

  post('/v1/accounts::signInWithEmailLink', wire.EmailLinkBody, async (body, { ip }) => {
    if (!body.email) return refuse('missing_email')
    if (!body.oobCode) return refuse('missing_code')
    if (body.idToken !== undefined) return refuse('unknown_call')
    const given = { code: body.oobCode, email: body.email, ip }
    const outcome = await signInByLink(core, given)
    return 'refused' in outcome ? outcome : { answer: wire.emailLinkReply(outcome) }
  })
}

/** `accounts:update` with a code only: `applyActionCode` of the SDK. */
export async function applyMailedCode(core: Core, oobCode: string, request: FastifyRequest): Promise<Answer> {
  const applied = await applyCode(core, { code: oobCode, ip: request.ip })
  return 'refused' in applied ? applied : { answer: wire.appliedReply(applied) }
}

function readCodeRequest(body: wire.SendCodeBody): CodeRequest | Refused {
  switch (body.requestType) {
    case undefined:
    case '':
      return refuse('missing_request_type')
    case 'PASSWORD_RESET':
      return body.email ? { purpose: 'password_reset', email: body.email } : refuse('missing_email')
    case 'EMAIL_SIGNIN':
      if (!body.email) return refuse('missing_email')
      if (!body.canHandleCodeInApp || !body.continueUrl) return refuse('missing_continue_uri')
      return { purpose: 'email_sign_in', email: body.email }
    case 'VERIFY_EMAIL':
      return body.idToken ? { purpose: 'verify_email', idToken: body.idToken } : refuse('missing_id_token')
    case 'VERIFY_AND_CHANGE_EMAIL':
      if (!body.idToken) return refuse('missing_id_token')
      if (!body.newEmail) return refuse('missing_new_email')
      return { purpose: 'verify_and_change_email', idToken: body.idToken, newEmail: body.newEmail }
    default:
      return refuse('invalid_request_type')
  }
}
