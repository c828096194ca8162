import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UploadId } from '#contract/ids.ts'
import { UPLOADS_PATH, uploadEndpoints, VIDEO_ID_HEADER } from '#contract/uploads.ts'
import type { User } from '#contract/users.ts'
import { notFound } from '#base/problem.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { type CallerDeps, requireCaller } from '../http/caller.ts'
import type { MountDeps } from '../http/mount.ts'
import { allowUpload } from '../http/request-bodies.ts'
import { type BodyStream, openBody } from './body-stream.ts'
import type { ExchangeDeps } from './exchange.ts'
import { locked } from './locks.ts'
import { tusProblem, problemOfReply } from './tus-errors.ts'
import { EXTENSIONS } from './user-uploads.ts'

type TusDeps = ExchangeDeps & CallerDeps & Pick<MountDeps, 'uploadLimit' | 'userLimit'>

/** What a caller must be allowed to, whatever the method. */
const UPLOADING = { ...uploadEndpoints.getUpload, auth: 'write' } as const

const TUS_VERSION = '1.0.0'

/** The tus protocol, 1.0.0: everything but GET, which is a call of the API. */
export async function mountTus(api: FastifyInstance, deps: TusDeps): Promise<void> {
  await api.register(async (app) => {
    app.removeAllContentTypeParsers()
    // The body is a stream of its own.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const callers = new WeakMap<FastifyRequest, User>()
    // Before any of the body is read, so that a request without a valid token stays cheap.
    app.addHook('onRequest', async (request, reply) => {
      // A client of another version reads in the refusal which ones there are.
      reply.headers({ 'tus-resumable': TUS_VERSION, 'tus-version': TUS_VERSION })
      if (request.method === 'OPTIONS') return
      const { user } = await requireCaller(deps, UPLOADING, request, reply)
      if (hasBytes(request)) deps.uploadLimit.count(user, reply)
      else await deps.userLimit.enter(user.user_id, reply.raw)
      callers.set(request, user)
    })
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const user = callers.get(request)
      if (!user) throw new Error('onRequest has set it')
      return deps.userLimit.track(reply.raw, () => answer(deps, user, request, reply))
    }
    app.route({ method: 'POST', url: UPLOADS_PATH, handler })
    // POST for clients that cannot send the other methods.
    app.route({ method: ['HEAD', 'PATCH', 'DELETE', 'POST'], url: `${UPLOADS_PATH}/:uploadId`, handler })
    for (const url of [UPLOADS_PATH, `${UPLOADS_PATH}/:uploadId`])
      app.options(url, (_request, reply) =>
        reply
          .status(204)
          .headers({ 'tus-extension': EXTENSIONS.join(','), 'tus-max-size': VIDEO_MAX_BYTES })
          .send(),
      )
  })
}

/** A media type is compared without its case and parameters (RFC 9110, 8.3.1). */
const hasBytes = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === BYTES
const BYTES = 'application/offset+octet-stream'

/**
 * "If this header is present in a request, the Server MUST interpret the specified header's value as the request's method" (tus 1.0).
 * @throws Problem not_found where a POST to an upload names no method
 */
function readMethod({ method, headers }: FastifyRequest, uploadId: string | undefined): string {
  if (method !== 'POST' || uploadId === undefined) return method
  const override = String(headers['x-http-method-override'] ?? '').toUpperCase()
  if (!['HEAD', 'PATCH', 'DELETE'].includes(override)) throw notFound('upload')
  return override
}

async function answer(deps: TusDeps, user: User, request: FastifyRequest, reply: FastifyReply) {
  const { uploadId } = request.params as { uploadId?: string } // of the two routes above
  if (uploadId !== undefined && !UploadId.safeParse(uploadId).success) throw notFound('upload')
  const method = readMethod(request, uploadId)
  const body = openBody(request.raw)
  if (hasBytes(request)) allowUpload(request.raw)
  const gone = goneSignal(reply)
  try {
    // The library is loaded at the first upload: most starts of a server need none of it.
    const { startExchange } = await import('./exchange.ts')
    const metadata = String(request.headers['upload-metadata'] ?? '')
    const exchange = startExchange(deps, {
      user,
      uploadId,
      body,
      metadata,
      ip: request.ip,
      gone,
      asCall: (create) =>
        hasBytes(request) ? deps.userLimit.run(user.user_id, reply.raw, create) : create(),
    })
    const response = await exchange.server.handleWeb(webRequest(method, request, body))
    if (exchange.failure !== null || gone.aborted) await exchange.uploads.removeUntold()
    if (exchange.failure !== null) throw tusProblem(exchange.failure)
    if (!response.ok) throw problemOfReply(response.status, await response.text())
    const { videoId, metadata: given } = exchange.uploads
    // The bytes that arrived are kept, but this client must not go on beside the other one.
    if (exchange.wasDisplaced && videoId === null && method === 'PATCH') throw locked()
    for (const [name, value] of response.headers)
      if (/^(tus-|upload-|location$)/.test(name) && value !== '') reply.header(name, value)
    if (method === 'HEAD' && given !== '') reply.header('upload-metadata', given)
    if (videoId !== null) reply.header(VIDEO_ID_HEADER, videoId)
    return reply.status(response.status).send()
  } finally {
    body.end()
  }
}

function webRequest(method: string, request: FastifyRequest, { stream }: BodyStream): Request {
  const sent = new Headers()
  // The library also reads some that proxies add, and refuses requests for them.
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && /^(tus-|upload-|content-)/.test(name)) sent.set(name, value)
  if (hasBytes(request)) sent.set('content-type', BYTES)
  const hasBody = method === 'PATCH' || method === 'POST'
  return new Request(`http://localhost${UPLOADS_PATH}`, {
    method,
    headers: sent,
    ...(hasBody && { body: stream, duplex: 'half' as const }),
  })
}
