import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('../processes/server.ts', import.meta.url))

export type WebProcess = {
  kill(): Promise<void>
}

export async function startWeb(env: Readonly<Record<string, string>>): Promise<WebProcess> {
  const child = fork(SERVER, [], {
    env: { ...process.env, ...env, ROLE: 'web' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('the web server could not start')
    }),
  ])
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
