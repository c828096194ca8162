import {
  startWorker,
  WORKER_SETTINGS,
  type Worker,
  type WorkerDeps,
  type WorkerSettings,
} from './deliveries/worker/worker.ts'
import { startFollowUpWorker } from './follow-ups/worker.ts'
import type { Db } from '#base/db/open.ts'
import { type NotifierDeps, startNotifier } from './notifications/notifier.ts'

/** Notifications use the background's connections. */
export type WorkersDeps = WorkerDeps & NotifierDeps & { readonly backgroundDb: Db }

export function startWorkers(deps: WorkersDeps, settings: WorkerSettings = WORKER_SETTINGS): Worker {
  const deliveries = startWorker(deps, settings)
  const workers = [
    deliveries,
    startFollowUpWorker(deps, settings),
    startNotifier({ ...deps, db: deps.backgroundDb }, settings),
  ]
  return {
    claimedAt: () => deliveries.claimedAt(),
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
