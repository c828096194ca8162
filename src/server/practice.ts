import { fork } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from './runtime/config.ts'
import { mailboxDir } from './deps.ts'
import { StartError } from '#base/start-error.ts'

const PROGRAM = fileURLToPath(new URL('../simulators/main.ts', import.meta.url))

/** An allow-list, because the server's environment contains secrets. `NODE_EXTRA_CA_CERTS`: webhooks go to PUBLIC_URL. */
const PASSED_ON = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS']

export const practiceEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))

/**
 * Starts the practice platforms in a process that ends with this one. @throws StartError with the reason that they printed
 */
export async function startPractice(config: Config, log: Logger): Promise<{ stop(): Promise<void> }> {
  const child = fork(
    PROGRAM,
    Object.entries({
      port: String(config.practice.port),
      dir: path.join(config.dataDir, 'practice'),
      'app-url': config.publicUrl,
      'mailbox-dir': mailboxDir(config),
    }).flatMap(([name, value]) => [`--${name}`, value]),
    // Ctrl-C signals the whole process group; shutdown stops them in order instead.
    {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true,
      env: practiceEnv(process.env),
    },
  )
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ready = new Promise<'ready'>((resolve) => child.once('message', () => resolve('ready')))
  const first = await Promise.race([ready, ended])
  if (first !== 'ready') throw new StartError(said.trim() || 'The practice platforms could not start.')
  // Not a pipe: it ends with the first failed write, and the child would then block forever.
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk))
  let stopping = false
  void ended.then((code) => {
    if (!stopping)
      log.error({ code }, 'the practice platforms stopped; restart the server to start them again')
  })
  return {
    async stop() {
      stopping = true
      child.kill('SIGTERM')
      await ended
    },
  }
}
