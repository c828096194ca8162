import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { ipKey, networkMatcher } from '#base/ip-address.ts'
import type { Config } from '../runtime/config.ts'

/** Open connections per address, except trusted proxies. Several browsers may share an address. */
const MAX_PER_ADDRESS = 500
/** The rest is reserved for trusted proxies and this machine. */
const UNTRUSTED_SHARE = 0.9
const WARN_EVERY_MS = 60_000

type Limits = Pick<Config, 'maxConnections' | 'trustedProxies'> & { readonly perAddress?: number }

export function limitConnections(server: Server, limits: Limits, log: Pick<FastifyBaseLogger, 'warn'>): void {
  const { maxConnections, perAddress = MAX_PER_ADDRESS } = limits
  const isTrusted = trustedPeers(limits.trustedProxies)
  const byAddress = new Map<string, number>()
  let untrusted = 0
  let warnedAt = -WARN_EVERY_MS
  const warn = (why: string) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    log.warn({ maxConnections }, `connections are refused: ${why}; MAX_CONNECTIONS sets the limit of all`)
  }

  server.maxConnections = maxConnections
  server.on('drop', () => warn('too many are open'))
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return
    const key = ipKey(remoteAddress) ?? remoteAddress
    const open = byAddress.get(key) ?? 0
    if (open >= perAddress || untrusted >= maxConnections * UNTRUSTED_SHARE) {
      socket.destroy()
      return warn(open >= perAddress ? `${key} has too many open` : 'too many are open')
    }
    untrusted += 1
    byAddress.set(key, open + 1)
    socket.once('close', () => {
      untrusted -= 1
      const left = (byAddress.get(key) ?? 1) - 1
      if (left > 0) byAddress.set(key, left)
      else byAddress.delete(key)
    })
    return undefined
  })
}

/** Browsers and proxies wait for the answer before the next request (RFC 9112, 9.3.2: pipelining is optional). */
const PIPELINED_MAX = 4

/**
 * Closes a connection with too many concurrent requests: Node delivers all pipelined requests at once, and their answers
 * wait in memory. Call it before adding other `request` listeners.
 */
export function limitPipelining(server: HttpServer): void {
  const [handle] = server.listeners('request')
  if (!handle) throw new Error('The server has no handler yet.')
  const running = new WeakMap<Socket, number>()
  const handleFew = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const before = running.get(socket) ?? 0
    if (before >= PIPELINED_MAX || socket.destroyed) {
      socket.destroy()
      return
    }
    running.set(socket, before + 1)
    response.once('close', () => running.set(socket, (running.get(socket) ?? 1) - 1))
    Reflect.apply(handle, server, [request, response])
  }
  server.removeAllListeners('request')
  server.on('request', handleFew)
}

/** With TRUST_PROXY as a hop count, every direct connection comes from a proxy. */
function trustedPeers(proxies: Config['trustedProxies']): (address: string) => boolean {
  if (typeof proxies === 'number') return () => true
  return networkMatcher(proxies)
}
