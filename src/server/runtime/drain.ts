import type { ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Problem } from '#base/problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly draining: AbortSignal
    /**
     * Still accepts connections for `noticeMs` while `/readyz` refuses, then finishes open requests. Each response closes
     * its connection; `close()` ends idle ones.
     */
    drain(noticeMs: number): Promise<void>
  }
}

/** A keep-alive connection may carry a request that has not arrived yet. */
const QUIET_MS = 500
/** Uploads that last longer are cut off: their clients continue at another server. */
const ANSWERED_WITHIN_MS = 8_000
const LOOK_MS = 20

export function drainOnStop(app: FastifyInstance): void {
  const { server } = app
  const stopping = new AbortController()
  const open = new Set<ServerResponse>()
  let askedAt = 0
  server.prependListener('request', (_request, response: ServerResponse) => {
    open.add(response)
    askedAt = performance.now()
    if (stopping.signal.aborted) endConnection(response)
    response.once('close', () => open.delete(response))
  })
  app.decorate('draining', stopping.signal)
  app.decorate('drain', async (noticeMs) => {
    stopping.abort()
    open.forEach(endConnection)
    await sleep(noticeMs, undefined, { ref: false })
    // Node's own `close` would end idle connections at once, although a request may be on its way.
    if (server.listening) NetServer.prototype.close.call(server)
    askedAt = Math.max(askedAt, performance.now())
    const end = performance.now() + ANSWERED_WITHIN_MS
    const isQuiet = () => open.size === 0 && performance.now() > askedAt + QUIET_MS
    while (performance.now() < end && !isQuiet() && (await connections(server)) > 0) await sleep(LOOK_MS)
  })
}

/** A draining server refuses what only another server can complete. */
export const stopping = (): Problem =>
  new Problem('unavailable', 'This server is stopping. Another one answers.')

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

const connections = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
