import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mediaType } from './body.ts'

export interface AccessOptions {
  host: string
  /** Required for the control surface and mailbox where other computers can reach them. */
  token: string | null
}

interface Refusal {
  status: number
  message: string
}

/**
 * The mailbox contains links that open accounts, and the control surface changes the platforms. Pages of other sites must
 * reach neither: not by a name that resolves here (DNS rebinding), and not by a cross-origin request.
 */
export function guardAccess(app: FastifyInstance, options: AccessOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refuse(request, options)
    if (refusal === null) return
    if (refusal.status === 401) reply.header('www-authenticate', 'Basic realm="practice"')
    return reply.code(refusal.status).send({ message: refusal.message })
  })
  app.addHook('onSend', async (request, reply) => {
    if (!isPrivate(request)) return
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cross-origin-resource-policy', 'same-origin')
    reply.header('x-frame-options', 'SAMEORIGIN')
  })
}

function refuse(request: FastifyRequest, { host, token }: AccessOptions): Refusal | null {
  if (isLoopback(host)) {
    if (!isLoopback(readHost(request))) {
      const message = 'The practice platforms answer on this computer only, as localhost or 127.0.0.1.'
      return { status: 403, message }
    }
  } else if (isPrivate(request)) {
    if (token === null)
      return { status: 403, message: 'Start the practice platforms with --token to use this from elsewhere.' }
    if (!carries(request, token))
      return { status: 401, message: 'The token of the practice platforms is missing.' }
  }
  return isControl(request) ? refuseAcrossOrigins(request) : null
}

function refuseAcrossOrigins(request: FastifyRequest): Refusal | null {
  const { origin } = request.headers
  if (origin !== undefined && !isSameOrigin(origin, request.headers.host))
    return { status: 403, message: 'Not from a page of another origin.' }
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  // Browsers send forms and plain text across origins without a preflight, but not JSON.
  return hasBody && mediaType(request.headers['content-type']) !== 'application/json'
    ? { status: 415, message: 'The control surface takes application/json.' }
    : null
}

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && [`http://${host}`, `https://${host}`].includes(origin)

/** The path as the router reads it, so that `/%5Fcontrol` is guarded too. */
const routePath = (request: FastifyRequest): string => request.routeOptions.url ?? ''
const isControl = (request: FastifyRequest): boolean => routePath(request).startsWith('/_control')
const isPrivate = (request: FastifyRequest): boolean =>
  isControl(request) || routePath(request).startsWith('/mailbox')

const readHost = (request: FastifyRequest): string => (request.headers.host ?? '').replace(/:\d*$/, '')

/** Names that browsers never resolve elsewhere, and loopback addresses. */
const isLoopback = (host: string): boolean =>
  /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** Sent as `Authorization: Bearer`, or as the password that a browser asks for. */
function carries(request: FastifyRequest, token: string): boolean {
  const [scheme = '', given = ''] = (request.headers.authorization ?? '').split(' ')
  if (/^bearer$/i.test(scheme)) return isSame(given, token)
  if (!/^basic$/i.test(scheme)) return false
  return isSame(
    Buffer.from(given, 'base64')
      .toString()
      .replace(/^[^:]*:/, ''),
    token,
  )
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
