import type { Logger } from 'pino'
import type { Bus } from '../db/bus.ts'
import { repeatRounds } from './repeat-rounds.ts'

export type ClaimLoopDeps = {
  readonly bus: Pick<Bus, 'onWake'>
  readonly log: Logger
  /** Epoch ms. */
  readonly now: () => number
  readonly restoreGuard: { beforeClaim(): Promise<void>; noteWork(): void; stop(): Promise<void> }
}

type ClaimLoop<J> = {
  readonly what: string
  readonly pollMs: number
  /** Claims what is due and fits beside the jobs that run. A job runs before the next one is asked for. */
  readonly claim: (running: () => readonly J[]) => AsyncIterable<J>
  /** Handles its own errors: whatever breaks, the lease ends by itself and the row is claimed again. */
  readonly work: (job: J, stopping: AbortSignal) => Promise<void>
  /** When the next becomes due (epoch ms); null: nothing waits. */
  readonly nextAt: () => Promise<number | null>
}

/** Many jobs end at about the same time, and each would make a claim of its own for the room that it leaves. */
const ROUNDS_APART_MS = 50

/** Claims rows and works on them until it is stopped, which waits for the jobs that run. */
export function startClaimLoop<J>(
  deps: ClaimLoopDeps,
  { what, pollMs, claim, work, nextAt }: ClaimLoop<J>,
): { claimedAt(): number; stop(): Promise<void> } {
  const { restoreGuard, now } = deps
  const stopping = new AbortController()
  const running = new Map<Promise<void>, J>()

  const start = (job: J) => {
    const done = work(job, stopping.signal).finally(() => {
      running.delete(done)
      restoreGuard.noteWork()
      rounds.wake()
    })
    running.set(done, job)
  }

  const rounds = repeatRounds(deps, {
    what,
    pollMs,
    apartMs: ROUNDS_APART_MS,
    now,
    claim: async () => {
      await restoreGuard.beforeClaim()
      let count = 0
      for await (const job of claim(() => [...running.values()])) {
        start(job)
        count += 1
      }
      return count
    },
    nextAt,
  })
  return {
    claimedAt: () => rounds.claimedAt(),
    async stop() {
      stopping.abort()
      await rounds.stop()
      await Promise.all(running.keys())
      await restoreGuard.stop()
    },
  }
}
