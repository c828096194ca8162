import type { WorkerSettings } from '#server/deliveries/worker/worker.ts'

/** Leases short enough that a test sees a dead worker noticed, long enough that a busy machine does not lose them. */
export const QUICK: WorkerSettings = {
  leaseMs: 3_000,
  renewMs: 1_000,
  pollMs: 500,
  slots: { calls: 8, uploads: 8 },
}
