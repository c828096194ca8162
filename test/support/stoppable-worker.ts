import { workerDeps } from '#server/worker-deps.ts'
import { startWorkers } from '#server/start-workers.ts'
import { QUICK } from './quick-worker.ts'
import type { TestServer } from './test-server.ts'

/** A worker stops here, alive and with its lease renewed, until it is released. */
export type Stop = { readonly reached: Promise<void>; readonly letGo: () => void }

export type StoppableWorker = {
  /** The worker stops at this point of the product's code the next time, after `skip` others. */
  stopAt(point: string, skip?: number): Stop
  /** Releases a stopped worker first, so that a failed test does not hang its clean-up. */
  stop(): Promise<void>
}

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
