import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import files from '@fastify/static'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { DatabaseError } from 'pg'
import { isDatabaseDown } from '#base/database-down.ts'
import { API_PAGE, API_PREFIX, CLIENT_FILE, COMMAND_PATH, refusalPath } from '#contract/http/addresses.ts'
import type { ProblemBody } from '#contract/http/problem.ts'
import { authenticateCaller } from './api-keys/authenticate.ts'
import { assertReach } from './api-keys/reach.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { logoPlugin } from './brands/logo.ts'
import { brandRoutes } from './brands/routes.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { csvRoutes } from './csv/routes.ts'
import { mountExport } from './csv/export-route.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { feedPlugin } from './feeds/feed-plugin.ts'
import { feedRoutes } from './feeds/routes.ts'
import { followUpRoutes } from './follow-ups/routes.ts'
import type { Deps } from './deps.ts'
import { draftRoutes } from './drafts/routes.ts'
import { mountUserExport } from './export/export-user.ts'
import { mountEvents } from './events/routes.ts'
import { createHealth, mountHealth, type Health } from './health/health.ts'
import { type ApiDescription, apiPage } from './help/api-page.ts'
import { clientFile } from './help/client-file.ts'
import { helpRoutes } from './help/help.ts'
import { libraryRoutes } from './library/routes.ts'
import { webhooksPlugin } from './platform-webhooks/routes.ts'
import { checkForwardedAddress } from './http/client-address.ts'
import { limitConnections, limitPipelining } from './http/connections.ts'
import { watchBodies } from './http/request-bodies.ts'
import { refuseOtherCharsets } from './http/parse.ts'
import { errorBody, ERRORS } from '#identity/protocol/errors.ts'
import { mountApi } from './http/mount.ts'
import { limitJsonValues } from './http/json-values.ts'
import { openapi } from './http/openapi.ts'
import { oauthPlugin } from './oauth/oauth-plugin.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { type CallerDeps, createKeyRate } from './http/caller.ts'
import { createUploadLimit } from './http/upload-limit.ts'
import { createAnonymousLimit } from './http/anonymous-limit.ts'
import { createUserLimit, type UserLimit } from './http/user-limit.ts'
import { isWebPage } from './web/web-pages.ts'
import { mcpPlugin } from './mcp/routes.ts'
import { mountMetrics } from './metrics/metrics.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { legalPlugin, type LegalPages, readLegalPages } from './legal/legal-pages.ts'
import { unsubscribePlugin } from './notifications/unsubscribe.ts'
import { operatorRoutes } from './operator/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { picturePlugin } from './pictures/picture-plugin.ts'
import { pauseRoutes } from './pauses/routes.ts'
import { pictureRoutes } from './pictures/routes.ts'
import { postEditRoutes } from './posts/edit/routes.ts'
import { postRoutes } from './posts/routes.ts'
import { isKeyUsed } from './posts/store.ts'
import { platformKeyRoutes } from './platform-keys/routes.ts'
import { presetRoutes } from './presets/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { mountResultsExport } from './results/export-route.ts'
import { resultsRoutes } from './results/routes.ts'
import { restoreRoutes } from './restore/routes.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import { cacheAnswer } from '#base/cached-answer.ts'
import { Problem } from '#base/problem.ts'
import { isDiskFull } from '#base/system-error.ts'
import { settingsRoutes } from './settings/settings.ts'
import { assertDiskRoom, diskFull } from './storage/disk-room.ts'
import { NotStored } from './storage/storage.ts'
import { ownUserRoutes } from './users/delete-own-user.ts'
import { userRoutes } from './users/routes.ts'
import { createFactsReader, type FactsReader } from './videos/facts.ts'
import { mediaPlugin } from './videos/media.ts'
import { drainOnStop, stopping } from './runtime/drain.ts'
import { securityHeaders } from './runtime/security-headers.ts'
import { posterPlugin } from './videos/poster.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { mountTus } from './uploads/tus-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { videoRoutes } from './videos/routes.ts'
import { assertRoom } from './videos/quota.ts'
import { hasVideo, isKept } from './videos/store.ts'

