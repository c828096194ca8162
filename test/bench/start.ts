/**
 * Measures how soon a second `npm start` answers, and what all of its processes take when idle, without practice platforms (Linux only).
 * `npm run bench -- start [turns] [seconds until it counts as idle]`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/ports/free-port.ts'
import { report } from './report.ts'
import { makeFolder } from './servers.ts'

const START_PROMISE_S = 3
const IDLE_PROMISE_MB = 250
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const turns = Number(process.argv[2] ?? 5)
/** V8 gives back what the start took after some three minutes. */
const idleS = Number(process.argv[3] ?? 300)

const [dir, port, practicePort] = [await makeFolder(), await freePort(), await freePort()]
const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PORT: String(port),
  PRACTICE_PORT: String(practicePort),
  DATA_DIR: dir,
}
const seconds: number[] = []
await (await start()).stop() // makes the database
for (let i = 0; i < turns; i++) {
  const started = await start()
  seconds.push(started.seconds)
  await started.stop()
}
const idle = await start({ PRACTICE: 'off' })
await sleep(idleS * 1000)
const memoryMb = memoryOf(idle.pid)
await idle.stop()
report({
  name: 'start',
  about: `A second \`npm start\` until its first answer, ${turns} turns; then the proportional set size of all its processes, without practice platforms, after ${idleS} s.`,
  rows: [
    { what: 'npm start', unit: 's', ours: seconds, promise: { atMost: START_PROMISE_S } },
    { what: 'memory when idle', unit: 'MB PSS', ours: [memoryMb], promise: { atMost: IDLE_PROMISE_MB } },
  ],
})

async function start(more: Record<string, string> = {}) {
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...env, ...more },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}.`)
    await sleep(5)
  }
  return {
    pid: child.pid ?? 0,
    seconds: (performance.now() - began) / 1000,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Not `fetch`: it would wait longer each time that nothing listens. */
function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ port, path: '/healthz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    call.once('error', () => resolve(false))
    call.end()
  })
}

/** Proportional set size of a process and all below it, in MB: a page that several of them share counts once. */
function memoryOf(root: number): number {
  const fields = readdirSync('/proc').map((pid) => ({
    pid: Number(pid),
    parent: Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]),
  }))
  const tree = fields.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...fields.filter(({ parent }) => parent === pid))
  const kB = tree.map(({ pid }) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  )
  return (kB.reduce((sum, one) => sum + one, 0) * 1024) / 1e6
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
