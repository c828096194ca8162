import { createHash, randomFillSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { call, neverArrived, parseJson, putRange, quoteIds } from './http.ts'
import { listening, scriptedServer } from './scripted-server.ts'
import type { ScriptedServer } from './scripted-server.ts'

const servers: ScriptedServer[] = []
const keep = (server: ScriptedServer): ScriptedServer => {
  servers.push(server)
  return server
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
const never = new AbortController().signal
const KIB = 1024
const MIB = 1024 * KIB

function bytes(length: number, taken: { bytes: number } = { bytes: 0 }): Readable {
  return Readable.from(
    (function* () {
      for (let left = length; left > 0; left -= 64 * KIB) {
        const part = Buffer.alloc(Math.min(64 * KIB, left), 7)
        taken.bytes += part.length
        yield part
      }
    })(),
    { objectMode: false },
  )
}

const trickle = (): Readable =>
  Readable.from(
    (async function* () {
      for (;;) {
        yield Buffer.alloc(KIB)
        await pause(10)
      }
    })(),
    { objectMode: false },
  )

test('a form is sent encoded, with the bearer token in the header', async () => {
  const server = keep(await scriptedServer({ '/x': [{ body: '{}' }] }))
  const reply = await call({
    method: 'POST',
    url: `${server.url}/x`,
    bearer: 'act.1',
    form: { code: 'a*1!46&8', text: '#ü' },
  })
  expect(reply.kind).toBe('answered')
  expect(server.requests[0]?.headers['content-type']).toContain('application/x-www-form-urlencoded')
  expect(server.requests[0]?.headers.authorization).toBe('Bearer act.1')
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    code: 'a*1!46&8',
    text: '#ü',
  })
})

test('a redirect is not followed', async () => {
  const server = keep(
    await scriptedServer({
      '/x': [{ status: 302, headers: { location: '/y' }, body: '' }],
      '/y': [{ body: '{}' }],
    }),
  )
  const reply = await call({ method: 'POST', url: `${server.url}/x`, json: {} })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'redirect_302', maybeExecuted: true })
  expect(server.requests).toHaveLength(1)
})

test('a refused connection is definite, a broken one is not', async () => {
  const silent = keep(await listening([], (request) => request.socket.destroy()))
  expect(await call({ method: 'POST', url: `${silent.url}/x`, json: {} })).toMatchObject({
    kind: 'unreachable',
    maybeExecuted: true,
  })
  await silent.close()
  expect(await call({ method: 'POST', url: `${silent.url}/x`, json: {} })).toEqual({
    kind: 'unreachable',
    cause: 'ECONNREFUSED',
    maybeExecuted: false,
  })
})

test('a time-out is a value, even in the middle of a body', async () => {
  const slow = keep(
    await listening([], (_request, response) => {
      response.writeHead(200)
      response.write('{')
    }),
  )
  const reply = await call({ method: 'GET', url: slow.url, timeoutMs: 100 })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'timeout', maybeExecuted: true })
})

test('an abort is a value', async () => {
  const abort = new AbortController()
  const slow = keep(await listening([], () => abort.abort()))
  const reply = await call({ method: 'GET', url: slow.url, signal: abort.signal })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'aborted', maybeExecuted: true })
  const late = await call({ method: 'GET', url: slow.url, signal: abort.signal })
  expect(late).toEqual({ kind: 'unreachable', cause: 'aborted', maybeExecuted: false })
})

test('a range is sent with its exact length and without chunked encoding', async () => {
  const server = keep(await scriptedServer({ '/u': [{ status: 201, body: 'ok' }] }))
  const reply = await putRange({
    url: `${server.url}/u?token=1`,
    headers: { 'content-type': 'video/mp4' },
    length: 300_000,
    body: () => Promise.resolve(bytes(300_000)),
    signal: never,
  })
  expect(reply).toMatchObject({ kind: 'answered', status: 201, text: 'ok' })
  expect(server.requests[0]?.headers['content-length']).toBe('300000')
  expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined()
  expect(server.requests[0]?.body.length).toBe(300_000)
})

const localhost = readFileSync(new URL('../../../test/fixtures/localhost.pem', import.meta.url))
const transports = {
  http: () => createServer(),
  https: () => createTlsServer({ key: localhost, cert: localhost }),
}

