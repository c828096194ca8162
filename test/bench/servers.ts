import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { practiceEnv } from '#server/practice.ts'
import { freePort } from '../support/ports/free-port.ts'

export const PASSWORD = 'correct horse battery staple'
export const LOG_IN_PATH = '/identity/v1/accounts:signInWithPassword?key=reelay'

export type BenchServer = { readonly port: number; readonly child: ChildProcess; stop(): Promise<void> }

/** A new empty temporary folder, which the caller removes. */
export async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-bench-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  return dir
}

/** The server as `npm start` runs it, without practice platforms, in a folder of its own. */
export async function startServer(
  env: Record<string, string>,
  execArgv: readonly string[] = [],
): Promise<BenchServer> {
  const [dir, port] = await Promise.all([makeFolder(), freePort()])
  const child = fork(fileURLToPath(new URL('../../src/server/main.ts', import.meta.url)), {
    env: {
      ...practiceEnv(process.env),
      PORT: String(port),
      DATA_DIR: dir,
      PRACTICE: 'off',
      NODE_ENV: 'production',
      ...env,
    },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(dir, { recursive: true, force: true })
  }
  while (!(await isReady(port))) {
    if (child.exitCode !== null) {
      await stop()
      throw new Error('The server did not start.')
    }
    await sleep(100)
  }
  return { port, child, stop }
}

/** The variables of a server over this database. */
export const overDatabase = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  SECRET_KEY: randomBytes(32).toString('hex'),
  ROLE: 'web',
})

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )

export async function signUp(port: number, email: string): Promise<void> {
  await post(port, '/api/v1/users', { email, nickname: 'Bench', timezone: 'UTC', password: PASSWORD }, 201)
}

/** @returns the ID token */
export async function logIn(port: number, email: string): Promise<string> {
  const body = { email, password: PASSWORD, returnSecureToken: true }
  const { idToken } = (await post(port, LOG_IN_PATH, body, 200)) as { idToken: string } // the identity protocol's answer
  return idToken
}

async function post(port: number, address: string, body: object, status: number): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${address}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== status)
    throw new Error(`${address} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

export type Client = {
  get(address: string): Promise<Buffer>
  post(address: string, body: string): Promise<Buffer>
  close(): void
}

/** A kept connection that sends one request after the other: `fetch` would cost as much as a server. */
export async function openClient(port: number, token: string | null = null): Promise<Client> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  let waiting = Promise.withResolvers<Buffer>()
  let came: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    came.push(chunk)
    const all = came.length === 1 ? chunk : Buffer.concat(came)
    const end = all.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = all.toString('latin1', 0, end)
    const body = all.subarray(end + 4)
    if (body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1])) return
    came = []
    if (head.startsWith('HTTP/1.1 200')) waiting.resolve(body)
    else waiting.reject(new Error(`${head}\n\n${body.toString()}`))
  })
  socket.on('close', () => waiting.reject(new Error('The server closed the connection.')))
  socket.on('error', (error) => waiting.reject(error))
  const headers = token === null ? '' : `authorization: Bearer ${token}\r\n`
  const send = (line: string, rest: string) => {
    waiting = Promise.withResolvers<Buffer>()
    socket.write(`${line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}${rest}`)
    return waiting.promise
  }
  return {
    get: (address) => send(`GET ${address}`, '\r\n'),
    post: (address, body) =>
      send(
        `POST ${address}`,
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    close() {
      waiting.promise.catch(() => {}) // nobody waits for the last answer any more
      socket.destroy()
    },
  }
}
