import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDb, type Db } from '#base/db/open.ts'
import { COMPILED, PROGRAM } from '../support/program.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { freePort } from '../support/ports/free-port.ts'
import { until } from '../support/test-server.ts'
import { startMailServer, type MailServer, type TakenMail } from '../support/mail-server.ts'

// The real server, killed between a request and its mail.

let database: TestDatabase
let db: Db
let dir: string
let env: Record<string, string>
let mailPort: number
const running = new Set<ChildProcess>()
const closing: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-mails-'))
  const port = await freePort()
  mailPort = await freePort()
  env = {
    PORT: String(port),
    PUBLIC_URL: 'https://reelay.example',
    DATA_DIR: dir,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a secret of thirty-two characters',
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    MAIL_FROM: 'Reelay <no-reply@reelay.example>',
    PRACTICE: 'off',
    ROLE: 'web',
    LOG_LEVEL: 'error',
  }
})
afterEach(async () => {
  await Promise.all([...running].map(kill))
  await Promise.all(closing.splice(0).map((close) => close()))
  await db.destroy()
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

async function start(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env['PATH'], ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  }
  await until(`the server to be ready; it said: ${said}`, async () => said.includes('Reelay is at'))
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function signUp(headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${env['PORT']}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      email: 'ada@example.test',
      nickname: 'Ada',
      timezone: 'Europe/Lisbon',
      password: 'correct horse',
    }),
  })
  expect(answer.status).toBe(201)
}

async function mailServer(options: { forgetful?: boolean } = {}): Promise<MailServer> {
  const server = await startMailServer({ port: mailPort, ...options })
  closing.push(() => server.close())
  return server
}

/** Accepts connections and never answers. */
async function silentServer(): Promise<{ server: Server; guests: Socket[] }> {
  const guests: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    guests.push(socket)
  })
  server.listen(mailPort, '127.0.0.1')
  await once(server, 'listening')
  return { server, guests }
}

/** The one-minute claim of the killed process expires. */
async function theHoldEnds(): Promise<void> {
  await db
    .updateTable('identity_mail_requests')
    .set({ due_at: new Date(0) })
    .execute()
}

const isSent = () =>
  until('the mail to be sent', async () => {
    const waiting = await db.selectFrom('identity_mail_requests').select('request_id').execute()
    return waiting.length === 0
  })
const messageId = ({ raw }: TakenMail) => /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim()
/** Decodes folded lines, as mail programs do. */
const linkOf = ({ raw }: TakenMail) =>
  /https?:\/\/\S+oobCode=[\w-]+/.exec(raw.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0]

test('a server killed between a sign-up and its mail sends it once after restart', async () => {
  const { server, guests } = await silentServer()
  const first = await start()
  await signUp()
  await until('the mail to be on its way', async () => guests.length > 0)
  await kill(first)
  for (const guest of guests) guest.destroy()
  await new Promise((resolve) => server.close(resolve))
  const waiting = await db.selectFrom('identity_mail_requests').select('purpose').execute()
  expect(waiting).toEqual([{ purpose: 'verify_email' }])

  const { taken } = await mailServer()
  await theHoldEnds()
  await start()
  await isSent()
  expect(taken).toMatchObject([{ from: 'no-reply@reelay.example', to: ['ada@example.test'] }])
})

test('a server killed before the mail is acknowledged sends the same mail again', async () => {
  const forgetful = await mailServer({ forgetful: true })
  const first = await start()
  await signUp()
  await until('the mail to be taken', async () => forgetful.taken.length > 0)
  await kill(first)
  await forgetful.close()
  closing.length = 0

  const { taken } = await mailServer()
  await theHoldEnds()
  await start()
  await isSent()
  const [before] = forgetful.taken
  const [after] = taken
  if (!before || !after) throw new Error('A mail is missing.')
  expect(taken).toHaveLength(1)
  expect(messageId(after)).toBe(messageId(before))
  expect(messageId(after)).toMatch(/^<[\w-]{36}@reelay\.example>$/)
  expect(linkOf(after)).toBe(linkOf(before))
  expect(linkOf(after)).toContain('https://reelay.example/__/auth/action?mode=verifyEmail&oobCode=')
})

test('links in mails use the configured address, whatever host a request names', async () => {
  const { taken } = await mailServer()
  await start()
  await signUp({
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    origin: 'https://evil.example',
  })
  const reset = JSON.stringify({ requestType: 'PASSWORD_RESET', email: 'ada@example.test' })
  // `fetch` cannot set another Host header.
  const socket = await talk(
    `POST /identity/v1/accounts:sendOobCode?key=reelay HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${reset.length}\r\nConnection: close\r\n\r\n${reset}`,
  )
  expect(socket).toContain('HTTP/1.1 200')
  await isSent()
  expect(taken).toHaveLength(2)
  for (const mail of taken) {
    expect(linkOf(mail)).toMatch(/^https:\/\/reelay\.example\/__\/auth\/action\?/)
    expect(mail.raw).not.toContain('evil')
  }
})

async function talk(text: string): Promise<string> {
  const socket = connect(Number(env['PORT']), '127.0.0.1')
  let said = ''
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
  socket.write(text)
  await once(socket, 'close')
  return said
}
