import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Db, openDb } from '#base/db/open.ts'
import { practiceEnv } from '#server/practice.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { freePort } from '../support/ports/free-port.ts'
import { PROGRAM } from '../support/program.ts'
import type { Usage } from './watch.ts'

const WATCHED = ['--import', import.meta.resolve('./watch.ts')]

/** A new empty temporary folder, which is removed when this process ends, if not before. */
export async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-bench-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  return dir
}

export type Started = { readonly url: string; readonly child: ChildProcess; stop(): Promise<void> }
export type BenchServer = Started & {
  readonly db: Db
  /** Another process needs this to join. */
  readonly env: Readonly<Record<string, string>>
}
/** `isWatched`: for `watch`, which costs some time of its own. */
type Options = { readonly env?: Readonly<Record<string, string>>; readonly isWatched?: boolean }

/** The server as `npm start` runs it, over a new database; without worker and practice platforms unless `env` says otherwise. */
export async function startServer({ env, isWatched }: Options = {}): Promise<BenchServer> {
  const [database, port] = [await createTestDatabase(), await freePort()]
  const shared = {
    PORT: String(port),
    PRACTICE: 'off',
    ROLE: 'web',
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('hex'),
    ...env,
  }
  const server = await startProcess(shared, isWatched)
  const db = openDb(database.url)
  return {
    ...server,
    db,
    env: shared,
    async stop() {
      await server.stop()
      await db.destroy()
      await database.drop()
    },
  }
}

/** A process of the server in a folder of its own, once it is ready. */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  isWatched = false,
): Promise<Started> {
  const dir = await makeFolder()
  const child = fork(PROGRAM, {
    env: {
      ...practiceEnv(process.env),
      DATA_DIR: dir,
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      ...env,
    },
    execArgv: isWatched ? WATCHED : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const url = `http://127.0.0.1:${env['PORT']}`
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(dir, { recursive: true, force: true })
  }
  while (!(await isReady(url))) {
    if (child.exitCode !== null) {
      await stop()
      throw new Error('The server did not start.')
    }
    await sleep(100)
  }
  return { url, child, stop }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )

/** A program of the bench, once it has sent its port. @param args what it is given */
export async function startFloor(
  file: string,
  args: readonly string[],
  { env, isWatched = false }: Options = {},
): Promise<Started> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, ...env },
    execArgv: isWatched ? WATCHED : [],
  })
  const port = await firstMessage<number>(child)
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    async stop() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** @throws if the process ends without a word */
export async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('A process of the bench ended.')))
  ended.catch(() => {}) // it may end later
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [T] // of our own programs
  return message
}

export async function watch<T>(
  child: ChildProcess,
  work: () => Promise<T>,
): Promise<{ done: T; usage: Usage }> {
  const ask = async () => {
    child.send('usage')
    const [usage] = (await once(child, 'message')) as [Usage] // what watch.ts answers
    return usage
  }
  await ask()
  const done = await work()
  return { done, usage: await ask() }
}

export type Client = { get(address: string): Promise<string>; close(): void }

/** A kept connection that sends one request after the other: `fetch` would cost as much as a server. */
export function openClient(url: string, token: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${token}` }
  return {
    async get(address) {
      const call = request(`${url}${address}`, { agent, headers }).end()
      const [answer] = (await once(call, 'response')) as [IncomingMessage]
      const body = await text(answer)
      if (answer.statusCode !== 200) throw new Error(`${address} answered ${answer.statusCode}: ${body}`)
      return body
    },
    close: () => agent.destroy(),
  }
}
