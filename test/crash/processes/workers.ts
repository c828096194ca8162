import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker, Order, ToWorker } from './orders.ts'

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url))

export type WorkerProcess = {
  readonly child: ChildProcess
  /** The signal that ended it; null: it exited. */
  readonly ended: Promise<NodeJS.Signals | null>
  readonly isAlive: () => boolean
  /** Resolves when it works, or has already stopped at a point. */
  start(how: { readonly clockMs: number; readonly orders: readonly Order[] }): Promise<void>
  tell(message: ToWorker): void
  /** Called when the worker has stopped at the point; one listener at a time. */
  onReached(listener: (id: number) => void): void
  stop(): Promise<void>
}

/**
 * A worker process that has loaded its code and waits for `start`. @param hear receives its output line by line; without it
 * the output goes to our stderr
 */
export function loadWorkerProcess(
  env: Readonly<Record<string, string>>,
  hear?: (text: string) => void,
): WorkerProcess {
  const child = fork(PROGRAM, {
    env: { ...process.env, ...env },
    stdio: ['ignore', hear ? 'pipe' : 'inherit', hear ? 'pipe' : 'inherit', 'ipc'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => hear?.(text))
  }
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => resolve(signal)),
  )
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const said = new Set<FromWorker['type']>()
  const listeners = new Set<(message: FromWorker) => void>()
  let hearReached: ((id: number) => void) | null = null
  child.on('message', (message: FromWorker) => {
    said.add(message.type)
    if (message.type === 'reached') hearReached?.(message.id)
    listeners.forEach((listener) => listener(message))
  })
  const saying = (...types: FromWorker['type'][]) =>
    new Promise<void>((heard, reject) => {
      if (types.some((type) => said.has(type))) return heard()
      listeners.add(({ type }) => types.includes(type) && heard())
      void ended.then(() => reject(new Error('the worker could not start')))
    })
  const loaded = saying('loaded')
  loaded.catch(() => {})
  const tell = (message: ToWorker) => {
    if (isAlive() && child.connected) child.send(message, () => {})
  }
  return {
    child,
    ended,
    isAlive,
    tell,
    async start(how) {
      await loaded
      tell({ type: 'start', ...how })
      await saying('ready', 'reached')
    },
    onReached(listener) {
      hearReached = listener
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** `crash` names the point where it kills itself. */
export async function startWorkerProcess(
  testServer: { readonly env: Readonly<Record<string, string>> },
  crash?: { at: string; skip?: number; with?: NodeJS.Signals },
): Promise<WorkerProcess> {
  const worker = loadWorkerProcess(testServer.env)
  worker.onReached(() => worker.child.kill(crash?.with ?? 'SIGKILL'))
  await worker.start({
    clockMs: 0,
    orders: crash ? [{ id: 0, at: crash.at, skip: crash.skip ?? 0 }] : [],
  })
  return worker
}
