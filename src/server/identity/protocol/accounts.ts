import { bearerOf, refresh } from '../core/sessions.ts'
import { signIn } from '../core/sign-in.ts'
import { signUp } from '../core/sign-up.ts'
import type { Core } from '../core/core.ts'
import { refuse } from './call.ts'
import type { Post } from './call.ts'
import * as wire from './wire.ts'

/** Who somebody is: sign-up, sign-in, the user as stored, a new token. */
export function accountCalls(post: Post, core: Core, projectId: string): void {
  // `::` is a colon in a path of Fastify's.
  post('/v1/accounts::signUp', wire.SignUpBody, async (body, { ip }) => {
    if (body.localId !== undefined) return refuse('chosen_uid')
    if (body.idToken !== undefined) return refuse('unknown_call')
    if (!body.email && !body.password) return refuse('no_anonymous_users')
    if (!body.email) return refuse('missing_email')
    if (!body.password) return refuse('missing_password')
    const displayName = body.displayName || null
    const outcome = await signUp(core, { email: body.email, password: body.password, displayName, ip })
    return 'refused' in outcome
      ? outcome
      : { answer: wire.sessionReply('identitytoolkit#SignupNewUserResponse', outcome) }
  })

  post('/v1/accounts::signInWithPassword', wire.SignInBody, async (body, { ip }) => {
    if (!body.email) return refuse('missing_email')
    if (!body.password) return refuse('missing_password')
    const outcome = await signIn(core, { email: body.email, password: body.password, ip })
    return 'refused' in outcome
      ? outcome
      : { answer: wire.sessionReply('identitytoolkit#VerifyPasswordResponse', outcome) }
  })

  post('/v1/accounts::lookup', wire.LookupBody, async (body) => {
    if (!body.idToken) return refuse('missing_id_token')
    const bearer = await bearerOf(core, body.idToken)
    return 'refused' in bearer ? bearer : { answer: wire.lookupReply(bearer.user) }
  })

  post('/v1/token', wire.TokenBody, async (body, { ip }) => {
    if (!body.grant_type) return refuse('missing_grant_type')
    if (body.grant_type !== 'refresh_token') return refuse('invalid_grant_type')
    if (!body.refresh_token) return refuse('missing_refresh_token')
    const outcome = await refresh(core, { refreshToken: body.refresh_token, ip })
    return 'refused' in outcome ? outcome : { answer: wire.tokenReply(outcome, projectId) }
  })
}
