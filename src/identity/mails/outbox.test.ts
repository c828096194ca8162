import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  sendPasswordResetEmail,
  verifyPasswordResetCode,
} from '@firebase/auth'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { admitAll, codeIn, PASSWORD, encrypter, startIdentity } from '#test/support/identity.ts'
import type { IdentityFixture } from '#test/support/identity.ts'
import type { SendResult, Mail, Mailer } from '#base/mail/mail.ts'
import { createMailbox } from '#base/mail/mailbox.ts'
import { createMailOutbox } from './outbox.ts'

const HOUR_MS = 3_600_000
const busy = Object.assign(new Error('greylisted somebody@example.test'), {
  code: 'EENVELOPE',
  responseCode: 451,
})

function mailServer(answer: (mail: Mail) => Promise<SendResult>) {
  const given: Mail[] = []
  return { given, send: (mail: Mail) => (given.push(mail), answer(mail)) }
}
const taking = () => mailServer(() => Promise.resolve({ kind: 'taken' }))
const notNow = () => mailServer(() => Promise.reject(busy))

async function withRequest(email: string) {
  const [stuck, begun] = [Promise.withResolvers<SendResult>(), Promise.withResolvers<null>()]
  const service = await startIdentity({ mail: { send: () => (begun.resolve(null), stuck.promise) } })
  const auth = service.browser()
  await createUserWithEmailAndPassword(auth, email, PASSWORD)
  await sendPasswordResetEmail(auth, email)
  await begun.promise
  const close = async () => {
    stuck.reject(busy)
    await service.close()
  }
  return { service, auth, close }
}

const requests = ({ db }: IdentityFixture) =>
  db.selectFrom('identity_mail_requests').selectAll().orderBy('request_id').execute()

const dueAt = async (service: IdentityFixture) => (await requests(service))[0]?.due_at.getTime() ?? null

async function look(service: IdentityFixture, mail: Mailer, log = pino({ level: 'error' })) {
  const { db, now, publicUrl } = service
  const round = createMailOutbox({
    db,
    mail,
    log,
    now,
    publicUrl,
    apiKey: 'reelay',
    encrypter,
    admit: admitAll,
  })
  round.start()
  await round.stop()
}

test('a failed mail is retried unchanged by any process', async () => {
  const { service, close } = await withRequest('retry@example.test')
  const [first, second, third] = [notNow(), taking(), taking()]
  await look(service, first)
  expect(first.given).toEqual([])
  service.advance(60_000)
  await look(service, first)
  expect(first.given).toMatchObject([{ to: 'retry@example.test' }])
  service.advance(60_000)
  await look(service, second)
  expect(second.given).toEqual(first.given)
  await look(service, third)
  expect(third.given).toEqual([])
  expect(await requests(service)).toEqual([])
  await close()
})

test('retry delays grow to an hour, and a mail is dropped after a day', async () => {
  const { service, close } = await withRequest('late@example.test')
  const never = notNow()
  const waits: number[] = []
  let due = await dueAt(service)
  while (due !== null) {
    waits.push((due - service.now()) / 60_000)
    service.advance(due - service.now())
    await look(service, never)
    due = await dueAt(service)
  }
  expect(waits.slice(0, 8)).toEqual([1, 1, 2, 5, 10, 30, 60, 60])
  expect(never.given).toHaveLength(29)
  expect(await requests(service)).toEqual([])
  await close()
})

test('a code that expired while its mail waited is replaced', async () => {
  const { service, auth, close } = await withRequest('slow@example.test')
  service.advance(HOUR_MS - 1)
  const [early, late] = [notNow(), taking()]
  await look(service, early)
  service.advance(HOUR_MS)
  await look(service, late)
  const [old, good] = [...early.given, ...late.given].map(codeIn)
  expect(good).not.toBe(old)
  await expect(verifyPasswordResetCode(auth, old ?? '')).rejects.toThrow('expired-action-code')
  expect(await verifyPasswordResetCode(auth, good ?? '')).toBe('slow@example.test')
  await close()
})

test('a mail whose code was used is not sent again', async () => {
  const { service, auth, close } = await withRequest('used@example.test')
  const lost = notNow()
  service.advance(60_000)
  await look(service, lost)
  await confirmPasswordReset(auth, codeIn(lost.given[0] ?? { text: '' }), 'a new password')
  service.advance(60_000)
  const next = taking()
  await look(service, next)
  expect(next.given).toEqual([])
  expect(await requests(service)).toEqual([])
  await close()
})

test('a rejected mail is dropped, and the log contains neither address nor code', async () => {
  const { service, close } = await withRequest('gone@example.test')
  service.advance(60_000)
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const refusing = mailServer(() => Promise.resolve({ kind: 'refused', status: 550 }))
  const failing = notNow()
  await look(service, failing, log)
  service.advance(60_000)
  await look(service, refusing, log)
  expect(await requests(service)).toEqual([])
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { purpose: 'password_reset', attempts: 2, code: 'EENVELOPE', responseCode: 451 },
    { purpose: 'password_reset', attempts: 3, status: 550 },
  ])
  expect(lines.join()).not.toContain('example.test')
  expect(lines.join()).not.toContain(codeIn(refusing.given[0] ?? { text: '' }))
  await close()
})

test('codes of waiting mails are stored encrypted', async () => {
  const { service, close } = await withRequest('encrypted@example.test')
  service.advance(60_000)
  const server = notNow()
  await look(service, server)
  const code = codeIn(server.given[0] ?? { text: '' })
  const [request] = await requests(service)
  expect(encrypter.decrypt(request?.code ?? Buffer.alloc(0))).toBe(code)
  expect(request?.code?.toString('latin1')).not.toContain(code)
  await close()
})

test('a mail written twice is in the mailbox once', async () => {
  const { service, close } = await withRequest('once@example.test')
  service.advance(60_000)
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-mailbox-'))
  const mailbox = createMailbox({ dir, from: 'reelay@example.test' })
  // As if the process had died after writing the file.
  const forgetful: Mailer = { send: (mail) => mailbox.send(mail).then(() => Promise.reject(busy)) }
  await look(service, forgetful)
  expect(await readdir(dir)).toHaveLength(1)
  service.advance(60_000)
  await look(service, mailbox)
  expect(await readdir(dir)).toHaveLength(1)
  await rm(dir, { recursive: true })
  expect(await requests(service)).toEqual([])
  await close()
})

test('expired rows are deleted after a day', async () => {
  const { service, auth, close } = await withRequest('sweep@example.test')
  service.advance(60_000)
  const server = taking()
  await look(service, server)
  const code = codeIn(server.given[0] ?? { text: '' })
  service.advance(24 * HOUR_MS)
  await look(service, server)
  await expect(verifyPasswordResetCode(auth, code)).rejects.toThrow('expired-action-code')
  service.advance(2 * HOUR_MS)
  await look(service, server)
  await expect(verifyPasswordResetCode(auth, code)).rejects.toThrow('invalid-action-code')
  await close()
})

test('a known address expires after 90 days without a log-in', async () => {
  const { service, close } = await withRequest('away@example.test')
  const known = () => service.db.selectFrom('identity_known_addresses').select('last_seen_at').execute()
  service.advance(89 * 24 * HOUR_MS)
  await look(service, taking())
  expect(await known()).toHaveLength(1)
  service.advance(2 * 24 * HOUR_MS)
  await look(service, taking())
  expect(await known()).toEqual([])
  await close()
})
