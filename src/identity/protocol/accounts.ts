import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { newSecret } from '#base/secret.ts'
import type { Core } from '../core/core.ts'
import { findSignInMethods, lookUp } from '../core/look-up.ts'
import { changeProfile, deleteSelf, linkPassword } from '../core/profile.ts'
import { refresh, type Session } from '../core/sessions.ts'
import { signIn } from '../core/sign-in.ts'
import { signUp } from '../core/sign-up.ts'
import { confirmLink } from '../oidc/login.ts'
import type { OidcClient } from '../oidc/client.ts'
import { type Post, refuse } from './call.ts'
import { applyMailedCode } from './codes.ts'
import type { Refused } from './errors.ts'
import { readTicket, ticketCookie } from './oidc.ts'
import * as wire from './wire.ts'

type AccountOptions = {
  readonly projectId: string
  readonly oidc: OidcClient
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

export function addAccountRoutes(post: Post, core: Core, { projectId, oidc, log }: AccountOptions): void {
  // Fastify reads `::` as a colon.
  post('/v1/accounts::signUp', wire.SignUpBody, async (body, { ip }) => {
    if (body.localId !== undefined) return refuse('chosen_uid')
    const outcome = await signUpOrLink(body, ip)
    return 'refused' in outcome
      ? outcome
      : { answer: wire.sessionReply('identitytoolkit#SignupNewUserResponse', outcome) }
  })

  async function signUpOrLink(
    body: z.output<typeof wire.SignUpBody>,
    ip: string,
  ): Promise<Session | Refused> {
    const { idToken, email, password } = body
    if (!email) return refuse('missing_email')
    if (!password) return refuse('missing_password')
    if (idToken !== undefined) return linkPassword(core, { idToken, email, password, ip })
    return signUp(core, { email, password, displayName: body.displayName || null, ip })
  }

  post('/v1/accounts::signInWithPassword', wire.SignInBody, async (body, request) => {
    if (!body.email) return refuse('missing_email')
    if (!body.password) return refuse('missing_password')
    const { ip, id: reqId } = request
    const outcome = await signIn(core, { email: body.email, password: body.password, ip })
    if ('refused' in outcome) {
      // Not a warning: repeats of those are counted, and fail2ban counts lines.
      log.info({ reqId, ip, refused: outcome.refused }, 'log-in refused')
      return outcome
    }
    log.info({ reqId, ip, uid: outcome.user.uid }, 'logged in')
    const linked = await confirmLink(core, oidc, readTicket(core, request), outcome.user)
    return { answer: wire.signInReply(outcome), ...(linked && { cookie: ticketCookie(core, null) }) }
  })

  post('/v1/accounts::lookup', wire.LookupBody, async (body) => {
    if (!body.idToken) return refuse('missing_id_token')
    const looked = await lookUp(core, body.idToken)
    return 'refused' in looked ? looked : { answer: wire.lookupReply(looked) }
  })

  post('/v1/accounts::update', wire.UpdateBody, async (body, request) => {
    if (hasAdminFields(body)) return refuse('admin_only')
    if (body.oobCode) return applyMailedCode(core, body.oobCode, request)
    if (!body.idToken) return refuse('missing_id_token')
    const { displayName, photoUrl, deleteAttribute } = body
    const outcome = await changeProfile(core, {
      idToken: body.idToken,
      ...(displayName !== undefined && { displayName }),
      ...(photoUrl !== undefined && { photoUrl }),
      ...(deleteAttribute.includes('DISPLAY_NAME') && { displayName: null }),
      ...(deleteAttribute.includes('PHOTO_URL') && { photoUrl: null }),
      email: body.email ?? null,
      password: body.password ?? null,
      ip: request.ip,
    })
    return 'refused' in outcome ? outcome : { answer: wire.updateReply(outcome) }
  })

  post('/v1/accounts::delete', wire.DeleteBody, async (body) => {
    if (body.localId !== undefined) return refuse('admin_only')
    if (!body.idToken) return refuse('missing_id_token')
    const outcome = await deleteSelf(core, body.idToken)
    return 'refused' in outcome ? outcome : { answer: { kind: 'identitytoolkit#DeleteAccountResponse' } }
  })

  post('/v1/accounts::createAuthUri', wire.AuthUriBody, async (body, { ip }) => {
    if (!body.identifier) return refuse('missing_identifier')
    if (!body.continueUri) return refuse('missing_continue_uri')
    if (!/^https?:$/.test(URL.parse(body.continueUri)?.protocol ?? '')) return refuse('invalid_continue_uri')
    const found = await findSignInMethods(core, { email: body.identifier, ip })
    return 'refused' in found ? found : { answer: wire.authUriReply(newSecret(), found.known) }
  })

  post('/v1/token', wire.TokenBody, async (body, { ip }) => {
    if (!body.grantType) return refuse('missing_grant_type')
    if (body.grantType !== 'refresh_token') return refuse('invalid_grant_type')
    if (!body.refreshToken) return refuse('missing_refresh_token')
    const outcome = await refresh(core, { refreshToken: body.refreshToken, ip })
    return 'refused' in outcome ? outcome : { answer: wire.tokenReply(outcome, projectId) }
  })
}

const hasAdminFields = (body: z.output<typeof wire.UpdateBody>): boolean =>
  [
    body.localId,
    body.disableUser,
    body.emailVerified,
    body.validSince,
    body.customAttributes,
    body.deleteProvider,
  ].some((given) => given !== undefined)
