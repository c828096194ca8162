import type { Bus } from '../db/bus.ts'
import type { WorkerDeps } from '../deliveries/worker/worker.ts'
import { startClaimLoop } from '../lease/claim-loop.ts'
import type { LeaseTiming } from '../lease/keep-lease.ts'
import { claimFollowUps, type FollowUpClaim, nextFollowUpAt } from './store.ts'
import { type FollowUpDeps, workOnFollowUp } from './work-on.ts'

/** Calls take a second, so that a few at a time are enough and leave the connections to the posts. */
const AT_A_TIME = 4

/** Works off follow-ups that are due until it is stopped. */
export function startFollowUpWorker(
  deps: FollowUpDeps & Pick<WorkerDeps, 'restoreGuard'> & { readonly bus: Pick<Bus, 'onWake'> },
  settings: LeaseTiming & { readonly pollMs: number },
): { stop(): Promise<void> } {
  const { db, log, now } = deps
  return startClaimLoop<FollowUpClaim>(deps, {
    what: 'follow-ups',
    pollMs: settings.pollMs,
    async *claim(running) {
      const request = { now: now(), leaseMs: settings.leaseMs, limit: AT_A_TIME - running().length }
      yield* await claimFollowUps(db, request, (followUpId, error) =>
        log.error({ err: error }, `follow-up ${followUpId} cannot be read by this version`),
      )
    },
    work: (claim, stopping) =>
      workOnFollowUp(deps, settings, claim, stopping).catch((error: unknown) => {
        const about = { err: error, follow_up: claim.followUpId, delivery: claim.deliveryId }
        log.error(about, `follow-up ${claim.followUpId} failed: claimed again once its lease ends`)
      }),
    nextAt: () => nextFollowUpAt(db, now()),
  })
}
