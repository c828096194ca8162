import { createWakeSignal } from '#base/wake-signal.ts'
import type { Bus } from '../db/bus.ts'
import type { LeaseTiming } from '../lease/keep-lease.ts'
import { claimFollowUps, type FollowUpClaim, nextFollowUpAt } from './store.ts'
import { type FollowUpDeps, workOnFollowUp } from './work-on.ts'

export type FollowUpSettings = LeaseTiming & { readonly pollMs: number }

/** Short calls, of which nothing waits for the other: few at a time leave the connections to the posts. */
const SLOTS = 4

/** Works off follow-ups that are due until it is stopped, with the same leases as deliveries. */
export function startFollowUpWorker(
  deps: FollowUpDeps & { readonly bus: Pick<Bus, 'onWake'> },
  settings: FollowUpSettings,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const wakeSignal = createWakeSignal()
  const unsubscribe = deps.bus.onWake(wakeSignal.notify)

  const start = (claim: FollowUpClaim) => {
    const done = workOnFollowUp(deps, settings, claim, stopping.signal)
      .catch((error: unknown) => {
        const about = { err: error, follow_up: claim.followUpId, delivery: claim.deliveryId }
        deps.log.error(about, `follow-up ${claim.followUpId} failed: claimed again once its lease ends`)
      })
      .finally(() => {
        running.delete(done)
        wakeSignal.notify()
      })
    running.add(done)
  }

  const round = async () => {
    const request = { now: deps.now(), leaseMs: settings.leaseMs, limit: SLOTS - running.size }
    const claimed = await claimFollowUps(deps.db, request, (followUpId, error) =>
      deps.log.error({ err: error }, `follow-up ${followUpId} cannot be read by this version`),
    )
    for (const one of claimed) start(one)
    if (claimed.length > 0) return
    const next = await nextFollowUpAt(deps.db, deps.now())
    await wakeSignal.wait(
      next === null ? settings.pollMs : Math.min(settings.pollMs, Math.max(next - deps.now(), 10)),
    )
  }

  const loop = async () => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => {
        deps.log.error({ err: error }, 'claiming due follow-ups failed: the worker tries again shortly')
        return wakeSignal.wait(settings.pollMs)
      })
    }
  }

  const ended = loop()
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      wakeSignal.notify()
      await ended
      await Promise.all(running)
    },
  }
}
