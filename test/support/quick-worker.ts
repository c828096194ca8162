import type { WorkerSettings } from '#server/deliveries/worker/worker.ts'

/**
 * Looks for work often. The lease is long: a machine that stands still for seconds must not end it, for a call that is made
 * once more meets a fault that was meant for one call no longer.
 */
export const QUICK: WorkerSettings = {
  leaseMs: 30_000,
  renewMs: 1_000,
  pollMs: 500,
  slots: { calls: 8, uploads: 8 },
  // Tests move their clocks by days while their workers run.
  outageMs: 4000 * 86_400_000,
}

/** For tests of what becomes of a dead worker's work: leases short enough that they are seen to end. */
export const SHORT_LEASE: WorkerSettings = { ...QUICK, leaseMs: 3_000 }
