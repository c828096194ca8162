import { setTimeout as sleep } from 'node:timers/promises'
import { OwnershipLost, type OwnerSession } from './embedded-owner.ts'

/** Pauses between attempts. The last one is repeated for ever: a full disk may be freed at any time. */
export const RESTART_DELAYS_MS = [250, 500, 1000, 2000, 4000, 8000, 15_000]
/** A database that ran for less counts as one more failed attempt. */
const STABLE_MS = 60_000

export type DatabaseLog = { warn(line: string): void; error(line: string): void }

export type Supervisor = {
  /** Says that a restart of the database failed more than once, and is tried on; `null`: it runs, or is just being restarted. */
  problem(): string | null
  /** Ends the supervision. `null`: the database is another server's by now. */
  stop(): Promise<OwnerSession | null>
}

type Options = {
  session: OwnerSession
  /** Starts the database if it has ended, and takes the owner's lock again. */
  restore: (stopping: AbortSignal) => Promise<OwnerSession>
  delaysMs: readonly number[]
  log: DatabaseLog
  /** Another server took the database over: this one must end. */
  onLost: (reason: string) => void
}

/** Restores the owner's session whenever the database or only its connection ended. */
export function superviseDatabase(options: Options): Supervisor {
  const { restore, delaysMs, log } = options
  const stopping = new AbortController()
  const stopped = new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  let session: OwnerSession | null = options.session
  let problem: string | null = null
  let failures = 0

  /** @returns null when it must stop. */
  const recover = async (): Promise<OwnerSession | null> => {
    for (;;) {
      if (failures > 0) {
        const delay = delaysMs[failures - 1] ?? delaysMs.at(-1)
        await sleep(delay, undefined, { signal: stopping.signal }).catch(() => {})
      }
      if (stopping.signal.aborted) return null
      try {
        const restored = await restore(stopping.signal)
        problem = null
        log.warn('The database runs again.')
        return restored
      } catch (error) {
        if (error instanceof OwnershipLost) throw error
        failures += 1
        if (stopping.signal.aborted) continue
        // The health addresses are public: the reason, which names files of this machine, goes to the log only.
        if (failures > 1) problem = 'The database ended and cannot be started again so far.'
        const reason = error instanceof Error ? error.message : String(error)
        log.error(`The database could not be started again, and is tried on: ${reason}`)
      }
    }
  }

  const supervise = async () => {
    let since = -Infinity
    while (session !== null) {
      await Promise.race([session.ended, stopped])
      if (stopping.signal.aborted) return
      log.warn('The connection that owns the database was lost; restoring it.')
      failures = performance.now() - since > STABLE_MS ? 0 : failures + 1
      const restored = await recover()
      if (restored === null) return
      session = restored
      since = performance.now()
    }
  }

  const supervision = supervise().catch((error: unknown) => {
    session = null
    const holder = error instanceof Error ? error.message : String(error)
    problem = `Another server took the database over (${holder}).`
    options.onLost(problem)
  })
  return {
    problem: () => problem,
    async stop() {
      stopping.abort()
      await supervision
      return session
    },
  }
}
