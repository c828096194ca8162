/**
 * Logins per second compared with the bare password hash (the floor), and the delay of the server's event loop meanwhile.
 * Server and floor run alternately; the median ratio counts. `npm run bench -- logins [pairs] [seconds of each]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import {
  HASH_COST,
  MAX_CONCURRENT_HASHES,
  hashPassword,
  passwordMatches,
} from '#identity/credentials/passwords.ts'
import type { Meanwhile } from './loop-delay.ts'
import { report } from './report.ts'
import { PASSWORD, signUp, startServer } from './servers.ts'

const RATE_PROMISE = 0.85
const HELD_UP_PROMISE_MS = 50
/** So many wait at the gate that it is never empty. */
const CLIENTS = 3 * MAX_CONCURRENT_HASHES
const EMAIL = 'bench@example.com'

const [role] = process.argv.slice(2)
if (role === 'floor') await beFloor()
else await measure(Number(role ?? 10), Number(process.argv[3] ?? 3))

async function measure(pairs: number, seconds: number): Promise<void> {
  const floor = fork(fileURLToPath(import.meta.url), ['floor'])
  const server = await startServer({}, [
    '--import',
    fileURLToPath(new URL('./loop-delay.ts', import.meta.url)),
  ])
  try {
    await once(floor, 'message')
    await signUp(server.port, EMAIL)
    await logInFor(server.port, 1) // code and connections that any first login needs
    const rates: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
    const heldUp: number[] = []
    const cpu: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
    for (let i = 0; i < pairs; i++) {
      const bare = await told<Bare>(floor, seconds)
      await told<number>(server.child, 'begin')
      const ours = await logInFor(server.port, seconds)
      const { heldUpMs, cpuMs } = await told<Meanwhile>(server.child, 'end')
      heldUp.push(heldUpMs)
      cpu.floor.push(bare.cpuMs / bare.done)
      cpu.ours.push(cpuMs / ours.done)
      rates.floor.push(bare.rate)
      rates.ours.push(ours.rate)
    }
    const about = `Logins, ${CLIENTS} clients, ${MAX_CONCURRENT_HASHES} hashes at once, ${pairs} turns of ${seconds} s. Floor: the bare password hash.`
    report({
      name: 'logins',
      about,
      rows: [
        { what: 'logins', unit: 'a second', ...rates, promise: { atLeast: RATE_PROMISE } },
        {
          what: 'longest delay of the event loop meanwhile',
          unit: 'ms',
          ours: heldUp,
          promise: { atMost: HELD_UP_PROMISE_MS },
        },
        { what: 'processor time of one, without the database', unit: 'ms', ...cpu },
      ],
    })
    // Of the delay every turn counts.
    if (Math.max(...heldUp) > HELD_UP_PROMISE_MS) process.exitCode = 1
  } finally {
    floor.disconnect()
    await Promise.all([once(floor, 'exit'), server.stop()])
  }
}

type Rate = { readonly done: number; readonly rate: number }
type Bare = Rate & { readonly cpuMs: number }

/** Logs in for so long, each client again as soon as it is in. */
async function logInFor(port: number, seconds: number): Promise<Rate> {
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
