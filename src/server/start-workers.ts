import {
  startDeliveryWorker,
  WORKER_SETTINGS,
  type Worker,
  type DeliveryWorkerDeps,
  type WorkerSettings,
} from './deliveries/worker/worker.ts'
import { startFollowUpWorker } from './follow-ups/worker.ts'
import type { Db } from '#base/db/open.ts'
import { startResultsWorker } from './results/worker.ts'
import { type SenderDeps, startWebhookSender } from './webhooks/sender.ts'
import { type NotifierDeps, startNotifier } from './notifications/notifier.ts'

/** Notifications use the background's connections. */
export type WorkerDeps = DeliveryWorkerDeps & NotifierDeps & SenderDeps & { readonly backgroundDb: Db }

export function startWorkers(deps: WorkerDeps, settings: WorkerSettings = WORKER_SETTINGS): Worker {
  const deliveries = startDeliveryWorker(deps, settings)
  const workers = [
    deliveries,
    startFollowUpWorker(deps, settings),
    startResultsWorker({ ...deps, db: deps.backgroundDb }, settings),
    startWebhookSender({ ...deps, db: deps.backgroundDb }, settings),
    startNotifier({ ...deps, db: deps.backgroundDb }, settings),
  ]
  return {
    claimedAt: () => deliveries.claimedAt(),
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
