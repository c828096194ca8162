import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('../processes/server.ts', import.meta.url))

/** A web server that can be killed at any moment. */
export type WebProcess = {
  /** From here on memory counts as added. */
  markIdle(): void
  /** The most since then, in bytes; 0 where the system does not tell. */
  addedMemory(): number
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
  let idle = 0
  return {
    markIdle() {
      idle = memoryOf(child.pid, 'VmRSS')
      // Linux counts the highest anew.
      if (idle > 0) writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
    },
    addedMemory: () => memoryOf(child.pid, 'VmHWM') - idle,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function memoryOf(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024
}
