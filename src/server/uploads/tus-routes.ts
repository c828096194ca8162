import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Server, TUS_RESUMABLE, type Lock } from '@tus/server'
import { UPLOADS_PATH, uploadEndpoints, VIDEO_ID_HEADER } from '#contract/uploads.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import type { User } from '#contract/users.ts'
import { userOf, type MountDeps } from '../http/mount.ts'
import { refusal } from '../http/parse.ts'
import { allowUpload } from '../http/request-bodies.ts'
import { type BodyStream, openBody } from './body-stream.ts'
import type { UploadDeps } from './finish-upload.ts'
import { locked, type Release, type UploadLocks } from './locks.ts'
import { findUpload } from './store.ts'
import { asProblem, problemOf } from './tus-errors.ts'
import { UserUploads } from './user-uploads.ts'

type TusDeps = UploadDeps &
  Pick<MountDeps, 'authenticate' | 'uploadSlots'> & { readonly uploadLocks: UploadLocks }

/** The tus protocol, 1.0.0: everything but GET, which is a call of the API. */
export async function mountTus(api: FastifyInstance, deps: TusDeps): Promise<void> {
  await api.register(async (app) => {
    app.removeAllContentTypeParsers()
    // The body is a stream of its own.
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const callers = new WeakMap<FastifyRequest, User>()
    // Before any of the body is read, so that a request without a valid token stays cheap.
    app.addHook('onRequest', async (request, reply) => {
      reply.header('tus-resumable', TUS_RESUMABLE)
      const user = await userOf(deps, uploadEndpoints.getUpload, request)
      if (!user) throw new Error('Uploads are for signed-in users.')
      if (hasBytes(request)) deps.uploadSlots.take(user, reply)
      callers.set(request, user)
    })
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const user = callers.get(request)
      if (!user) throw new Error('onRequest has set it')
      return answer(deps, user, request, reply)
    }
    app.route({ method: ['POST', 'OPTIONS'], url: UPLOADS_PATH, handler })
    app.route({ method: ['HEAD', 'PATCH', 'DELETE'], url: `${UPLOADS_PATH}/:uploadId`, handler })
  })
}

const hasBytes = ({ headers }: FastifyRequest): boolean => headers['content-type'] === BYTES
const BYTES = 'application/offset+octet-stream'

async function answer(deps: TusDeps, user: User, request: FastifyRequest, reply: FastifyReply) {
  const { uploadId } = request.params as { uploadId?: string } // of the two routes above
  const body = openBody(request.raw)
  if (hasBytes(request)) allowUpload(request.raw)
  try {
    const exchange = startExchange(deps, { user, uploadId, body, gone: goneSignal(reply) })
    const response = await exchange.server.handleWeb(webRequest(request, body))
    if (exchange.failure !== null) throw asProblem(exchange.failure)
    if (!response.ok) throw problemOf(response.status, await response.text())
    const { videoId } = exchange.uploads
    // What has arrived is kept, but this client must not go on beside the other one.
    if (exchange.wasDisplaced && videoId === null && request.method === 'PATCH') throw locked()
    for (const [name, value] of response.headers)
      if (/^(tus-|upload-|location$)/.test(name) && value !== '') reply.header(name, value)
    if (videoId !== null) reply.header(VIDEO_ID_HEADER, videoId)
    return reply.status(response.status).send()
  } finally {
    body.end()
  }
}

/** Fastify's `request.signal` aborts as soon as the body has arrived. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => gone.abort())
  return gone.signal
}

type Caller = {
  readonly user: User
  readonly uploadId: string | undefined
  readonly body: BodyStream
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal
}

/** The library's server for one request: its hooks do not pass on who asks. */
function startExchange(deps: TusDeps, { user, uploadId, body, gone }: Caller) {
  const uploads = new UserUploads(deps, user)
  const exchange = { uploads, wasDisplaced: false, failure: null as unknown }
  const onWanted = () => {
    exchange.wasDisplaced = true
    body.end()
  }
  const server = new Server({
    path: UPLOADS_PATH,
    datastore: uploads,
    maxSize: VIDEO_MAX_BYTES,
    relativeLocation: true,
    generateUrl: (_request, { id }) => `/api/v1${UPLOADS_PATH}/${id}`,
    namingFunction: () => randomBytes(16).toString('hex'),
    getFileIdFromRequest: () => uploadId,
    // Nobody else knows a new upload's address yet.
    locker:
      uploadId === undefined
        ? NO_LOCKS
        : { newLock: (id) => toLock(deps.uploadLocks, id, { gone, onWanted }) },
    // Before the lock, which disturbs whoever has it.
    onIncomingRequest: async (_request, id) => {
      if (uploadId !== undefined) await findUpload(deps.db, user.user_id, id, deps.now())
    },
    onUploadCreate: async (_request, { size }) => {
      if (size === 0) throw refusal('invalid', { file: ['This file is empty.'] })
      return {}
    },
    onResponseError: (_request, error) => {
      exchange.failure = error
      return { status_code: 500, body: '' } // thrown and answered above
    },
  })
  return Object.assign(exchange, { server })
}

function toLock(locks: UploadLocks, id: string, by: Parameters<UploadLocks['acquire']>[1]): Lock {
  let release: Release | null = null
  return {
    lock: async () => {
      release = await locks.acquire(id, by)
    },
    unlock: async () => release?.(),
  }
}
const NO_LOCKS = { newLock: (): Lock => ({ lock: async () => {}, unlock: async () => {} }) }

function webRequest({ method, headers }: FastifyRequest, { stream }: BodyStream): Request {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value)
  const hasBody = method === 'PATCH' || method === 'POST'
  return new Request(`http://localhost${UPLOADS_PATH}`, {
    method,
    headers: sent,
    ...(hasBody && { body: stream, duplex: 'half' as const }),
  })
}
