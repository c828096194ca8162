import { request } from 'node:http'
import { connect } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { startWebhookFixture, OK } from '#test/support/webhook-fixture.ts'

const { testServer, tiktokSignature, sendTikTok, removed } = startWebhookFixture()

it('a signed call is accepted with any content type, or none', async () => {
  const text = removed('-000nobody')
  const statusFor = (type: string | null) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        'tiktok-signature': tiktokSignature(text),
        ...(type !== null && { 'content-type': type }),
      }
      const call = request(
        `${testServer().url}/hooks/tiktok/events`,
        { method: 'POST', headers },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      call.on('error', reject)
      call.end(text)
    })
  const types = [
    null,
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/octet-stream',
  ]
  expect(await Promise.all(types.map(statusFor))).toEqual(types.map(() => 200))
})

describe('forged and broken calls', () => {
  it('are answered 4xx', async () => {
    const body = 'a=b'
    const type = (value: string) => ({ body, headers: { 'content-type': value } })
    const statuses: Record<string, number> = {}
    const tries: Record<string, [string, RequestInit]> = {
      'an unknown platform': ['/hooks/myspace/events', { body }],
      'a hook that the platform does not have': ['/hooks/tiktok/deauthorize', { body }],
      'a name that every object has': ['/hooks/tiktok/constructor', { body }],
      'another such name': ['/hooks/instagram/__proto__', { body }],
      'no name': ['/hooks/tiktok/', { body }],
      'a platform that is none': ['/hooks/constructor/name', { body }],
      'no body': ['/hooks/tiktok/events', {}],
      'no body for the other': ['/hooks/instagram/delete-data', {}],
      'more than 64 KB': ['/hooks/tiktok/events', { body: 'x'.repeat(65_537) }],
      'a file': ['/hooks/instagram/delete-data', type('multipart/form-data; boundary=x')],
      'a type that is no type': ['/hooks/tiktok/events', type('nonsense;;;')],
      'an unknown type': ['/hooks/tiktok/events', type('application/xml')],
      'another method': ['/hooks/tiktok/events', { method: 'PUT', body }],
      'a question': ['/hooks/tiktok/events', { method: 'GET' }],
    }
    for (const [what, [path, init]] of Object.entries(tries)) {
      const answer = await fetch(`${testServer().url}${path}`, { method: 'POST', ...init })
      await answer.text()
      statuses[what] = answer.status
    }
    expect(statuses).toEqual({
      'an unknown platform': 404,
      'a hook that the platform does not have': 404,
      'a name that every object has': 404,
      'another such name': 404,
      'no name': 404,
      'a platform that is none': 404,
      'no body': 403,
      'no body for the other': 403,
      'more than 64 KB': 413,
      'a file': 415,
      'a type that is no type': 415,
      'an unknown type': 403,
      'another method': 404,
      'a question': 404,
    })
  })

  it('that break off inside the body leave the server unchanged', async () => {
    const port = Number(new URL(testServer().url).port)
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /hooks/tiktok/events HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"half"')
        socket.end()
      })
      socket.on('close', () => resolve())
      socket.resume()
    })
    expect(await sendTikTok('{}')).toEqual(OK)
  })

  it('are rate-limited after many refusals, while genuine calls from there still count', async () => {
    const from = '203.0.113.9'
    const forged = () => sendTikTok('{}', 't=1,s=2', from)
    const statuses = new Set<number>()
    for (let n = 0; n < 30; n += 1) statuses.add((await forged()).status)
    expect([...statuses]).toEqual([403])
    expect((await forged()).status).toBe(429)
    expect(await sendTikTok('{}', tiktokSignature('{}'), from)).toEqual(OK)
    expect((await sendTikTok('{}', 't=1,s=2', '203.0.113.10')).status).toBe(403)
  })

  it('write no secret, signature or name to the log', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const app = await buildApp({ ...testServer().deps, log })
    const body = removed('-000somebody')
    const good = tiktokSignature(body)
    for (const header of [good, good.replace(/.$/, 'x'), 't=1,s=00']) {
      await app.inject({
        method: 'POST',
        url: '/hooks/tiktok/events',
        payload: body,
        headers: { 'content-type': 'application/json', 'tiktok-signature': header },
      })
    }
    await app.close()
    const said = lines.join('')
    expect(said).toContain('was refused')
    for (const secret of ['practice-tiktok-secret', '-000somebody', good.slice(-64), 'authorization.removed'])
      expect(said).not.toContain(secret)
  })
})
