import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createMailer } from './create-mailer.ts'

const mail = { to: 'somebody@example.test', subject: 'A subject', text: 'Plain.\n', html: '<p>Plain.</p>' }
const mailFrom = 'Reelay <reelay@example.test>'

test('without a mail server a mail is a file that only we read', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-mail-'))
  const mailboxDir = path.join(dir, 'mailbox')
  const at = Date.parse('2026-11-20T10:00:00Z')
  const mailer = createMailer({ smtpUrl: null, mailFrom, mailboxDir }, () => at)
  await mailer.send(mail)
  await mailer.send({ to: mail.to, subject: mail.subject, text: mail.text })
  const names = await readdir(mailboxDir)
  expect(names).toHaveLength(2)
  for (const name of names) {
    expect(name).toMatch(/^1795168800000-[0-9a-f]{12}\.json$/)
    const file = path.join(mailboxDir, name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const content = JSON.parse(await readFile(file, 'utf8')) as { html: string | null }
    expect(content).toEqual({
      ...mail,
      html: content.html === null ? null : mail.html,
      from: mailFrom,
      at: '2026-11-20T10:00:00.000Z',
    })
  }
  await rm(dir, { recursive: true })
})

test('with a mail server it is handed over there', async () => {
  const server = await startSmtp()
  const mailer = createMailer({ smtpUrl: server.url, mailFrom, mailboxDir: '/nowhere' }, Date.now)
  await mailer.send(mail)
  const received = server.received()
  expect(received).toContain('MAIL FROM:<reelay@example.test>')
  expect(received).toContain('RCPT TO:<somebody@example.test>')
  expect(received).toContain('Subject: A subject')
  expect(received).toContain('Plain.')
  await server.close()
  await expect(mailer.send(mail)).rejects.toThrow('ECONNREFUSED')
})

/** As much of a mail server as a client needs to say its piece. */
async function startSmtp() {
  let received = ''
  let inData = false
  const talk = (socket: Socket) => {
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (inData) {
        if (!received.endsWith('\r\n.\r\n')) return
        inData = false
        socket.write('250 taken\r\n')
        return
      }
      const command = chunk.toString().slice(0, 4).toUpperCase()
      inData = command === 'DATA'
      socket.write(inData ? '354 go on\r\n' : command === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
    })
    socket.on('error', () => socket.destroy())
  }
  const server = createServer(talk)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return {
    url: `smtp://127.0.0.1:${port}`,
    received: () => received,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
