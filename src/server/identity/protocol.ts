import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  confirmPasswordReset,
  inspectResetCode,
  lookUp,
  refresh,
  requestPasswordReset,
  signIn,
  signUp,
} from './core.ts'
import type { Core } from './core.ts'
import { ERRORS, errorBody, weakPassword } from './errors.ts'
import type { Refused } from './errors.ts'
import type { MailRound } from './mail-round.ts'
import * as wire from './wire.ts'

const BODY_LIMIT_BYTES = 16_384

export type ProtocolOptions = {
  readonly mails: MailRound
  readonly publicUrl: string
  readonly projectId: string
}

type Answer = { readonly answer: object } | Refused

/** The calls of Google's Identity Toolkit and Secure Token API that `firebase/auth` makes, under one prefix. */
export const createProtocol =
  (core: Core, { mails, publicUrl, projectId }: ProtocolOptions): FastifyPluginAsync =>
  // Fastify takes a plugin without callback for an asynchronous one.
  // oxlint-disable-next-line typescript/require-await
  async (app) => {
    speakFirebase(app)
    app.addHook('onReady', async () => mails.start())
    app.addHook('onClose', () => mails.stop())

    const post = <S extends z.ZodType>(
      path: string,
      schema: S,
      handle: (body: z.output<S>, request: FastifyRequest) => Promise<Answer>,
    ) =>
      app.post(path, async (request, reply) => {
        const body = schema.safeParse(request.body)
        const outcome = body.success ? await handle(body.data, request) : refuse('malformed')
        return 'refused' in outcome ? sendRefusal(reply, core, outcome) : outcome.answer
      })

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
      const user = await lookUp(core, body.idToken)
      return 'refused' in user ? user : { answer: wire.lookupReply(user) }
    })

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

    post('/v1/token', wire.TokenBody, async (body, { ip }) => {
      if (!body.grant_type) return refuse('missing_grant_type')
      if (body.grant_type !== 'refresh_token') return refuse('invalid_grant_type')
      if (!body.refresh_token) return refuse('missing_refresh_token')
      const outcome = await refresh(core, { refreshToken: body.refresh_token, ip })
      return 'refused' in outcome ? outcome : { answer: wire.tokenReply(outcome, projectId) }
    })

    app.get('/v2/passwordPolicy', () => wire.policyReply(core.policy))
    app.get('/v2/recaptchaConfig', () => wire.recaptchaReply(projectId))
    app.get('/v1/projects', () => ({ projectId, authorizedDomains: [new URL(publicUrl).hostname] }))
    app.get('/.well-known/jwks.json', { config: { keyless: true } }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(core.keys.published),
    )
  }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without an API key. */
    keyless?: true
  }
}

const refuse = (refused: Exclude<Refused['refused'], 'weak_password'>): Refused => ({ refused })

function sendRefusal(reply: FastifyReply, core: Core, refusal: Refused): FastifyReply {
  const message =
    refusal.refused === 'weak_password' ? weakPassword(core.policy, refusal.unmet) : ERRORS[refusal.refused]
  return reply.status(400).send(errorBody(message))
}

/** How every call of the service is read and refused, whatever the rest of the server does. */
function speakFirebase(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.addHook('onRoute', (route) => {
    route.bodyLimit = BODY_LIMIT_BYTES
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!hasApiKey(request) && !request.routeOptions.config.keyless) {
      return reply.status(403).send(errorBody(ERRORS.missing_api_key))
    }
  })
  app.setNotFoundHandler((_request, reply) => reply.status(400).send(errorBody(ERRORS.unknown_call)))
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return reply.status(400).send(errorBody(ERRORS.malformed))
    }
    // Not JSON: the SDK takes it for a network that is down and keeps its user. Any JSON error at start-up signs the user out.
    request.log.error({ err: error }, 'identity call failed')
    return reply
      .status(503)
      .header('retry-after', '5')
      .type('text/plain; charset=utf-8')
      .send('The identity service cannot answer at the moment.\n')
  })
}

/** The key is public and opens nothing: that one is there keeps stray requests out, as at Google. */
function hasApiKey(request: FastifyRequest): boolean {
  const { key } = request.query as { key?: unknown } // Fastify's parser answers an object, of what the caller likes
  return [key, request.headers['x-goog-api-key']].some((given) => typeof given === 'string' && given !== '')
}
