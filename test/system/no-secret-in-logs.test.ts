import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decryptTokens } from '#server/accounts/tokens.ts'
import { openDb } from '#base/db/open.ts'
import { createEncrypter } from '#base/encryption.ts'
import { COMPILED, PROGRAM } from '../support/program.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { freePort } from '../support/ports/free-port.ts'
import { control, linkAccount, personWith, until, type Person } from '../support/test-server.ts'
import { codeIn, Mail } from '../support/identity.ts'
import { delivered, postInstagram, postTikTok, postYouTube, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

// Starts whole programs, slowly on busy machines.

/** Secrets that must not appear in the logs, by kind. A new call adds its own. */
const secrets = new Map<string, string>()
function secret(what: string, value: string): string {
  if (value.length < 12) throw new Error(`${what} is too short to be looked for.`)
  secrets.set(`${what} (${secrets.size})`, value)
  return value
}
const newPassword = () => secret('a password', `pass ${randomBytes(12).toString('hex')}`)

let dir: string
let database: TestDatabase
let child: ChildProcess
let said = ''
let url: string
let practiceUrl: string
const secretKey = secret('SECRET_KEY', randomBytes(32).toString('hex'))

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-log-'))
  await chmod(dir, 0o711)
  database = await createTestDatabase()
  const [port, practicePort] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}`
  practiceUrl = `http://127.0.0.1:${practicePort}`
  child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env['PATH'],
      ...COMPILED,
      PORT: String(port),
      PRACTICE_PORT: String(practicePort),
      DATA_DIR: dir,
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until(`the server to be ready`, async () => said.includes('Reelay is at')).catch((cause: unknown) => {
    throw new Error(`The server said: ${said}`, { cause })
  })
})
afterAll(async () => {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

it('contains no password, token, code or key at the most verbose level', async () => {
  const ada = await comeAndGo('ada-logs@example.com')
  await publish(ada)
  await withoutDatabase(() => everything(ada))
  await until('the server to have its database back', async () => (await ada.request('/user')).ok)
  await misuse(ada)

  expect(said.match(/"level":(10|20)/g)?.length ?? 0, 'the log is the talkative one').toBeGreaterThan(0)
  expect(said).toMatch(/a request failed|identity call failed|answered 503/)
  expect([...secrets].filter(([, value]) => appears(value)).map(([what]) => what)).toEqual([])
  // Anything that looks like a token counts, from any source.
  expect(said.match(/eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g)).toBeNull()
  // RFC 6750's characters of a token; a stack line may name a function "…Bearer (file:…)".
  expect(said.match(/Bearer [\w.~+/=-]{8,}/gi)).toBeNull()
})

it('has the documented line for fail2ban of each refused log-in', async () => {
  await post('/identity/v1/accounts:signInWithPassword?key=reelay', {
    email: 'nobody@example.com',
    password: newPassword(),
  })
  const page = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const filter = /^failregex = (.+)$/m.exec(page)?.[1] ?? 'no filter'
  const line = new RegExp(filter.replace('<ADDR>', '127\\.0\\.0\\.1'))
  await until('the line', async () => said.split('\n').some((text) => line.test(text)))
})

/** Unchanged, or encoded for an address or a form. */
const appears = (value: string): boolean =>
  [
    value,
    encodeURIComponent(value),
    new URLSearchParams({ a: value }).toString().slice(2),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ].some((form) => said.includes(form))

/** Sign-up, a wrong password, sign-in, a token refresh and a reset. */
async function comeAndGo(email: string): Promise<Person> {
  const [first, second] = [newPassword(), newPassword()]
  const made = await post('/api/v1/users', {
    email,
    nickname: 'Ada',
    timezone: 'Europe/Lisbon',
    password: first,
  })
  expect(made.status).toBe(201)
  expect((await signInWith(email, newPassword())).status).toBe(400)
  const session = await sessionOf(await signInWith(email, first))
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: session.refreshToken })
  const renewed = await fetch(`${url}/identity/v1/token?key=reelay`, { method: 'POST', body: form })
  secret('an ID token', ((await renewed.json()) as { id_token: string }).id_token) // the protocol's answer
  await identity('accounts:lookup', { idToken: session.idToken })
  await identity('accounts:update', { idToken: session.idToken, displayName: 'Ada' })

  await identity('accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email })
  const oobCode = secret('a code', await codeFor(email))
  await identity('accounts:resetPassword', { oobCode })
  await identity('accounts:resetPassword', { oobCode, newPassword: second })
  await identity('accounts:resetPassword', { oobCode, newPassword: newPassword() })
  return personWith({ url }, email, (await sessionOf(await signInWith(email, second))).idToken)
}

/** Linking, uploading and publishing, with a failing platform. */
async function publish(ada: Person): Promise<void> {
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const tiktok = await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })
  const instagram = await linkAccount(ada, { platform: 'instagram', brandId: brand_id })
  const youtube = await linkAccount(ada, { platform: 'youtube', brandId: brand_id })
  const db = openDb(database.url)
  const rows = await db.selectFrom('accounts').select('tokens').execute()
  await db.destroy()
  for (const { tokens } of rows) {
    if (tokens === null) throw new Error('An account without tokens.')
    const { accessToken, refreshToken } = decryptTokens(createEncrypter([secretKey]), tokens)
    secret('a token of a platform', accessToken)
    if (refreshToken !== null) secret('a refresh token of a platform', refreshToken)
  }
  await uploadVideo(ada)
  await control(practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 200,
    tiktok_moderation_ms: 200,
    instagram_processing_ms: 200,
  })
  await control(practiceUrl, 'POST', '/_control/faults', {
    platform: 'tiktok',
    call: 'init',
    fault: 'status_500',
    times: 1,
  })
  await control(practiceUrl, 'POST', '/_control/faults', {
    platform: 'instagram',
    call: 'create',
    fault: 'html_502',
    times: 1,
  })
  await control(practiceUrl, 'POST', '/_control/faults', {
    platform: 'youtube',
    call: 'final_chunk',
    fault: 'status_500',
    times: 1,
  })
  const posts = [
    await postTikTok(ada, tiktok.account_id, sampleVideo()),
    await postInstagram(ada, instagram.account_id, sampleVideo()),
    await postYouTube(ada, youtube.account_id, sampleVideo()),
  ]
  for (const one of posts) await delivered(ada, one, ['published', 'failed', 'blocked'])
}

