import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { House } from '../harness.ts'

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url))

export type WorkerProcess = {
  readonly child: ChildProcess
  /** The signal that ended it; null: it ended by itself. */
  readonly ended: Promise<NodeJS.Signals | null>
  stop(): Promise<void>
}

/** A worker process on the house's database; `crash` names where it is to stop dead. */
export async function startWorkerProcess(
  house: House,
  crash?: { at: string; skip?: number; with?: NodeJS.Signals },
): Promise<WorkerProcess> {
  const child = fork(PROGRAM, {
    env: {
      ...process.env,
      ...house.env,
      ...(crash && {
        CRASH_AT: crash.at,
        CRASH_SKIP: String(crash.skip ?? 0),
        CRASH_WITH: crash.with ?? 'SIGKILL',
      }),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => resolve(signal)),
  )
  await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    ended.then((signal) => {
      // A crash at the first claim may come before the worker says that it is ready.
      if (signal === null) throw new Error('the worker could not start')
    }),
  ])
  return {
    child,
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
