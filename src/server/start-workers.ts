import {
  startWorker,
  WORKER_SETTINGS,
  type Worker,
  type WorkerDeps,
  type WorkerSettings,
} from './deliveries/worker/worker.ts'
import { startFollowUpWorker } from './follow-ups/worker.ts'
import { startNotifier, type NotifierDeps } from './notifications/notifier.ts'

/** All that works off what is due, in one process: deliveries, what follows their publication, and what users are told. */
export function startWorkers(
  deps: WorkerDeps & NotifierDeps,
  settings: WorkerSettings = WORKER_SETTINGS,
): Worker {
  const workers = [
    startWorker(deps, settings),
    startFollowUpWorker(deps, settings),
    startNotifier(deps, settings),
  ]
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
