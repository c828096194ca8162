import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServerCheck } from '#contract/operator.ts'
import { openDb } from '#base/db/open.ts'
import { readConfig } from '../runtime/config.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { createMailer } from '#base/mail/create-mailer.ts'
import { createHealth } from '../health/health.ts'
import { checkProxy, checkStream } from './check-proxy.ts'
import type { DoctorDeps } from './check.ts'
import { recordBackup, recordFailedBackup } from '../backup/last-backup.ts'
import { runDoctor } from './doctor.ts'
import { judgeCertificate } from './requests.ts'
import { formatAge, formatBytes } from './format.ts'
import { sendTestMail } from './test-mail.ts'

const SECRETS = {
  TIKTOK_CLIENT_KEY: 'sbaw1secretkey12',
  TIKTOK_CLIENT_SECRET: 'cut secret of tiktok',
  INSTAGRAM_APP_ID: '1234567890',
  INSTAGRAM_APP_SECRET: 'not-thirty-two-hex',
  SMTP_URL: 'smtp://reelay:mailpassword@127.0.0.1:1',
}

const LOCALHOST = readFileSync(new URL('../../../test/fixtures/localhost.pem', import.meta.url))

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const silent = pino({ level: 'silent' })

async function examine(env: Record<string, string> = {}, more: Partial<DoctorDeps> = {}) {
  const config = readConfig({ ...testServer.env, ...env })
  const deps = { ...testServer.deps, log: silent, config, ...more }
  const found = await runDoctor({ ...deps, health: createHealth(deps) })
  const find = (id: string) => found.filter((check) => check.id === id)
  return { found, find, only: (id: string): ServerCheck | undefined => find(id)[0] }
}

/** Answers every request alike. */
async function serve(status: number, body: string) {
  const server = http.createServer((_request, answer) =>
    answer.writeHead(status, { 'content-type': 'text/html' }).end(body),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens at a port
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

it('a practice server lacks a worker only, and notes what it lacks for going live', async () => {
  const { found, only } = await examine()
  expect(found[0]).toMatchObject({
    id: 'workers',
    severity: 'error',
    sentence: 'No worker has ever looked for posts that are due.',
  })
  expect(found.filter(({ severity }) => severity === 'error')).toHaveLength(1)
  for (const id of [
    'process',
    'database',
    'due',
    'clock',
    'disk',
    'address',
    'body',
    'media',
    'tiktok',
    'links',
  ])
    expect([id, only(id)?.severity]).toEqual([id, 'ok'])
  for (const id of ['backup', 'mail', 'outside']) expect([id, only(id)?.severity]).toEqual([id, 'note'])
})

it('an unreachable database is told once, and what needs it as not checked', async () => {
  const away = openDb('postgres://reelay@127.0.0.1:1/reelay')
  const { only } = await examine({}, { db: away })
  expect(only('process')).toMatchObject({ severity: 'error', sentence: 'The database does not answer.' })
  expect(only('due')).toMatchObject({ severity: 'warning', sentence: 'This could not be checked.' })
  await away.destroy()
})

it('workers that went silent and posts that nobody takes are errors', async () => {
  const { db, now } = testServer.deps
  await db
    .updateTable('worker_heartbeat')
    .set({ seen_at: new Date(now()) })
    .execute()
  expect((await examine()).only('workers')?.severity).toBe('ok')
  const later = await examine({}, { now: () => now() + 7_200_000 })
  expect(later.only('workers')).toMatchObject({
    severity: 'error',
    sentence: 'No worker has looked for due posts for 2 hours: nothing goes out.',
  })
  expect(later.only('clock')?.sentence).toContain('differ by 2 hours')
})

it('a proxy that answers in the place of Reelay is an error where platforms are real', async () => {
  const wall = await serve(403, '<h1>Are you a robot?</h1>')
  const { only } = await examine({ PUBLIC_URL: wall.url })
  expect(only('address')?.sentence).toBe(`Something else than Reelay answers at ${wall.url} (403).`)
  expect(only('body')?.sentence).toBe('Something in front of Reelay answers large uploads (403).')
  expect(only('media')).toMatchObject({
    severity: 'warning',
    sentence: `Instagram fetches videos at ${wall.url}/media, but something in front of Reelay answers it (403).`,
  })
  const none = await examine({ PUBLIC_URL: wall.url, PRACTICE: 'off' })
  expect(none.only('media')?.sentence).toBe('No platform that fetches videos is set up.')
  wall.stop()
})

it('a certificate that browsers refuse is an error, and one that was not renewed a warning', async () => {
  const server = https.createServer({ key: LOCALHOST, cert: LOCALHOST }, (_request, answer) => answer.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens at a port
  const { only } = await examine({ PUBLIC_URL: `https://localhost:${port}` })
  expect(only('certificate')).toMatchObject({
    severity: 'error',
    sentence: 'Browsers refuse the certificate of localhost: DEPTH_ZERO_SELF_SIGNED_CERT.',
  })
  server.close()
  const life = { from: Date.parse('2026-01-01'), to: Date.parse('2026-04-01'), refused: null }
  const at = (day: string) => judgeCertificate('reelay.example.com', life, Date.parse(day)).severity
  expect(['2026-03-01', '2026-03-20', '2026-04-02'].map(at)).toEqual(['ok', 'warning', 'error'])
})

const outside = (checker: string) =>
  examine({ PUBLIC_URL: 'https://reelay.invalid', PUBLIC_URL_CHECKER: `${checker}/?url={url}` })

it('the service of PUBLIC_URL_CHECKER decides if the server can be reached from outside', async () => {
  for (const [status, severity] of [
    [204, 'ok'],
    [502, 'error'],
  ] as const) {
    const checker = await serve(status, '')
    expect((await outside(checker.url)).only('outside')?.severity).toBe(severity)
    checker.stop()
  }
  expect((await outside('http://127.0.0.1:1')).only('outside')?.severity).toBe('warning')
})

it('platforms with real keys tell their traps, and no check quotes a secret', async () => {
  const { found, find } = await examine(SECRETS)
  const tiktok = find('tiktok').map(({ severity, sentence }) => [severity, sentence.slice(0, 40)])
  expect(tiktok).toEqual([
    ['error', 'TikTok takes no redirect address like ht'],
    ['warning', 'TIKTOK_CLIENT_SECRET does not look like '],
    ['warning', 'TIKTOK_CLIENT_KEY belongs to a sandbox: '],
    ['note', 'TikTok has not audited your app: posts s'],
  ])
  expect(find('instagram').map(({ severity }) => severity)).toEqual(['error', 'warning', 'note'])
  for (const secret of [...Object.values(SECRETS), 'mailpassword', testServer.env['SECRET_KEY'] ?? ''])
    if (secret !== SECRETS.INSTAGRAM_APP_ID) expect(JSON.stringify(found)).not.toContain(secret)
})

const backup = async () => (await examine({ BACKUP_DIR: '/srv/backups' })).only('backup')

it('a backup that was never made, failed or is old is an error', async () => {
  const { db } = testServer.deps
  const now = testServer.deps.now()
  const makeAt = (at: number) =>
    recordBackup(
      db,
      '/srv/backups',
      { name: 'one', rows: 1, files: 0, bytes: 10, copiedBytes: 0, changed: [] },
      new Date(at),
    )
  expect(await backup()).toMatchObject({ severity: 'error', sentence: 'No backup was made yet.' })
  await makeAt(now - 3 * 86_400_000)
  const old = 'The last backup was made, and read back, 3 days ago.'
  expect(await backup()).toMatchObject({ severity: 'error', sentence: old })
  await recordFailedBackup(db, new Error('The disk is full.'), new Date(now))
  expect(await backup()).toMatchObject({
    severity: 'error',
    sentence: `The nightly backup failed: The disk is full. ${old}`,
  })
  await makeAt(now - 3_600_000)
  expect((await backup())?.severity).toBe('ok')
})

const send = (smtpUrl: string) =>
  sendTestMail(
    {
      ...testServer.deps,
      config: { smtpUrl, publicUrl: 'https://reelay.example' },
      mail: createMailer({ smtpUrl, mailFrom: 'reelay@example.com', mailboxDir: '/nowhere' }),
    },
    'ada@example.com',
  )

it('a test mail says what the mail server answers, without password and address', async () => {
  const server = await startMailServer({})
  expect(await send(server.url)).toMatchObject({ result: 'sent' })
  server.answerTo('ada@example.com', 550)
  expect(await send(server.url)).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('(550)') as string,
  })
  await server.close()
  const away = await send('smtp://reelay:mailpassword@127.0.0.1:1')
  expect(away).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('cannot be reached') as string,
  })
  expect(away.message).not.toContain('mailpassword')
})

