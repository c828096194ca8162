import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COMPILED } from '../../support/compiled.ts'

const MAIN = fileURLToPath(new URL('../../../src/server/main.ts', import.meta.url))

/** A process of the product, as an operator runs it on a machine of its own. */
export type Machine = {
  readonly port: number
  /** Settles when it is ready. */
  start(): Promise<void>
  /** Asks it to end. @returns its exit code */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/** @param env its settings, ROLE and PORT among them. */
export function createMachine(env: Readonly<Record<string, string>>): Machine {
  let child: ChildProcess | null = null
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return null
    const ended = new Promise<number | null>((resolve) => child?.once('exit', resolve))
    child.kill(signal)
    return ended
  }
  return {
    port: Number(env['PORT']),
    start() {
      const started = spawn(process.execPath, [MAIN], {
        env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...COMPILED, ...env },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      })
      child = started
      return new Promise((resolve, reject) => {
        started.stdout?.setEncoding('utf8').on('data', (text: string) => {
          if (/ready/.test(text)) resolve()
        })
        started.once('exit', (code) => reject(new Error(`A process ended with ${code} before it was ready.`)))
      })
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
  }
}