const WEB_ROOT = fileURLToPath(new URL('../../dist/web', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../dist/cli/reelay.mjs', import.meta.url))
/** For the JSON bodies of most calls; videos are streamed and have their own limits. */
const JSON_MAX_BYTES = 262_144

export async function buildApp(
  deps: Deps,
  health: Health = createHealth(deps),
  openFactsReader: typeof createFactsReader = createFactsReader,
): Promise<FastifyInstance> {
  // Typed as Fastify's own logger, or pino's type would spread to every route. At `info` Fastify logs every listen address,
  // which main.ts already prints.
  const level = deps.log.level === 'info' ? 'warn' : deps.log.level
  const log: FastifyBaseLogger = deps.log.child({}, { level })
  const proxies = deps.config.trustedProxies
  const headers = securityHeaders(deps)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: JSON_MAX_BYTES,
    // Limits headers only: a video may take long, and `watchBodies` limits bodies. Also ends unread responses. Event
    // streams send something every 20 s.
    connectionTimeout: 600_000,
    requestTimeout: 0,
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: true,
    // `request.ip`, the key of rate limits, is taken only from these proxies.
    trustProxy: typeof proxies === 'number' ? (_address, hop) => hop < proxies : [...proxies],
    genReqId: () => crypto.randomUUID(),
    frameworkErrors: (error, request, reply) => {
      void reply.headers(headers)
      void answerUnroutable(deps, error, request, reply)
    },
  })
  checkForwardedAddress(app)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
  app.setErrorHandler(answerError)
  limitPipelining(app.server)
  watchBodies(app)
  refuseOtherCharsets(app)
  limitConnections(app.server, deps.config, log)
  drainOnStop(app)
  // First: it measures the routes that are mounted after it.
  mountMetrics(app, deps)

  const userLimit = createUserLimit()
  const callerDeps = {
    authenticate: (token: string) => authenticateCaller(deps, token),
    keyRate: createKeyRate(deps.now),
  }
  const limited = { ...deps, ...callerDeps, userLimit }
  const forAnonymous = { ...limited, anonymousLimit: createAnonymousLimit() }
  const facts = openFactsReader(deps.storage, (userId) => hasVideo(deps.db, userId))
  const legalPages = await readLegalPages(deps.config.dataDir)
  await app.register((api) => mountCalls(api, { ...limited, health, legalPages }, facts), {
    prefix: API_PREFIX,
  })
  if (deps.identity.plugin) await app.register(deps.identity.plugin, { prefix: '/identity' })
  await app.register(mcpPlugin({ ...deps, ...callerDeps }))
  await app.register(mediaPlugin(forAnonymous))
  await app.register(posterPlugin(forAnonymous))
  await app.register(picturePlugin(forAnonymous))
  await app.register(logoPlugin(forAnonymous))
  await app.register(feedPlugin(forAnonymous))
  await app.register(webhooksPlugin({ ...deps, db: deps.backgroundDb }))
  await app.register(unsubscribePlugin(deps))
  await app.register(oauthPlugin(forAnonymous))
  await app.register(legalPlugin(legalPages))
  const sendApiPage = cacheAnswer({
    type: 'text/html; charset=utf-8',
    cacheControl: 'public, max-age=300',
    make: () => apiPage(describeApi(), deps.config.publicUrl),
  })
  const sendClientFile = cacheAnswer({
    type: 'text/plain; charset=utf-8',
    cacheControl: 'public, max-age=300',
    make: () => clientFile(describeApi()),
  })
  app.get(API_PAGE, (request, reply) => sendApiPage(request, reply, null))
  app.get(CLIENT_FILE, (request, reply) => sendClientFile(request, reply, null))
  mountHealth(app, health, () => (app.draining.aborted ? stopping() : null))
  mountCommand(app)
  await mountWeb(app)
  return app
}

const describeApi = () => openapi() as ApiDescription // the type names what `openapi` makes

