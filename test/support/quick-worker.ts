import type { WorkerSettings } from '#server/deliveries/worker/worker.ts'

/**
 * Looks for work often. The lease is long, so that a slow machine does not lose it: a repeated call would meet a fault
 * scripted for one call no longer.
 */
export const QUICK: WorkerSettings = {
  leaseMs: 30_000,
  renewMs: 1_000,
  pollMs: 500,
  lanes: { calls: 8, uploads: 8 },
  // Tests move their clocks by days while their workers run.
  outageMs: 4000 * 86_400_000,
}

/** Runs ten times as fast as the real one: what waits for seconds before it is tried or asked again is found due by the next poll. */
export function startFastClock(): () => number {
  const start = Date.now()
  return () => start + (Date.now() - start) * 10
}

/** For tests of dead workers: leases short enough to expire during a test. */
export const SHORT_LEASE: WorkerSettings = { ...QUICK, leaseMs: 3_000 }
