import {
  startWorker,
  WORKER_SETTINGS,
  type Worker,
  type WorkerDeps,
  type WorkerSettings,
} from './deliveries/worker/worker.ts'
import { startFollowUpWorker } from './follow-ups/worker.ts'
import type { NotifierDeps } from './notifications/deps.ts'
import { startNotifier } from './notifications/notifier.ts'

/** All that works off what is due, in one process: deliveries, what follows their publication, and notifications. */
export function startWorkers(
  deps: WorkerDeps & NotifierDeps,
  settings: WorkerSettings = WORKER_SETTINGS,
): Worker {
  const deliveries = startWorker(deps, settings)
  const workers = [deliveries, startFollowUpWorker(deps, settings), startNotifier(deps, settings)]
  return {
    claimedAt: deliveries.claimedAt,
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
