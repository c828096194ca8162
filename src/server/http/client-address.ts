import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Makes `request.ip` a plain IP address: strips ports and zones from `X-Forwarded-For`, and drops the header if a trusted
 * proxy names no address. Register it before anything that reads `ip`.
 */
export function checkForwardedAddress(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const forwarded = headers['x-forwarded-for']
    if (forwarded !== undefined) {
      headers['x-forwarded-for'] = [forwarded].flat().join(',').split(',').map(plainAddress).join(',')
      if (isIP(request.ip) === 0) delete headers['x-forwarded-for']
    }
    done()
  })
}

/** Some proxies, such as Azure's, append the port. */
const plainAddress = (entry: string): string => {
  const [, v6, v4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry.trim()) ?? []
  return (v6 ?? v4 ?? entry.trim()).replace(/%.*$/, '')
}