/** Every call of the API, tus and the event stream. */
async function mountCalls(
  api: FastifyInstance,
  deps: Deps &
    CallerDeps & {
      readonly userLimit: UserLimit
      readonly health: Health
      readonly legalPages: LegalPages
    },
  facts: FactsReader,
): Promise<void> {
  const quotaBytes = deps.config.storageQuota
  const shared = {
    ...deps,
    facts,
    uploadLimit: createUploadLimit(),
    quotaBytes,
  }
  // Most responses are personal, so the default is not to cache; routes may override it.
  api.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  limitJsonValues(api)
  // First, or Fastify would answer HEAD with a call's GET.
  await mountTus(api, shared)
  await mountApi(
    api,
    {
      ...shared,
      assertReach: (caller, input) => assertReach(deps.db, caller, input),
      isKept: (key) => isKept(deps.db, key),
      isKeyUsed: ({ user_id: userId }, key) => isKeyUsed(deps.db, userId, key),
      assertRoom: async ({ user_id: userId }, bytes) => {
        await assertDiskRoom(deps.storage, bytes)
        await assertRoom(deps.db, { userId, bytes, quotaBytes })
      },
    },
    {
      ...settingsRoutes(deps),
      ...helpRoutes(deps),
      ...userRoutes(deps),
      ...ownUserRoutes({ ...deps, db: deps.backgroundDb }),
      ...brandRoutes(shared),
      ...accountRoutes(deps),
      ...videoRoutes(shared),
      ...libraryRoutes(shared),
      ...uploadRoutes(shared),
      ...pictureRoutes(shared),
      ...postRoutes(shared),
      ...postEditRoutes(shared),
      ...scheduleRoutes(deps),
      ...draftRoutes(shared),
      ...presetRoutes(deps),
      ...resultsRoutes(deps),
      ...reportRoutes(deps),
      ...overviewRoutes(deps),
      ...calendarRoutes(deps),
      ...csvRoutes(shared),
      ...feedRoutes(deps),
      ...deliveryRoutes(deps),
      ...restoreRoutes({ ...deps, db: deps.backgroundDb }),
      ...pauseRoutes(deps),
      ...followUpRoutes(deps),
      ...webhookRoutes({ ...deps, db: deps.backgroundDb }),
      ...notificationRoutes(deps),
      ...apiKeyRoutes(deps),
      ...oauthRoutes(deps),
      ...operatorRoutes({ ...deps, db: deps.backgroundDb }),
      ...platformKeyRoutes({ ...deps, db: deps.backgroundDb }),
    },
  )
  mountEvents(api, shared)
  mountExport(api, shared)
  mountResultsExport(api, shared)
  mountUserExport(api, shared)
  const sendDescription = cacheAnswer({
    cacheControl: 'public, max-age=300',
    make: () => JSON.stringify(openapi()),
  })
  api.get('/openapi.json', (request, reply) => sendDescription(request, reply, null))
}

/** No plugin sees addresses that the router cannot read, such as `%zz`. */
function answerUnroutable(deps: Deps, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const isIdentity = deps.identity.plugin !== undefined && /^\/identity(\/|\?|$)/.test(request.url)
  return isIdentity ? reply.status(400).send(errorBody(ERRORS.malformed)) : answerError(error, request, reply)
}

function answerError(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) {
  const problem =
    error instanceof Problem ? error : asProblem(error, request.routeOptions.config.isForm === true)
  if (problem === null || problem.code === 'internal') {
    request.log.error(
      { err: error, method: request.method, route: request.routeOptions.url },
      'a request failed',
    )
    const body: ProblemBody = {
      code: 'internal',
      retryable: true,
      docs: refusalPath('internal'),
      message: 'Something went wrong on the server, and the server logged it.',
      request_id: request.id,
    }
    return reply.status(500).send(body)
  }
  if (problem.code === 'unavailable')
    request.log.warn({ err: error }, 'answered 503, the client should retry')
  if (problem.retryAfterS !== undefined) reply.header('retry-after', Math.ceil(problem.retryAfterS))
  if (problem.code === 'unauthorized') reply.header('www-authenticate', 'Bearer')
  return reply.status(problem.status).send(problem.body())
}

