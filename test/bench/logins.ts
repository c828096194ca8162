/**
 * Logins per second compared with the bare password hash (the floor), and the delay of the server's event loop meanwhile.
 * Server and floor run alternately; the median ratio counts. `npm run bench -- logins [pairs] [seconds of each]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  HASH_COST,
  MAX_CONCURRENT_HASHES,
  hashPassword,
  passwordMatches,
} from '#identity/credentials/passwords.ts'
import { freePort } from '../support/ports/free-port.ts'
import type { Meanwhile } from './loop-delay.ts'

const RATE_PROMISE = 0.85
const HELD_UP_PROMISE_MS = 50
/** So many wait at the gate that it is never empty. */
const CLIENTS = 3 * MAX_CONCURRENT_HASHES
const PASSWORD = 'correct horse battery staple'
const EMAIL = 'bench@example.com'

const [role] = process.argv.slice(2)
if (role === 'floor') await beFloor()
else await measure(Number(role ?? 10), Number(process.argv[3] ?? 3))

async function measure(pairs: number, seconds: number): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-logins-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const port = await freePort()
  const floor = fork(fileURLToPath(import.meta.url), ['floor'])
  const server = await startServer(dir, port)
  try {
    await once(floor, 'message')
    await signUp(port)
    await logIn(port, 1) // code and connections that any first login needs
    const ratios: number[] = []
    const rates: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
    const heldUp: number[] = []
    const cpu: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
    for (let i = 0; i < pairs; i++) {
      const bare = await told<Bare>(floor, seconds)
      await told<number>(server, 'begin')
      const ours = await logIn(port, seconds)
      const { heldUpMs, cpuMs } = await told<Meanwhile>(server, 'end')
      heldUp.push(heldUpMs)
      cpu.floor.push(bare.cpuMs / bare.done)
      cpu.ours.push(cpuMs / ours.done)
      rates.floor.push(bare.rate)
      rates.ours.push(ours.rate)
      ratios.push(ours.rate / bare.rate)
    }
    const load = loadavg()
      .map((one) => one.toFixed(1))
      .join(', ')
    console.log(
      `Logins, ${CLIENTS} clients, ${MAX_CONCURRENT_HASHES} hashes at once; ${pairs} pairs of ${seconds} s each; middle (least to most)`,
    )
    console.log(
      `${availableParallelism()} processors, ${cpus()[0]?.model ?? 'unknown'}; Node ${process.version}; load at the end ${load}`,
    )
    console.log(`hashes   ${spread(rates.floor)} a second, ${spread(cpu.floor)} ms of a processor each`)
    console.log(
      `logins   ${spread(rates.ours)} a second, ${spread(cpu.ours)} ms of a processor each, database and asking aside`,
    )
    console.log(`logins beside the bare hash: ${spread(ratios, 2)} (promised: ${RATE_PROMISE})`)
    console.log(
      `event loop held up at most: ${spread(heldUp)} ms (promised: never over ${HELD_UP_PROMISE_MS})`,
    )
    if (median(ratios) < RATE_PROMISE || Math.max(...heldUp) > HELD_UP_PROMISE_MS) process.exitCode = 1
  } finally {
    floor.disconnect()
    server.kill('SIGTERM')
    await Promise.all([once(floor, 'exit'), once(server, 'exit')])
    await rm(dir, { recursive: true, force: true })
  }
}

async function startServer(dir: string, port: number): Promise<ChildProcess> {
  const server = fork(fileURLToPath(new URL('../../src/server/main.ts', import.meta.url)), {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATA_DIR: dir,
      PRACTICE: 'off',
      NODE_ENV: 'production',
    },
    execArgv: ['--import', fileURLToPath(new URL('./loop-delay.ts', import.meta.url))],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  while (!(await answers(port))) {
    if (server.exitCode !== null) throw new Error('The server did not start.')
    await sleep(100)
  }
  return server
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
}

async function signUp(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, nickname: 'Bench', timezone: 'UTC', password: PASSWORD }),
  })
  if (answer.status !== 201) throw new Error(`Sign-up answered ${answer.status}: ${await answer.text()}`)
}

type Rate = { readonly done: number; readonly rate: number }
type Bare = Rate & { readonly cpuMs: number }

/** Logs in for so long, each client again as soon as it is in. */
async function logIn(port: number, seconds: number): Promise<Rate> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD, returnSecureToken: true })
  const ends = performance.now() + seconds * 1000
  const rate = await rateOf(ends, () => post(agent, port, body), CLIENTS)
  agent.destroy()
  return rate
}

async function rateOf(ends: number, work: () => Promise<void>, atOnce: number): Promise<Rate> {
  const began = performance.now()
  let done = 0
  const client = async () => {
    while (performance.now() < ends) {
      await work()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return { done, rate: done / ((performance.now() - began) / 1000) }
}

async function post(agent: Agent, port: number, body: string): Promise<void> {
  const call = request({
    agent,
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/identity/v1/accounts:signInWithPassword?key=reelay',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const said = await text(response)
  if (response.statusCode !== 200) throw new Error(`Login answered ${response.statusCode}: ${said}`)
}

/** Verifies for as many seconds as it is told, and answers with how many a second. */
async function beFloor(): Promise<void> {
  const hashed = await hashPassword(PASSWORD, HASH_COST)
  const verify = async () => {
    if (!(await passwordMatches(hashed, PASSWORD, HASH_COST))) throw new Error('The hash does not match.')
  }
  process.on('message', (seconds: number) => {
    const ends = performance.now() + seconds * 1000
    const usage = process.cpuUsage()
    void rateOf(ends, verify, MAX_CONCURRENT_HASHES).then((rate) => {
      const { user, system } = process.cpuUsage(usage)
      const bare: Bare = { ...rate, cpuMs: (user + system) / 1000 }
      process.send?.(bare)
    })
  })
  process.once('disconnect', () => process.exit())
  process.send?.(0)
}

async function told<T>(child: ChildProcess, word: string | number): Promise<T> {
  child.send(word)
  const [answer] = (await once(child, 'message')) as [T] // what each of ours answers to that word
  return answer
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}

function spread(values: readonly number[], digits = 1): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
