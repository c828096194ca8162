/**
 * How soon a second `npm start` answers, and what all of its processes take when idle, without practice platforms (Linux only).
 * `npm run bench -- start [turns] [seconds until it counts as idle]`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/ports/free-port.ts'
import { usageOf } from './processes.ts'
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
try {
  const seconds: number[] = []
  await (await start()).stop() // makes the database
  for (let i = 0; i < turns; i++) {
    const started = await start()
    seconds.push(started.seconds)
    await started.stop()
  }
  const idle = await start({ PRACTICE: 'off' })
  await sleep(idleS * 1000)
  const { pssMb } = usageOf([idle.pid])
  await idle.stop()
  report({
    name: 'start',
    about: `A second \`npm start\` until its first answer, ${turns} turns; then the proportional set size of all its processes, without practice platforms, after ${idleS} s.`,
    rows: [
      { what: 'npm start', unit: 's', ours: seconds, promise: { atMost: START_PROMISE_S } },
      { what: 'memory when idle', unit: 'MB PSS', ours: [pssMb], promise: { atMost: IDLE_PROMISE_MB } },
    ],
  })
} finally {
  await rm(dir, { recursive: true, force: true })
}

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
