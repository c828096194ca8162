import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import type { Core } from '../core/core.ts'
import type { MailRound } from '../mail-round.ts'
import { ipKey } from '../throttle.ts'
import { accountCalls } from './accounts.ts'
import { isAdminKey, privilegedCalls } from './admin.ts'
import { posts, refuse, sendAnswer } from './call.ts'
import { codeCalls } from './codes.ts'
import { ERRORS, errorBody } from './errors.ts'
import { federatedCalls } from './federated.ts'
import * as wire from './wire.ts'

const BODY_LIMIT_BYTES = 16_384

export type ProtocolOptions = {
  readonly mails: MailRound
  readonly publicUrl: string
  readonly projectId: string
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

/** The calls of Google's Identity Toolkit and Secure Token API that `firebase/auth` makes, under one prefix. */
export const createProtocol =
  (core: Core, { mails, publicUrl, projectId, log }: ProtocolOptions): FastifyPluginAsync =>
  // Fastify takes a plugin without callback for an asynchronous one.
  // oxlint-disable-next-line typescript/require-await
  async (app) => {
    speakFirebase(app, core)
    app.addHook('onReady', async () => mails.start())
    app.addHook('onClose', () => mails.stop())

    const privileged = privilegedCalls(core, log)
    const post = posts(app, core, privileged)
    accountCalls(post, core, projectId)
    codeCalls(post, core)
    federatedCalls(post, core)

    for (const [path, call] of privileged) {
      // The Admin SDK names the project, and makes users at its list of them.
      const ofProject = path.replace('/v1/', '/v1/projects/:project/').replace(/::signUp$/, '')
      app.post<{ Params: { project: string } }>(ofProject, async (request, reply) => {
        if (!request.isPrivileged) return sendAnswer(reply, core, refuse('admin_only'))
        if (request.params.project !== projectId) return sendAnswer(reply, core, refuse('unknown_project'))
        return sendAnswer(reply, core, (await call(request)) ?? refuse('malformed'))
      })
    }

    app.get('/v2/passwordPolicy', () => wire.policyReply(core.rules.policy))
    app.get('/v2/recaptchaConfig', () => wire.recaptchaReply(projectId))
    app.get('/v1/projects', () => ({
      projectId,
      authorizedDomains: [new URL(publicUrl).hostname, ...core.rules.authorizedDomains],
    }))
    app.get('/.well-known/jwks.json', { config: { keyless: true } }, async (_request, reply) => {
      const published = await core.keys.published()
      return reply.header('cache-control', 'public, max-age=300').send(published)
    })
  }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without an API key. */
    keyless?: true
  }
  interface FastifyRequest {
    /** Brings the admin key. */
    isPrivileged: boolean
  }
}

/** How every call of the service is read and refused, whatever the rest of the server does. */
function speakFirebase(app: FastifyInstance, core: Core): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.addHook('onRoute', (route) => {
    route.bodyLimit = BODY_LIMIT_BYTES
  })
  app.decorateRequest('isPrivileged', false)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const [, bearer] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (bearer !== undefined) {
      request.isPrivileged = isAdminKey(core.rules.adminKey, bearer)
      if (request.isPrivileged) return
      const within = await core.throttle.count({ wrongAdminKeyByIp: ipKey(request.ip) })
      return sendAnswer(reply, core, refuse(within ? 'wrong_admin_key' : 'too_many_attempts'))
    }
    if (!hasApiKey(request) && !request.routeOptions.config.keyless) {
      return reply.status(403).send(errorBody(ERRORS.missing_api_key))
    }
  })
  app.setNotFoundHandler(unknownCall)
  // Routes as well: the web app's files answer to every address that no other route does.
  app.all('/', unknownCall)
  app.all('/*', unknownCall)
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

const unknownCall = (_request: FastifyRequest, reply: FastifyReply) =>
  reply.status(400).send(errorBody(ERRORS.unknown_call))

/** The key is public and opens nothing: that one is there keeps stray requests out, as at Google. */
function hasApiKey(request: FastifyRequest): boolean {
  const { key } = request.query as { key?: unknown } // Fastify's parser answers an object, of what the caller likes
  return [key, request.headers['x-goog-api-key']].some((given) => typeof given === 'string' && given !== '')
}
