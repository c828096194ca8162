import type { Server, Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { ipKey, networkMatcher } from '#base/ip-address.ts'
import type { Config } from '../runtime/config.ts'

/** Connections that one address may have open, unless it is a trusted proxy. Several browsers may share an address. */
const MAX_PER_ADDRESS = 500
/** Trusted proxies and this machine always find room: strangers take at most this part. */
const STRANGERS_PART = 0.9
const WARN_EVERY_MS = 60_000

type Limits = Pick<Config, 'maxConnections' | 'trustedProxies'> & { readonly perAddress?: number }

/** Bounds the open connections of all clients, and those of each address that is not a trusted proxy. */
export function limitConnections(server: Server, limits: Limits, log: Pick<FastifyBaseLogger, 'warn'>): void {
  const { maxConnections, perAddress = MAX_PER_ADDRESS } = limits
  const isTrusted = trustedPeers(limits.trustedProxies)
  const byAddress = new Map<string, number>()
  let strangers = 0
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
    if (open >= perAddress || strangers >= maxConnections * STRANGERS_PART) {
      socket.destroy()
      return warn(open >= perAddress ? `${key} has too many open` : 'too many are open')
    }
    strangers += 1
    byAddress.set(key, open + 1)
    socket.once('close', () => {
      strangers -= 1
      const left = (byAddress.get(key) ?? 1) - 1
      if (left > 0) byAddress.set(key, left)
      else byAddress.delete(key)
    })
    return undefined
  })
}

/** Behind a number of proxies every direct connection is one of theirs. */
function trustedPeers(proxies: Config['trustedProxies']): (address: string) => boolean {
  if (typeof proxies === 'number') return () => true
  return networkMatcher(proxies)
}
