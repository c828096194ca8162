import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import { cacheAnswer } from '#base/cached-answer.ts'
import type { Core } from '../core/core.ts'
import type { MailOutbox } from '../mails/outbox.ts'
import type { OidcClient } from '../oidc/client.ts'
import { addAccountRoutes } from './accounts.ts'
import { createPost } from './call.ts'
import { addCodeRoutes } from './codes.ts'
import { addOidcRoutes } from './oidc.ts'
import { ERRORS, errorBody } from './errors.ts'
import * as wire from './wire.ts'

const BODY_LIMIT_BYTES = 16_384

export type ProtocolOptions = {
  readonly mails: MailOutbox
  readonly publicUrl: string
  readonly projectId: string
  readonly log: Pick<FastifyBaseLogger, 'info'>
  readonly oidc: OidcClient
}

/** The calls of Google's Identity Toolkit and Secure Token API that `firebase/auth` makes. */
export const createProtocol =
  (core: Core, { mails, publicUrl, projectId, log, oidc }: ProtocolOptions): FastifyPluginAsync =>
  // Fastify requires an async function for a plugin without callback.
  // oxlint-disable-next-line typescript/require-await
  async (app) => {
    setFirebaseFormat(app)
    app.addHook('onReady', async () => mails.start())
    app.addHook('onClose', () => mails.stop())

    const post = createPost(app, core)
    addAccountRoutes(post, core, { projectId, log, oidc })
    addCodeRoutes(post, core)
    addOidcRoutes(app, post, core, { oidc, log })

    addConstant(app, '/v2/passwordPolicy', wire.policyReply(core.rules.policy))
    addConstant(app, '/v2/recaptchaConfig', wire.recaptchaReply(projectId))
    addConstant(app, '/v1/projects', {
      projectId,
      authorizedDomains: [new URL(publicUrl).hostname, ...core.rules.authorizedDomains],
    })
    const sendKeys = cacheAnswer({ cacheControl: 'public, max-age=300', make: JSON.stringify })
    app.get('/.well-known/jwks.json', { config: { keyless: true } }, async (request, reply) =>
      sendKeys(request, reply, await core.keys.published()),
    )
  }

function addConstant(app: FastifyInstance, path: string, answer: object): void {
  const send = cacheAnswer({ cacheControl: 'no-store', make: JSON.stringify })
  app.get(path, (request, reply) => send(request, reply, answer))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    keyless?: true
  }
}

function setFirebaseFormat(app: FastifyInstance): void {
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
  // Also routes: the web app's wildcard route would answer otherwise.
  app.all('/', unknownCall)
  app.all('/*', unknownCall)
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return reply.status(400).send(errorBody(ERRORS.malformed))
    }
    // Plain text: the SDK treats it as a network error, whereas JSON errors at start sign the user out.
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

/** The key is public. Requiring one keeps stray requests out, as at Google. */
function hasApiKey(request: FastifyRequest): boolean {
  const { key } = request.query as { key?: unknown } // Fastify's query parser returns an object
  return [key, request.headers['x-goog-api-key']].some((given) => typeof given === 'string' && given !== '')
}
