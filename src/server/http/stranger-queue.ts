import type { FastifyRequest } from 'fastify'
import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { createSemaphore } from '#base/semaphore.ts'

/** @throws Problem too_many_requests where too many of its address, or of all, wait already */
export type StrangerQueue = <T>(request: FastifyRequest, lookUp: () => Promise<T>) => Promise<T>

const RETRY_AFTER_S = 1

/**
 * Looks up what addresses without a log-in stand for: a few at a time, each network in its turn, so that whoever guesses keeps few of the
 * database's connections busy.
 */
export function createStrangerQueue(): StrangerQueue {
  // A page of a library has a hundred pictures, and a proxy asks for them at once.
  const queue = createSemaphore({ permits: 3, maxWaiting: 1000, maxWaitingPerKey: 200 })
  return async (request, lookUp) => {
    const run = async () => {
      // Who has gone meanwhile needs no answer.
      if (request.socket.destroyed) throw tooMany()
      return { found: await lookUp() }
    }
    const done = await queue.run(run, { key: ipKey(request.ip) ?? request.ip, known: false })
    if (done === null) throw tooMany()
    return done.found
  }
}

const tooMany = () =>
  new Problem('too_many_requests', 'Too many requests at once. Try again in a moment.', {
    retryAfterS: RETRY_AFTER_S,
  })
