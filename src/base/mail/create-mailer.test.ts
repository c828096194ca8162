import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startMailServer } from '#test/support/mail-server.ts'
import type { MailServer } from '#test/support/mail-server.ts'
import { createMailer } from './create-mailer.ts'

const mail = {
  to: 'somebody@example.test',
  subject: 'A subject, déjà vu',
  text: 'Plain.\n',
  html: '<p>Plain.</p>',
  key: '0b0f3c0e-8f6c-4a52-b7ab-6a2f6c0d4f11',
  at: new Date('2026-11-20T10:00:00Z'),
}
const mailFrom = 'Reelay <reelay@example.test>'

test('without a mail server each mail becomes one private file, even when sent twice', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-mail-'))
  const mailboxDir = path.join(dir, 'mailbox')
  const mailer = createMailer({ smtpUrl: null, mailFrom, mailboxDir })
  expect(await mailer.send(mail)).toEqual({ kind: 'taken' })
  await mailer.send(mail)
  const { html: _html, ...plain } = mail
  await mailer.send({ ...plain, key: '7d3cf2a1-2f0f-4e3a-9a55-0f4d6e6f9c22' })
  const names = (await readdir(mailboxDir)).toSorted()
  expect(names).toEqual([`1795168800000-${mail.key}.json`, expect.stringMatching(/^1795168800000-7d3c/)])
  for (const name of names) {
    const file = path.join(mailboxDir, name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const content = JSON.parse(await readFile(file, 'utf8')) as { html: string | null }
    expect(content).toEqual({
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      html: content.html === null ? null : mail.html,
      from: mailFrom,
      at: '2026-11-20T10:00:00.000Z',
    })
  }
  await rm(dir, { recursive: true })
})

test('files of mails are deleted by one that is 90 days newer', async () => {
  const mailboxDir = await mkdtemp(path.join(tmpdir(), 'reelay-mail-'))
  const mailer = createMailer({ smtpUrl: null, mailFrom, mailboxDir })
  await mailer.send({ ...mail, key: 'older', at: new Date('2026-08-22T09:59:59Z') })
  await mailer.send({ ...mail, key: 'old', at: new Date('2026-08-22T10:00:00Z') })
  await mailer.send({ ...mail, key: 'new' })
  expect(await readdir(mailboxDir)).toEqual([
    expect.stringMatching(/-old\.json$/),
    expect.stringMatching(/-new\.json$/),
  ])
  await rm(mailboxDir, { recursive: true })
})

const sendTo = (smtpUrl: string) => createMailer({ smtpUrl, mailFrom, mailboxDir: '/nowhere' }).send(mail)

describe('with a mail server', () => {
  let server: MailServer | null = null
  const start = async (options: Parameters<typeof startMailServer>[0]) =>
    (server = await startMailServer(options))
  afterEach(() => server?.close())

  test('a mail is sent as text and HTML, with the same Message-ID at each attempt', async () => {
    const { url, taken } = await start({})
    expect(await sendTo(url)).toEqual({ kind: 'taken' })
    await sendTo(url)
    expect(taken).toHaveLength(2)
    for (const each of taken) {
      expect(each).toMatchObject({
        from: 'reelay@example.test',
        to: ['somebody@example.test'],
        encrypted: false,
      })
      expect(each.raw).toContain(`Message-ID: <${mail.key}@example.test>`)
      expect(each.raw).toContain('Date: Fri, 20 Nov 2026 10:00:00 +0000')
      expect(each.raw).toContain('From: Reelay <reelay@example.test>')
      expect(each.raw).toContain('To: somebody@example.test')
      expect(each.raw).toContain('Subject: =?UTF-8?')
      expect(each.raw).toContain('Auto-Submitted: auto-generated')
      expect(each.raw).toContain('Content-Type: text/plain')
      expect(each.raw).toContain('Content-Type: text/html')
    }
  })

  test('a mail that can be ended says how, for one click', async () => {
    const { url, taken } = await start({})
    const unsubscribeUrl = 'https://reelay.example.test/unsubscribe/abc'
    const mailer = createMailer({ smtpUrl: url, mailFrom, mailboxDir: '/nowhere' })
    await mailer.send({ ...mail, unsubscribeUrl })
    await mailer.send(mail)
    const [ending, other] = taken
    expect(ending?.raw).toContain(`List-Unsubscribe: <${unsubscribeUrl}>`)
    expect(ending?.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(other?.raw).not.toContain('List-Unsubscribe')
  })

  test('TLS and authentication are used where the server offers them', async () => {
    const { url, taken } = await start({ login: { user: 'reelay', password: 'p@ss' }, starttls: true })
    expect(await sendTo(`${url}?tls.rejectUnauthorized=false`)).toEqual({ kind: 'taken' })
    expect(taken).toMatchObject([{ encrypted: true, user: 'reelay' }])
  })

  test('nothing is sent to a server with an untrusted certificate', async () => {
    const { url, taken } = await start({ login: { user: 'reelay', password: 'p@ss' }, starttls: true })
    await expect(sendTo(url)).rejects.toThrow('certificate')
    expect(taken).toEqual([])
  })

  test('a permanently refused address is distinguished from a temporary refusal', async () => {
    const { url, answerTo } = await start({})
    answerTo('somebody@example.test', 550)
    expect(await sendTo(url)).toEqual({ kind: 'refused', status: 550 })
    answerTo('somebody@example.test', 451)
    await expect(sendTo(url)).rejects.toMatchObject({ responseCode: 451 })
  })

  test('a wrong password or an unreachable server throws, so that the mail is retried', async () => {
    const { url } = await start({ login: { user: 'reelay', password: 'p@ss' }, starttls: true })
    const wrong = url.replace('p%40ss', 'wrong')
    await expect(sendTo(`${wrong}?tls.rejectUnauthorized=false`)).rejects.toMatchObject({ responseCode: 535 })
    await server?.close()
    server = null
    await expect(sendTo(url)).rejects.toThrow('ECONNREFUSED')
  })
})
