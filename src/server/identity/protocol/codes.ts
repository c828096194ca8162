import { confirmPasswordReset, inspectResetCode, requestPasswordReset } from '../core/reset.ts'
import type { Core } from '../core/core.ts'
import { refuse } from './call.ts'
import type { Post } from './call.ts'
import * as wire from './wire.ts'

/** What is asked for by mail, and what the codes in mails open. */
export function codeCalls(post: Post, core: Core): void {
  post('/v1/accounts::sendOobCode', wire.SendCodeBody, async (body, { ip }) => {
    if (!body.requestType) return refuse('missing_request_type')
    if (body.returnOobLink) return refuse('admin_only')
    if (body.requestType !== 'PASSWORD_RESET') return refuse('invalid_request_type')
    if (!body.email) return refuse('missing_email')
    const outcome = await requestPasswordReset(core, { email: body.email, ip })
    if ('refused' in outcome) return outcome
    return { answer: { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email: outcome.email } }
  })

  post('/v1/accounts::resetPassword', wire.ResetBody, async (body, { ip }) => {
    if (!body.oobCode) return refuse('missing_code')
    const code = { code: body.oobCode, ip }
    const outcome =
      body.newPassword === undefined
        ? await inspectResetCode(core, code)
        : await confirmPasswordReset(core, { ...code, newPassword: body.newPassword })
    if ('refused' in outcome) return outcome
    const { email } = outcome
    return {
      answer: { kind: 'identitytoolkit#ResetPasswordResponse', email, requestType: 'PASSWORD_RESET' },
    }
  })
}
