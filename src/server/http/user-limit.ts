import type { ServerResponse } from 'node:http'
import { CALLS_PER_USER, WAITING_CALLS_PER_USER } from '#contract/limits.ts'
import { Problem } from '#base/problem.ts'

/** Bounds the concurrent calls of one user in this process. The others wait in order, so that no user blocks the rest. */
export type UserLimit = {
  /**
   * Waits for one of the user's permits. It is returned when the response is closed and the work of `track` has ended, so
   * neither unread answers nor abandoned calls accumulate. @throws Problem too_many_requests
   */
  enter(userId: number, response: ServerResponse): Promise<void>
  /** Runs the work of a call, which may continue after its client has disconnected. */
  track<T>(response: ServerResponse, work: () => Promise<T>): Promise<T>
  /** Runs work with a permit of its own, for a response that stays open. @throws Problem too_many_requests */
  run<T>(userId: number, response: ServerResponse, work: () => Promise<T>): Promise<T>
}

type Calls = { running: number; readonly waiting: Set<() => void> }
type Permit = { uses: number; isWatched: boolean; readonly release: () => void }

const RETRY_AFTER_S = 1

const LIMITS = {
  running: CALLS_PER_USER,
  waiting: WAITING_CALLS_PER_USER,
  /** A client that reads nothing of its answer for this long is disconnected. */
  unreadMaxMs: 30_000,
}

export function createUserLimit(limits: Partial<typeof LIMITS> = {}): UserLimit {
  const { running, waiting, unreadMaxMs } = { ...LIMITS, ...limits }
  const users = new Map<number, Calls>()
  const permits = new WeakMap<ServerResponse, Permit>()

  const acquire = async (userId: number, response: ServerResponse): Promise<void> => {
    const calls = users.get(userId) ?? { running: 0, waiting: new Set() }
    users.set(userId, calls)
    if (calls.running < running) calls.running += 1
    else if (calls.waiting.size >= waiting || response.destroyed) throw tooMany()
    else await waitIn(calls.waiting, response)
  }

  const release = (userId: number): void => {
    const calls = users.get(userId)
    const [next] = calls?.waiting ?? []
    if (next) return next()
    if (calls && (calls.running -= 1) === 0) users.delete(userId)
    return undefined
  }

  return {
    async enter(userId, response) {
      await acquire(userId, response)
      const permit: Permit = {
        uses: 1,
        isWatched: false,
        release: () => {
          permit.uses -= 1
          if (permit.uses === 0) release(userId)
        },
      }
      permits.set(response, permit)
      // No `close` follows if the client left meanwhile.
      if (response.destroyed) permit.release()
      else onceEnded(response, permit.release)
    },
    async track(response, work) {
      const permit = permits.get(response)
      if (!permit) return work()
      if (permit.uses === 0) throw tooMany() // the client left before its work began
      permit.uses += 1
      try {
        return await work()
      } finally {
        permit.release()
        if (!permit.isWatched && !response.destroyed)
          response.setTimeout(unreadMaxMs, () => response.destroy())
        permit.isWatched = true
      }
    },
    async run(userId, response, work) {
      await acquire(userId, response)
      try {
        return await work()
      } finally {
        release(userId)
      }
    },
  }
}

/** Resolves in order of arrival. A client that leaves gives up its place. */
function waitIn(waiting: Set<() => void>, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(start)
      reject(tooMany())
    }
    const start = () => {
      waiting.delete(start)
      response.off('close', leave)
      resolve()
    }
    waiting.add(start)
    response.once('close', leave)
  })
}

/** The response was written completely, or its connection was lost. */
function onceEnded(response: ServerResponse, then: () => void): void {
  let hasEnded = false
  const end = () => {
    if (!hasEnded) then()
    hasEnded = true
  }
  response.once('finish', end).once('close', end)
}

const tooMany = () =>
  new Problem('too_many_requests', 'You have too many requests running at once. Try again in a moment.', {
    retryAfterS: RETRY_AFTER_S,
  })
