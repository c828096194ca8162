import type { Bus } from '../db/bus.ts'
import type { WorkerDeps } from '../deliveries/worker/worker.ts'
import type { LeaseTiming } from '../lease/keep-lease.ts'
import { repeatRounds } from '../lease/repeat-rounds.ts'
import { claimFollowUps, type FollowUpClaim, nextFollowUpAt } from './store.ts'
import { type FollowUpDeps, workOnFollowUp } from './work-on.ts'

export type FollowUpSettings = LeaseTiming & { readonly pollMs: number }

/** Short calls, of which nothing waits for the other: few at a time leave the connections to the posts. */
const SLOTS = 4
/** Every webhook and every change of a post wakes it. */
const ROUNDS_APART_MS = 50

/** Works off follow-ups that are due until it is stopped, with the same leases as deliveries. */
export function startFollowUpWorker(
  deps: FollowUpDeps & Pick<WorkerDeps, 'restoreGuard'> & { readonly bus: Pick<Bus, 'onWake'> },
  settings: FollowUpSettings,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  const start = (claim: FollowUpClaim) => {
    const done = workOnFollowUp(deps, settings, claim, stopping.signal)
      .catch((error: unknown) => {
        const about = { err: error, follow_up: claim.followUpId, delivery: claim.deliveryId }
        deps.log.error(about, `follow-up ${claim.followUpId} failed: claimed again once its lease ends`)
      })
      .finally(() => {
        running.delete(done)
        deps.restoreGuard.noteWork()
        rounds.wake()
      })
    running.add(done)
  }

  const rounds = repeatRounds(deps, {
    what: 'follow-ups',
    pollMs: settings.pollMs,
    apartMs: ROUNDS_APART_MS,
    now: deps.now,
    claim: async () => {
      await deps.restoreGuard.beforeClaim()
      const request = { now: deps.now(), leaseMs: settings.leaseMs, limit: SLOTS - running.size }
      const claimed = await claimFollowUps(deps.db, request, (followUpId, error) =>
        deps.log.error({ err: error }, `follow-up ${followUpId} cannot be read by this version`),
      )
      for (const one of claimed) start(one)
      return claimed.length
    },
    nextAt: () => nextFollowUpAt(deps.db, deps.now()),
  })
  return {
    async stop() {
      stopping.abort()
      await rounds.stop()
      await Promise.all(running)
      await deps.restoreGuard.stop()
    },
  }
}
