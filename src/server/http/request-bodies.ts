import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Bounds how a request body arrives, so that neither slow senders nor refused bodies occupy connections. */
export type BodyLimits = {
  readonly totalMs: number
  /** At least one byte per this span; for uploads at least `uploadBytes` per `uploadIdleMs`. */
  readonly idleMs: number
  readonly uploadIdleMs: number
  readonly uploadBytes: number
  /** Bytes that are still read and discarded after an early response. */
  readonly discardMs: number
  readonly discardBytes: number
  readonly checkMs: number
}

const LIMITS: BodyLimits = {
  totalMs: 60_000,
  idleMs: 20_000,
  uploadIdleMs: 120_000,
  uploadBytes: 65_536,
  discardMs: 30_000,
  discardBytes: 268_435_456,
  checkMs: 1_000,
}

type Body = {
  readonly raw: IncomingMessage
  readonly socket: Socket
  phase: 'small' | 'upload' | 'discarded'
  startedAt: number
  startBytes: number
  progressAt: number
  progressBytes: number
}

const bodies = new WeakMap<IncomingMessage, Body>()

/**
 * Enforces the limits on every request body. After a refusal the rest is drained, within bounds, so that the client reads the
 * response and the connection can be reused.
 */
export function watchBodies(app: FastifyInstance, limits: BodyLimits = LIMITS): void {
  const pending = new Set<Body>()
  const timer = setInterval(() => {
    for (const body of pending) {
      if (body.raw.complete || body.socket.destroyed) pending.delete(body)
      else if (isTooSlow(body, limits)) body.socket.destroy()
    }
  }, limits.checkMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
  // Not a hook, because hooks do not run for paths that the router cannot decode, such as `/%zz`.
  const watch = (raw: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(raw)) return
    pending.add(startBody(raw))
    answer.once('finish', () => discardRest(raw))
  }
  app.server.prependListener('request', watch)
  app.server.on('checkExpectation', (raw: IncomingMessage, answer: ServerResponse) => {
    watch(raw, answer)
    answer.writeHead(417).end()
  })
  // Clients that wait for `100 Continue`. Node would send it before the token is checked.
  const waiting = new WeakSet<IncomingMessage>()
  app.server.on('checkContinue', (raw: IncomingMessage, answer: ServerResponse) => {
    waiting.add(raw)
    app.server.emit('request', raw, answer)
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (waiting.delete(request.raw)) reply.raw.writeContinue()
    done(null, payload)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    // The body never comes, and the next request on this connection would be read as one.
    if (waiting.has(request.raw)) reply.header('connection', 'close')
    else if (hasBody(request.raw) && !request.raw.complete) closeAfterBody(request, reply)
    done()
  })
}

/** Switches to an upload's limits: no total time, only a minimum rate. */
export function allowUpload(raw: IncomingMessage): void {
  const body = bodies.get(raw)
  if (body?.phase === 'small') enter(body, 'upload')
}

/** Without one of these a request has no body (RFC 9112, 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function startBody(raw: IncomingMessage): Body {
  const { socket } = raw
  const start = { startedAt: 0, startBytes: 0, progressAt: 0, progressBytes: 0 }
  const body: Body = { raw, socket, phase: 'small', ...start }
  enter(body, 'small')
  bodies.set(raw, body)
  return body
}

function enter(body: Body, phase: Body['phase']): void {
  body.phase = phase
  body.startedAt = body.progressAt = performance.now()
  body.startBytes = body.progressBytes = body.socket.bytesRead
}

function isTooSlow(body: Body, limits: BodyLimits): boolean {
  const now = performance.now()
  const { bytesRead } = body.socket
  if (body.phase === 'discarded') {
    const left = limits.discardBytes - (bytesRead - body.startBytes)
    return left < 0 || now - body.startedAt > limits.discardMs
  }
  const isUpload = body.phase === 'upload'
  if (bytesRead - body.progressBytes >= (isUpload ? limits.uploadBytes : 1)) {
    body.progressAt = now
    body.progressBytes = bytesRead
  }
  if (!isUpload && now - body.startedAt > limits.totalMs) return true
  return now - body.progressAt > (isUpload ? limits.uploadIdleMs : limits.idleMs)
}

/** Detaches the body from a reader that stopped; otherwise the connection would never end. */
function discardRest(raw: IncomingMessage): void {
  const body = bodies.get(raw)
  if (!body || raw.complete || raw.destroyed) return
  enter(body, 'discarded')
  raw.unpipe()
  raw.resume()
}

/** Closing with unread bytes resets the connection and loses the response, so close after the body has arrived. */
function closeAfterBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  if (reply.raw.shouldKeepAlive) return
  reply.raw.shouldKeepAlive = true
  raw.once('end', () => raw.socket.end())
}
