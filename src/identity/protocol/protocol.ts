import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Core } from '../core/core.ts'
import type { MailOutbox } from '../mails/outbox.ts'
import { accountCalls } from './accounts.ts'
import { posts } from './call.ts'
import { codeCalls } from './codes.ts'
import { ERRORS, errorBody } from './errors.ts'
import * as wire from './wire.ts'

const BODY_LIMIT_BYTES = 16_384

export type ProtocolOptions = {
  readonly mails: MailOutbox
  readonly publicUrl: string
  readonly projectId: string
}

/** The calls of Google's Identity Toolkit and Secure Token API that `firebase/auth` makes, under one prefix. */
export const createProtocol =
  (core: Core, { mails, publicUrl, projectId }: ProtocolOptions): FastifyPluginAsync =>
  // Fastify takes a plugin without callback for an asynchronous one.
  // oxlint-disable-next-line typescript/require-await
  async (app) => {
    speakFirebase(app)
    app.addHook('onReady', async () => mails.start())
    app.addHook('onClose', () => mails.stop())

    const post = posts(app, core)
    accountCalls(post, core, projectId)
    codeCalls(post, core)

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
