import {
  startWorker,
  WORKER_SETTINGS,
  type Worker,
  type WorkerDeps,
  type WorkerSettings,
} from './deliveries/worker/worker.ts'
import { startFollowUpWorker } from './follow-ups/worker.ts'

/** All that works off what is due, in one process: deliveries, and beside them what follows their publication. */
export function startWorkers(deps: WorkerDeps, settings: WorkerSettings = WORKER_SETTINGS): Worker {
  const workers = [startWorker(deps, settings), startFollowUpWorker(deps, settings)]
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
