/**
 * Logins per second compared with the bare password hash (the floor), and the delay of the server's event loop meanwhile.
 * Server and floor run alternately; the median ratio counts. `npm run bench -- logins [pairs] [seconds of each]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  HASH_COST,
  MAX_CONCURRENT_HASHES,
  hashPassword,
  passwordMatches,
} from '#identity/credentials/passwords.ts'
import type { Meanwhile } from './loop-delay.ts'
import { report } from './report.ts'
import { LOG_IN_PATH, openClient, PASSWORD, signUp, startServer } from './servers.ts'
import { watchMemory } from './slow-memory.ts'

const RATE_PROMISE = 0.85
const HELD_UP_PROMISE_MS = 50
/** So many wait at the gate that it is never empty. */
const CLIENTS = 3 * MAX_CONCURRENT_HASHES
/** At most so many times the turns, where the machine is seldom quiet. */
const MAX_LONGER = 3
/** Nine people do not press a button in the same millisecond. */
const APART_MS = 15
const EMAIL = 'bench@example.com'

const [role] = process.argv.slice(2)
if (role === 'floor') await beFloor()
else await measure(Number(role ?? 20), Number(process.argv[3] ?? 3))

async function measure(pairs: number, seconds: number): Promise<void> {
  const watched = ['--import', fileURLToPath(new URL('./loop-delay.ts', import.meta.url))]
  const floor = fork(fileURLToPath(import.meta.url), ['floor'], { execArgv: watched })
  const server = await startServer({}, watched)
  const memory = watchMemory()
  try {
    await once(floor, 'message')
    await signUp(server.port, EMAIL)
    await logInFor(server.port, 1) // code and connections that any first login needs
    const figures: Record<keyof Turn, Record<'ours' | 'floor', number[]>> = {
      rate: { ours: [], floor: [] },
      heldUpMs: { ours: [], floor: [] },
      cpuMs: { ours: [], floor: [] },
    }
    const record = async (whose: 'ours' | 'floor', work: () => Promise<Turn>) => {
      const began = performance.now()
      const turn = await work()
      figures.rate[whose].push(turn.rate)
      figures.cpuMs[whose].push(turn.cpuMs)
      if (!memory.wasSlowSince(began)) figures.heldUpMs[whose].push(turn.heldUpMs)
    }
    const quiet = figures.heldUpMs.ours
    for (let i = 0; i < pairs || quiet.length < pairs / 2; i++) {
      if (i === MAX_LONGER * pairs) throw new Error(`The machine was quiet in ${quiet.length} of ${i} turns.`)
      await record('floor', () => watchedTurn(floor, () => told<Rate>(floor, seconds)))
      await record('ours', () => watchedTurn(server.child, () => logInFor(server.port, seconds)))
    }
    const about = `Logins, ${CLIENTS} clients, ${MAX_CONCURRENT_HASHES} hashes at once, ${figures.rate.ours.length} turns of ${seconds} s. Floor: the bare password hash. The delay is that of ${quiet.length} turns: in the others the memory of the machine was slow.`
    report({
      name: 'logins',
      about,
      rows: [
        { what: 'logins', unit: 'a second', ...figures.rate, promise: { atLeast: RATE_PROMISE } },
        {
          what: 'longest delay of the event loop meanwhile',
          unit: 'ms',
          ours: figures.heldUpMs.ours,
          promise: { atMost: HELD_UP_PROMISE_MS, inEveryTurn: true },
        },
        { what: 'the same of the floor', unit: 'ms', ours: figures.heldUpMs.floor },
        { what: 'processor time of one, without the database', unit: 'ms', ...figures.cpuMs },
      ],
    })
  } finally {
    memory.stop()
    floor.disconnect()
    await Promise.all([once(floor, 'exit'), server.stop()])
  }
}

type Rate = { readonly done: number; readonly rate: number }
/** `cpuMs`: of one login or hash. */
type Turn = Meanwhile & { readonly rate: number }

/** Does the work while the process watches itself by `loop-delay.ts`. */
async function watchedTurn(child: ChildProcess, work: () => Promise<Rate>): Promise<Turn> {
  await told<number>(child, 'begin')
  const { done, rate } = await work()
  const { heldUpMs, cpuMs } = await told<Meanwhile>(child, 'end')
  return { rate, heldUpMs, cpuMs: cpuMs / done }
}

/** Logs in for so long, each client again as soon as it is in. */
async function logInFor(port: number, seconds: number): Promise<Rate> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(port)))
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD, returnSecureToken: true })
  const ends = performance.now() + seconds * 1000
  const rate = await rateOf(
    ends,
    clients.map((client) => () => client.post(LOG_IN_PATH, body)),
    APART_MS,
  )
  for (const client of clients) client.close()
  return rate
}

/** Each does its work again and again until then; they begin so far apart. */
async function rateOf(
  ends: number,
  workers: readonly (() => Promise<unknown>)[],
  apartMs = 0,
): Promise<Rate> {
  const began = performance.now()
  let done = 0
  const repeat = async (work: () => Promise<unknown>, index: number) => {
    await sleep(index * apartMs)
    while (performance.now() < ends) {
      await work()
      done += 1
    }
  }
  await Promise.all(workers.map(repeat))
  return { done, rate: done / ((performance.now() - began) / 1000) }
}

/** Verifies for as many seconds as it is told, and answers with how many a second. */
async function beFloor(): Promise<void> {
  const hashed = await hashPassword(PASSWORD, HASH_COST)
  const verify = async () => {
    if (!(await passwordMatches(hashed, PASSWORD, HASH_COST))) throw new Error('The hash does not match.')
  }
  process.on('message', (seconds: number | string) => {
    if (typeof seconds === 'string') return // a word for `loop-delay.ts`
    const ends = performance.now() + seconds * 1000
    const workers = Array.from({ length: MAX_CONCURRENT_HASHES }, () => verify)
    void rateOf(ends, workers).then((rate) => process.send?.(rate))
  })
  process.once('disconnect', () => process.exit())
  process.send?.(0)
}

async function told<T>(child: ChildProcess, word: string | number): Promise<T> {
  child.send(word)
  const [answer] = (await once(child, 'message')) as [T] // what each of ours answers to that word
  return answer
}