it('operators read the checks and send themselves a test mail, which is recorded', async () => {
  const operator = await signUp(testServer, 'Operator')
  const { items } = await operator.call('listServerChecks', { query: {} })
  expect(items.map(({ id }) => id)).toContain('database')
  expect(await operator.call('sendTestMail')).toMatchObject({ result: 'kept' })
  const acts = await operator.call('listOperatorActs')
  expect(acts.items[0]).toMatchObject({ act: 'test_mail_sent', operator: operator.email })
})

it('a request of the operator shows a proxy that is not trusted or names no visitor', () => {
  const publicUrl = 'https://reelay.example'
  const host = 'reelay.example'
  const check = (request: Omit<Parameters<typeof checkProxy>[1], 'ip'>) =>
    checkProxy(publicUrl, { ip: '10.0.0.5', ...request }).map(({ remedy }) => remedy)
  expect(check({ via: 'proxy', host })).toEqual([])
  expect(check({ via: 'direct', host: 'localhost:4400' })).toEqual([])
  expect(check({ via: 'direct', host })).toEqual(['Let the proxy set X-Forwarded-For.'])
  expect(check({ via: 'unknown proxy', host })).toEqual([expect.stringContaining('TRUST_PROXY=10.0.0.5')])
})

it('a proxy that keeps back the stream of events is told to the operator who asks', async () => {
  const holding = http.createServer((_request, answer) => answer.writeHead(200).flushHeaders())
  holding.listen(0, '127.0.0.1')
  await once(holding, 'listening')
  const { port } = holding.address() as AddressInfo // it listens at a port
  expect(await checkStream(`http://127.0.0.1:${port}`, 'token', 500)).toMatchObject([
    { id: 'stream', severity: 'warning' },
  ])
  holding.closeAllConnections()
  holding.close()
  const operator = await signUp(testServer, 'Streaming')
  expect(await checkStream(testServer.url, operator.token)).toEqual([])
})

it('sizes and times are told in their largest unit', () => {
  expect([0, 999, 1500, 12_345_678, 3e12].map(formatBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '12.3 MB',
    '3.0 TB',
  ])
  expect([0, 1000, 90_000, 7_200_000, 300_000_000].map(formatAge)).toEqual([
    '0 seconds',
    '1 second',
    '90 seconds',
    '2 hours',
    '3 days',
  ])
})
