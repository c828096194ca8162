import type { FastifyRequest } from 'fastify'
import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { createSemaphore } from '#base/semaphore.ts'

/** @throws Problem too_many_requests if too many callers of its IP address, or in total, wait already */
export type AnonymousLimit = <T>(request: FastifyRequest, lookUp: () => Promise<T>) => Promise<T>

const RETRY_AFTER_S = 1

/**
 * Bounds the look-ups of secret URLs that work without a log-in: a few at a time, fairly by network, so that guessing occupies
 * few database connections.
 */
export function createAnonymousLimit(): AnonymousLimit {
  // A page of a library has a hundred pictures, which a proxy requests at once.
  const semaphore = createSemaphore({ permits: 3, maxWaiting: 1000, maxWaitingPerKey: 200 })
  return async (request, lookUp) => {
    const run = async () => {
      // A client that has disconnected needs no answer.
      if (request.socket.destroyed) throw tooMany()
      return { found: await lookUp() }
    }
    const done = await semaphore.run(run, { key: ipKey(request.ip) ?? request.ip, known: false })
    if (done === null) throw tooMany()
    return done.found
  }
}

const tooMany = () =>
  new Problem('too_many_requests', 'Too many requests at once. Try again in a moment.', {
    retryAfterS: RETRY_AFTER_S,
  })
