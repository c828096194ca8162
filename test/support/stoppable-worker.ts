import { workerDeps } from '#server/worker-deps.ts'
import { startWorkers } from '#server/start-workers.ts'
import { QUICK } from './quick-worker.ts'
import type { TestServer } from './test-server.ts'

/** Where a worker stands still, alive and with its lease renewed, until it is let go. */
export type Stop = { readonly reached: Promise<void>; readonly letGo: () => void }

export type StoppableWorker = {
  /** The next time (after `skip` others) that the worker passes this point of the product's code, it stops there. */
  stopAt(point: string, skip?: number): Stop
  /** Lets it go first, where it stands still: a failed test does not hang its clean-up. */
  stop(): Promise<void>
}

/** A worker of the testServer, in this process. */
export function startStoppableWorker(testServer: TestServer): StoppableWorker {
  let wanted: { point: string; skip: number; arrive: () => void; leave: Promise<void> } | null = null
  let letGoOfLast: (() => void) | null = null
  const worker = startWorkers(
    workerDeps(testServer.deps, async (point) => {
      if (wanted?.point !== point || wanted.skip-- > 0) return
      const { arrive, leave } = wanted
      wanted = null
      arrive()
      await leave
    }),
    QUICK,
  )
  return {
    stopAt(point, skip = 0) {
      const arrival = Promise.withResolvers<void>()
      const leaving = Promise.withResolvers<void>()
      wanted = { point, skip, arrive: arrival.resolve, leave: leaving.promise }
      letGoOfLast = leaving.resolve
      return { reached: arrival.promise, letGo: leaving.resolve }
    },
    stop() {
      letGoOfLast?.()
      return worker.stop()
    },
  }
}