async function everything(ada: Person): Promise<void> {
  const form = new FormData()
  form.append('file', sampleVideo().file)
  const answers = await Promise.all([
    ada.request('/user'),
    ada.request('/posts'),
    ada.request('/videos', { method: 'POST', body: form }),
    signInWith(ada.email, newPassword()),
    post('/api/v1/users', {
      email: 'bo@example.com',
      nickname: 'Bo',
      timezone: 'UTC',
      password: newPassword(),
    }),
    identity('accounts:lookup', { idToken: ada.token }),
    identity('accounts:resetPassword', { oobCode: newCode(), newPassword: newPassword() }),
    fetch(`${url}/identity/v1/token?key=reelay`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: newCode() }),
    }),
  ])
  for (const { status, url: asked } of answers) expect(status, asked).toBeGreaterThanOrEqual(500)
}

/** Requests that none of our programs sends. */
async function misuse(ada: Person): Promise<void> {
  const broken = `{"email":"${ada.email}","password":"${newPassword()}"`
  for (const address of ['/api/v1/users', '/identity/v1/accounts:signUp?key=reelay']) {
    await fetch(`${url}${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: broken,
    })
  }
  await fetch(`${url}/api/v1/user?access_token=${ada.token}`)
  await fetch(`${url}/__/auth/action?mode=resetPassword&oobCode=${newCode()}&apiKey=reelay`)
  await ada.request('/videos', { method: 'POST', body: new FormData() })
  await ada.request('/videos', {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${newCode()}` },
    body: 'no form',
  })
  await post(
    '/identity/v1/accounts:lookup?key=reelay',
    { localId: ['somebody'] },
    {
      authorization: `Bearer ${ada.token}`,
    },
  )
}

const newCode = () => secret('a code', randomBytes(32).toString('base64url'))

/** Cuts every connection and refuses new ones meanwhile. */
async function withoutDatabase(run: () => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: process.env['TEST_DATABASE_URL'] })
  await admin.connect()
  const name = new URL(database.url).pathname.slice(1)
  try {
    await admin.query(`alter database ${name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await run()
  } finally {
    await admin.query(`alter database ${name} allow_connections true`)
    await admin.end()
  }
}

const post = (address: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}${address}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const identity = (call: string, body: object) => post(`/identity/v1/${call}?key=reelay`, body)
const signInWith = (email: string, password: string) =>
  identity('accounts:signInWithPassword', { email, password, returnSecureToken: true })

async function sessionOf(answer: Response): Promise<{ idToken: string; refreshToken: string }> {
  const { idToken, refreshToken } = (await answer.json()) as { idToken: string; refreshToken: string } // the protocol's answer
  return { idToken: secret('an ID token', idToken), refreshToken: secret('a refresh token', refreshToken) }
}

const codeFor = (email: string): Promise<string> =>
  until(`a mail to ${email}`, async () => {
    const mailbox = path.join(dir, 'mailbox')
    const names = (await readdir(mailbox).catch(() => [])).filter((name) => name.endsWith('.json'))
    const mails = await Promise.all(
      names.map(async (name) => Mail.parse(JSON.parse(await readFile(path.join(mailbox, name), 'utf8')))),
    )
    return (
      mails.filter((mail) => mail.to === email && mail.text.includes('mode=resetPassword')).map(codeIn)[0] ??
      null
    )
  })