test.for(['http', 'https'] as const)('a slow reader gets every byte of a body over %s', async (scheme) => {
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, localhost])
  onTestFinished(() => setDefaultCACertificates(trusted))
  const received = createHash('sha256')
  const read = async (request: IncomingMessage) => {
    for await (const part of request) {
      received.update(part as Buffer)
      await pause(1)
    }
  }
  const server = transports[scheme]()
  server.on('request', (request, response) => void read(request).then(() => response.writeHead(201).end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const sent = createHash('sha256')
  const pieces: Buffer[] = []
  const body = Readable.from(
    (function* () {
      for (let i = 0; i < 24; i++) {
        const piece = randomFillSync(Buffer.alloc(MIB))
        sent.update(piece)
        pieces.push(piece)
        yield piece
      }
    })(),
    { objectMode: false },
  )
  const { port } = server.address() as AddressInfo
  const reply = await putRange({
    url: `${scheme}://127.0.0.1:${port}/u`,
    headers: {},
    length: 24 * MIB,
    body: () => Promise.resolve(body),
    signal: never,
  })
  expect(reply).toMatchObject({ kind: 'answered', status: 201 })
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect(pieces.map(({ length }) => length)).toEqual(pieces.map(() => 0))
})

test('an early response counts and stops the upload', async () => {
  const early = keep(
    await listening([], (request, response) => {
      request.once('data', () => {
        request.pause()
        response.writeHead(403)
        response.end('expired')
      })
    }),
  )
  const taken = { bytes: 0 }
  const body = bytes(200 * MIB, taken)
  const reply = await putRange({
    url: early.url,
    headers: {},
    length: 200 * MIB,
    body: () => Promise.resolve(body),
    signal: never,
  })
  expect(reply).toMatchObject({ kind: 'answered', status: 403, text: 'expired' })
  expect(taken.bytes).toBeLessThan(50 * MIB)
  expect(body.destroyed).toBe(true)
})

test('an abort during a body closes connection and file', async () => {
  const abort = new AbortController()
  const gone = Promise.withResolvers<boolean>()
  const server = keep(
    await listening([], (request) => {
      request.on('error', () => undefined)
      request.on('close', () => gone.resolve(request.complete))
      request.once('data', () => abort.abort())
    }),
  )
  const body = trickle()
  const reply = await putRange({
    url: server.url,
    headers: {},
    length: MIB,
    body: () => Promise.resolve(body),
    signal: abort.signal,
  })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'aborted', maybeExecuted: true })
  expect(body.destroyed).toBe(true)
  expect(await gone.promise).toBe(false)
})

test('a file that is too short never arrives complete', async () => {
  const server = keep(await scriptedServer({ '/u': [{ status: 201, body: '' }] }))
  const reply = await putRange({
    url: `${server.url}/u`,
    headers: {},
    length: 1000,
    body: () => Promise.resolve(bytes(999)),
    signal: never,
  })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'storage_short', maybeExecuted: false })
  expect(server.requests).toHaveLength(0)
})

const brokenAfter = (sent: number): Readable =>
  Readable.from(
    (async function* () {
      yield* bytes(sent)
      throw new Error('disk')
    })(),
    { objectMode: false },
  )

test('a file that fails is definitely not sent unless all bytes were out', async () => {
  const server = keep(await scriptedServer({ '/u': [{ status: 201, body: '' }] }))
  const put = (sent: number) =>
    putRange({
      url: `${server.url}/u`,
      headers: {},
      length: 1000,
      body: () => Promise.resolve(brokenAfter(sent)),
      signal: never,
    })
  expect(await put(999)).toEqual({ kind: 'unreachable', cause: 'storage_error', maybeExecuted: false })
  // The last byte may have been sent, so the outcome is unknown.
  expect(await put(1000)).toMatchObject({ kind: 'unreachable', maybeExecuted: true })
})

const lost = (syscall: string) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('no route'), { code: 'EHOSTUNREACH', syscall }),
  })

test('a lost route is definite before the connection, not during a call', () => {
  expect(neverArrived(lost('connect'))).toBe(true)
  expect(neverArrived(lost('read'))).toBe(false)
  expect(neverArrived(new AggregateError([lost('connect').cause, lost('connect').cause]))).toBe(true)
})

test('a file that cannot be opened is definitely not sent', async () => {
  const reply = await putRange({
    url: 'http://127.0.0.1:9/',
    headers: {},
    length: 1,
    body: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' })),
    signal: never,
  })
  expect(reply).toEqual({ kind: 'unreachable', cause: 'storage_ENOENT', maybeExecuted: false })
})

test('ids keep every digit, in lists too, and only under their keys', () => {
  const text =
    '{"id": 17841400000000001,"list":[7678907398077074696, 12],"other":17841400000000001,"f":{"id":1.5}}'
  expect(parseJson(text, ['id', 'list'])).toEqual({
    id: '17841400000000001',
    list: ['7678907398077074696', '12'],
    other: 17841400000000000,
    f: { id: 1.5 },
  })
  expect(quoteIds('{"id":"17841400000000001","list":[]}', ['id', 'list'])).toBe(
    '{"id":"17841400000000001","list":[]}',
  )
  expect(parseJson('<html>', [])).toBeUndefined()
})

test('a string that looks like an id is unchanged', () => {
  const text = JSON.stringify({ caption: 'say "id": 12345678901234567 aloud' })
  expect(parseJson(text, ['id'])).toEqual({ caption: 'say "id": 12345678901234567 aloud' })
})
