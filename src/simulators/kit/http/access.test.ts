import { request } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPractice, type Practice } from '../../practice.ts'
import { tempDir } from '../../test-client.ts'

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Not `fetch`, which sets Host and Origin itself. */
const send = (practice: Practice, path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ port: practice.port, host: '127.0.0.1', path, method, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.once('error', reject)
    sent.end(body)
  })

const mailboxDir = tempDir()
writeFileSync(join(mailboxDir, '1.json'), JSON.stringify({ subject: 'Reset', html: '<p>x</p>', at: '' }))
const json = { 'content-type': 'application/json' }
const settings = { method: 'POST', body: '{"hooks":"off"}' }

describe('on a loopback address', () => {
  let practice: Practice
  beforeAll(async () => {
    practice = await startPractice({ port: 0, dir: tempDir(), mailboxDir })
  })
  afterAll(() => practice.close())

  test.each([
    '/',
    '/mailbox',
    '/mailbox/1.json',
    '/mailbox/1.json/html',
    '/_control/mails',
    '/%5fcontrol/mails',
  ])('%s answers to loopback names only', async (path) => {
    for (const host of ['localhost', 'LOCALHOST:4401', '127.0.0.1:4401', '[::1]:4401', 'a.localhost'])
      expect([host, await send(practice, path, { headers: { host } })]).toEqual([host, 200])
    for (const host of [
      'evil.example',
      'evil.example:4401',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '10.0.0.1',
    ])
      expect([host, await send(practice, path, { headers: { host } })]).toEqual([host, 403])
  })

  test('a control call from a page of another origin is refused', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1'])
      expect(await send(practice, '/_control/settings', { ...settings, headers: { ...json, origin } })).toBe(
        403,
      )
    const origin = `http://127.0.0.1:${practice.port}`
    expect(await send(practice, '/_control/settings', { ...settings, headers: { ...json, origin } })).toBe(
      200,
    )
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'a control call with a body of type "%s" is refused',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      expect(await send(practice, '/_control/settings', { ...settings, headers })).toBe(415)
    },
  )
})

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

const startOn = (token?: string): Promise<Practice> =>
  startPractice({
    port: 0,
    host: '0.0.0.0',
    dir: tempDir(),
    mailboxDir,
    ...(token === undefined ? {} : { token }),
  })

describe('on another address', () => {
  const paths = ['/mailbox', '/mailbox/1.json', '/_control/mails']

  test('mailbox and control surface are closed without a-token', async () => {
    const practice = await startOn()
    for (const path of paths) expect(await send(practice, path)).toBe(403)
    expect(await send(practice, '/', { headers: { host: 'practice.example' } })).toBe(200)
    await practice.close()
  })

  test('mailbox and control surface take the token as bearer and as password', async () => {
    const practice = await startOn('a-token')
    for (const path of paths) {
      const status = (authorization: string) => send(practice, path, { headers: { authorization } })
      expect(await send(practice, path)).toBe(401)
      expect(await status('Bearer another')).toBe(401)
      expect(await status(basic('anyone:another'))).toBe(401)
      expect(await status('Bearer a-token')).toBe(200)
      expect(await status(basic('anyone:a-token'))).toBe(200)
    }
    await practice.close()
  })
})