/** Fastify's own refusals as Problems; `null`: not the caller's fault. */
function asProblem(error: FastifyError, isForm: boolean): Problem | null {
  if (isDatabaseDown(error))
    return new Problem('unavailable', 'The server is busy or restarting. Try again in a moment.', {
      retryAfterS: 5,
    })
  if (isStatementTimeout(error))
    return new Problem('unavailable', 'This took the server too long. Ask for less, or try again later.', {
      retryAfterS: 10,
      cause: error,
    })
  if (isConflictOfTransactions(error))
    return new Problem('unavailable', 'Something else changed this at the same moment. Try again.', {
      retryAfterS: 1,
      cause: error,
    })
  // The video was deleted during its request.
  if (error instanceof NotStored) return new Problem('not_found', "There's nothing at this address.")
  if (isOfErasedUser(error)) return new Problem('unauthorized', 'Log in first.')
  if (isDiskFull(error)) return diskFull(error)
  if (error.statusCode === 413) return new Problem('too_large', 'This is more than the call accepts.')
  if (error.statusCode === 415) {
    const takes = isForm ? 'Send this as a form (multipart/form-data).' : 'This call takes JSON.'
    return new Problem('unsupported_media', takes)
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem('malformed', 'The request is not well formed.')
  }
  return null
}

/** The user was deleted during the request. SQLSTATE 23503: a foreign key; our tables name it after the column. */
const isOfErasedUser = (error: Error): boolean =>
  error instanceof DatabaseError &&
  error.code === '23503' &&
  error.constraint === `${error.table}_user_id_fkey`

/** SQLSTATE 57014: PostgreSQL cancelled the statement, and rolled its transaction back. */
const isStatementTimeout = (error: Error): boolean => error instanceof DatabaseError && error.code === '57014'

/** SQLSTATE 40P01 (deadlock), 40001 (serialization): PostgreSQL rolled the transaction back, so the caller may repeat it. */
const isConflictOfTransactions = (error: Error): boolean =>
  error instanceof DatabaseError && ['40P01', '40001'].includes(error.code ?? '')

/** File names in `assets` contain a content hash; icons hardly ever change; pages are always revalidated. */
function cacheHeader(file: string): string {
  if (file.startsWith(`assets${path.sep}`)) return 'public, max-age=31536000, immutable'
  return /\.(png|svg)$/.test(file) ? 'public, max-age=86400' : 'no-cache'
}

/** Serves the command line program of this version as one file: `curl -O …/cli/reelay.mjs`. */
function mountCommand(app: FastifyInstance): void {
  if (!existsSync(COMMAND)) return
  const send = cacheAnswer({
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'no-cache',
    make: (_builtAt: number) => readFileSync(COMMAND, 'utf8'),
  })
  app.get(COMMAND_PATH, (request, reply) => send(request, reply, statSync(COMMAND).mtimeMs))
}

/** Serves the built web app only at its pages' paths: a monitor that requests `/metrics` must not get a page. */
async function mountWeb(app: FastifyInstance): Promise<void> {
  const built = existsSync(WEB_ROOT)
  const document = path.join(WEB_ROOT, 'index.html')
  const sendCached = cacheAnswer({
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    make: (_builtAt: number) => readFileSync(document, 'utf8'),
  })
  // The next version's start may build its web app while this one still runs.
  const sendDocument = (request: FastifyRequest, reply: FastifyReply) =>
    sendCached(request, reply, statSync(document).mtimeMs)
  if (built) {
    app.get('/', sendDocument)
    await app.register(files, {
      root: WEB_ROOT,
      // The build writes a compressed copy beside each text file.
      preCompressed: true,
      setHeaders: (reply, file) => {
        reply.header('cache-control', cacheHeader(path.relative(WEB_ROOT, file)))
      },
    })
  }
  app.setNotFoundHandler(async (request, reply) => {
    const isScreen = ['GET', 'HEAD'].includes(request.method) && isWebPage(request.url) && built
    if (isScreen) return sendDocument(request, reply)
    return reply.status(404).send(new Problem('not_found', "There's nothing at this address.").body())
  })
}
