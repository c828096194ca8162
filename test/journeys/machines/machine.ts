import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { COMPILED, PROGRAM } from '../../support/program.ts'

/** A process of the product, as an operator runs it on a separate machine. */
export type Machine = {
  readonly port: number
  /** Resolves when it is ready. @param args as after `npm start --`; @returns its output so far */
  start(...args: readonly string[]): Promise<string>
  /** @returns its exit code */
  stop(): Promise<number | null>
  kill(): Promise<void>
  /** Suspends the process until `resume`. */
  freeze(): void
  resume(): void
  /** The log over all its starts. */
  readonly log: readonly LogLine[]
}
/** `time`: epoch ms. */
export type LogLine = {
  readonly time: number
  readonly msg: string
  readonly delivery?: number
  readonly reqId?: string
  readonly err?: { readonly code?: string; readonly message: string }
}

export function createMachine(env: Readonly<Record<string, string>>): Machine {
  let child: ChildProcess | null = null
  const log: LogLine[] = []
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return null
    const ended = new Promise<number | null>((resolve) => child?.once('exit', resolve))
    child.kill(signal)
    return ended
  }
  return {
    port: Number(env['PORT']),
    start(...args) {
      let said = ''
      const started = spawn(process.execPath, [PROGRAM, ...args], {
        env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...COMPILED, ...env },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      })
      child = started
      const { stdout } = started
      if (stdout === null) throw new Error('A process has no standard output.')
      return new Promise((resolve, reject) => {
        createInterface({ input: stdout }).on('line', (line) => {
          if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine) // pino's
          else if (/ready/.test(line)) resolve(said)
          else said += `${line}\n`
        })
        started.once('exit', (code) => reject(new Error(`A process ended with ${code} before it was ready.`)))
      })
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    log,
  }
}
