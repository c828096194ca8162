import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Makes `request.ip` an IP address, whatever `X-Forwarded-For` says: a port or zone is cut off, and a header in which a trusted
 * proxy names no address is dropped, so that the peer's own address counts. Register it before all that reads `ip`.
 */
export function checkForwardedAddress(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const forwarded = headers['x-forwarded-for']
    if (forwarded !== undefined) {
      headers['x-forwarded-for'] = [forwarded].flat().join(',').split(',').map(addressOf).join(',')
      if (isIP(request.ip) === 0) delete headers['x-forwarded-for']
    }
    done()
  })
}

/** Some proxies, such as Azure's, name the visitor's port, too. */
const addressOf = (entry: string): string => {
  const [, v6, v4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry.trim()) ?? []
  return (v6 ?? v4 ?? entry.trim()).replace(/%.*$/, '')
}
