import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UPLOADS_PER_USER } from '#contract/limits.ts'
import { type TestServer, type Person, signUp, startTestServer } from '#test/support/test-server.ts'
import { buildApp } from '../app.ts'
import { type BodyLimits, allowUpload, watchBodies } from './request-bodies.ts'

let testServer: TestServer
let someone: Person
beforeAll(async () => {
  testServer = await startTestServer()
  someone = await signUp(testServer)
})
afterAll(() => testServer.stop())

function openLine(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // a reset is a close, too
  let received = ''
  socket.on('data', (data) => (received += data.toString('latin1')))
  const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
  const nextAnswer = async (): Promise<{ status: number; body: string } | null> => {
    for (;;) {
      const head = /^HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/.exec(received)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head?.[0] ?? '')?.[1] ?? 0)
      if (head && received.length >= head[0].length + length) {
        const body = received.slice(head[0].length, head[0].length + length)
        received = received.slice(head[0].length + length)
        return { status: Number(head[1]), body }
      }
      if (socket.closed) return null
      await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed])
    }
  }
  return { socket, closed, nextAnswer }
}

async function write(socket: Socket, ...parts: (string | Buffer)[]): Promise<void> {
  for (const part of parts)
    if (!socket.write(part) && !socket.closed)
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {}) // a reset
}

type Sent = {
  path: string
  method?: string
  token?: string | null
  type?: string
  body: string | Buffer
  headers?: string
  chunked?: true
}

async function sendRequest(socket: Socket, sent: Sent): Promise<void> {
  const {
    path,
    method = 'POST',
    token = someone.token,
    type = 'multipart/form-data; boundary=b',
    body,
  } = sent
  const framing = sent.chunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
  await write(
    socket,
    `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${framing}\r\n${sent.headers ?? ''}`,
    token === null ? '\r\n' : `authorization: Bearer ${token}\r\n\r\n`,
  )
  if (sent.chunked) await write(socket, `${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n')
  else await write(socket, body)
}

const part = (name: string, value: string | Buffer, filename?: string) =>
  Buffer.concat([
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--b--\r\n')])
const BIG = Buffer.alloc(10_000_000, 'x')
const VIDEOS = '/api/v1/videos'
const TIKTOK = '/api/v1/platforms/tiktok/video'
const POSTER = '/api/v1/videos/1/poster'
const manyParts = Array.from({ length: 60 }, (_, i) => part(`f${i}`, 'x'))

const put = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))

describe('a connection on which a request was refused serves the next one', () => {
  it.each<[string, number, Sent]>([
    ['a file of another name', 422, { path: VIDEOS, body: form(part('clip', BIG, 'a.mp4')) }],
    ['a small file of another name', 422, { path: VIDEOS, body: form(part('clip', 'x', 'a.mp4')) }],
    [
      'a second file',
      422,
      { path: VIDEOS, body: form(part('file', 'x', 'a.mp4'), part('file', BIG, 'b.mp4')) },
    ],
    [
      'a third file',
      422,
      {
        path: VIDEOS,
        body: form(...['a', 'b', 'c'].map((name) => part('file', BIG.subarray(0, 3_000_000), name))),
      },
    ],
    ['a field of 10 MB', 413, { path: TIKTOK, body: form(part('accountId', BIG)) }],
    [
      'a field of 10 MB without an announced length',
      413,
      { path: TIKTOK, body: form(part('accountId', BIG)), chunked: true },
    ],
    [
      'a field in the place of the file',
      422,
      { path: VIDEOS, body: form(part('file', 'x'), part('rest', BIG, 'x')) },
    ],
    ['too many fields', 400, { path: VIDEOS, body: form(...manyParts, part('file', BIG, 'a.mp4')) }],
    [
      'a field named like a prototype',
      400,
      { path: VIDEOS, body: form(part('__proto__', 'x'), part('file', BIG, 'a')) },
    ],
    [
      'a picture that is too large',
      413,
      { path: POSTER, method: 'PUT', body: form(part('poster', BIG, 'a.jpg')) },
    ],
    [
      'a picture that is too large without an announced length',
      413,
      { path: POSTER, method: 'PUT', body: form(part('poster', BIG, 'a.jpg')), chunked: true },
    ],
    ['a body that is no form', 400, { path: VIDEOS, body: BIG }],
    [
      'a form cut off in a part',
      400,
      { path: VIDEOS, body: form(part('file', BIG, 'a.mp4')).subarray(0, 5_000_000) },
    ],
    ['a form without boundary', 400, { path: VIDEOS, type: 'multipart/form-data', body: BIG }],
    ['a file that is no video', 422, { path: VIDEOS, body: form(part('file', BIG, 'a.mp4')) }],
    ['no token', 401, { path: VIDEOS, token: null, body: form(part('file', BIG, 'a.mp4')) }],
    [
      'no token and no announced length',
      401,
      { path: VIDEOS, token: null, body: form(part('file', BIG, 'a')), chunked: true },
    ],
    ['a token that is not good', 401, { path: TIKTOK, token: 'x', body: form(part('clip', BIG, 'a.mp4')) }],
    [
      'a path that is no number',
      400,
      { path: '/api/v1/videos/x/poster', method: 'PUT', body: form(part('poster', BIG, 'a')) },
    ],
    [
      'a key that is none',
      400,
      { path: VIDEOS, headers: 'idempotency-key: a b\r\n', body: form(part('file', BIG, 'a')) },
    ],
    ['JSON in the place of a form', 415, { path: VIDEOS, type: 'application/json', body: BIG }],
    ['a form in the place of JSON', 415, { path: '/api/v1/brands', body: form(part('file', BIG, 'a.mp4')) }],
    [
      'another multipart type',
      415,
      { path: VIDEOS, type: 'multipart/mixed; boundary=b', body: form(part('file', BIG)) },
    ],
    ['JSON of 10 MB', 413, { path: '/api/v1/brands', type: 'application/json', body: BIG }],
    [
      'JSON of 10 MB without an announced length',
      413,
      { path: '/api/v1/brands', type: 'application/json', body: BIG, chunked: true },
    ],
    ['a form where nothing is', 404, { path: '/nowhere', body: form(part('file', BIG, 'a.mp4')) }],
    ['a form to a hook', 415, { path: '/hooks/tiktok/events', body: form(part('file', BIG, 'a.mp4')) }],
    [
      'a form to the identity service',
      0,
      { path: '/identity/v1/accounts:signUp?key=x', body: form(part('file', BIG, 'a')) },
    ],
  ])(
    '%s',
    async (_what, status, sent) => {
      const line = openLine(testServer.url)
      await sendRequest(line.socket, sent)
      const answer = await line.nextAnswer()
      if (status > 0) expect(answer).toMatchObject({ status })
      await sendRequest(line.socket, { path: '/api/v1/user', method: 'GET', body: '' })
      expect(await line.nextAnswer()).toMatchObject({
        status: 200,
        body: expect.stringContaining(someone.email) as string,
      })
      line.socket.destroy()
    },
    // Less than `discardMs`, after which a connection whose body is never read ends by itself.
    25_000,
  )

  it('when the storage is full', async () => {
    const app = await buildApp({ ...testServer.deps, storage: { ...testServer.deps.storage, put } })
    const line = openLine(await app.listen({ port: 0, host: '127.0.0.1' }))
    await sendRequest(line.socket, { path: VIDEOS, body: form(part('file', BIG, 'a.mp4')) })
    expect(await line.nextAnswer()).toMatchObject({ status: 507 })
    await sendRequest(line.socket, { path: '/healthz', method: 'GET', body: '' })
    expect(await line.nextAnswer()).toMatchObject({ status: 200 })
    await app.close()
  })
})

it('a client that asks to close the connection gets the response first', async () => {
  const line = openLine(testServer.url)
  const body = form(part('file', BIG, 'a.mp4'))
  await sendRequest(line.socket, { path: VIDEOS, token: null, headers: 'connection: close\r\n', body })
  expect(await line.nextAnswer()).toMatchObject({ status: 401 })
  expect(await line.closed).toBeNull()
})

it('a request without a valid token is refused before its body arrives', async () => {
  const line = openLine(testServer.url)
  const head = `POST ${VIDEOS} HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n`
  await write(line.socket, `${head}content-length: 4000000000\r\n\r\n--b\r\n`)
  expect(await line.nextAnswer()).toMatchObject({ status: 401 })
  line.socket.destroy()
})

it('a body that waits for 100 Continue is asked for only with a valid token', async () => {
  const ask = async (token: string) => {
    const line = openLine(testServer.url)
    const head = `POST ${VIDEOS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nexpect: 100-continue\r\n`
    const body = form(part('file', 'x', 'a.mp4'))
    await write(
      line.socket,
      `${head}content-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    return { line, body, first: await line.nextAnswer() }
  }
  const refused = await ask('no-token')
  expect(refused.first).toMatchObject({ status: 401 })
  expect(await refused.line.closed).toBeNull()
  const { line, body, first } = await ask(someone.token)
  expect(first).toMatchObject({ status: 100 })
  await write(line.socket, body)
  expect(await line.nextAnswer()).toMatchObject({ status: 422 })
  line.socket.destroy()
})

const sendNoVideo = async (who: Person) => {
  const body = form(part('file', 'x', 'a.mp4'))
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return (await who.request('/videos', { method: 'POST', body, headers })).status
}

it('concurrent uploads per user are limited', async () => {
  const busy = await signUp(testServer, 'Busy')
  const begin = async (who: Person) => {
    const line = openLine(testServer.url)
    const head = `POST ${VIDEOS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${who.token}\r\ncontent-type: multipart/form-data; boundary=b\r\n`
    await write(line.socket, `${head}content-length: 1000000\r\n\r\n--b\r\n`)
    return line
  }
  const lines = await Promise.all(Array.from({ length: UPLOADS_PER_USER + 1 }, () => begin(busy)))
  const refused = await Promise.race(lines.map(async (line) => ({ line, answer: await line.nextAnswer() })))
  expect(refused.answer).toMatchObject({ status: 429 })
  // The 422 shows that the file was received before it was refused.
  expect([await sendNoVideo(busy), await sendNoVideo(someone)]).toEqual([429, 422])
  lines.find((line) => line !== refused.line)?.socket.destroy()
  await expect.poll(() => sendNoVideo(busy)).toBe(422)
  for (const { socket } of lines) socket.destroy()
})

const LIMITS: BodyLimits = {
  totalMs: 400,
  idleMs: 150,
  uploadIdleMs: 150,
  uploadBytes: 100,
  discardMs: 300,
  discardBytes: 3_000_000,
  checkMs: 20,
}
const NEVER = 3_600_000

async function startServer(limits: Partial<BodyLimits>) {
  const app = fastify({ bodyLimit: 1_000_000_000 })
  watchBodies(app, { ...LIMITS, ...limits })
  app.post('/small', async () => 'small')
  const never = new Promise<never>(() => {})
  app.addContentTypeParser('upload/file', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.post('/upload', (request) => {
    allowUpload(request.raw)
    return never
  })
  app.post(
    '/refused',
    { onRequest: async (_request, reply) => reply.status(401).send('no') },
    async () => 'never',
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = async (first: string) => {
    const line = openLine(url)
    await write(line.socket, first)
    return line
  }
  const begin = (path: string, type: string, first = 'x') =>
    open(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 900000000\r\n\r\n${first}`,
    )
  return { app, begin, open, url }
}

async function trickle(
  { socket, closed }: ReturnType<typeof openLine>,
  bytes: string | Buffer,
): Promise<void> {
  const timer = setInterval(() => socket.write(bytes), 40)
  await closed
  clearInterval(timer)
}

describe('a slow body is cut off', () => {
  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=b', 'multipart/mixed', ''])(
    'when it stands still, as %j',
    async (type) => {
      const { app, begin } = await startServer({ totalMs: NEVER, discardMs: 200 })
      expect(await (await begin('/small', type)).closed).toBeNull()
      await app.close()
    },
  )

  it('when it takes too long byte by byte', async () => {
    const { app, begin } = await startServer({ idleMs: NEVER })
    await trickle(await begin('/small', 'application/json'), '1')
    await app.close()
  })

  it('when an upload stalls or trickles', async () => {
    const { app, begin } = await startServer({ totalMs: NEVER, idleMs: NEVER })
    expect(await (await begin('/upload', 'upload/file')).closed).toBeNull()
    await trickle(await begin('/upload', 'upload/file'), 'x')
    await app.close()
  })

  it('when it continues after a refusal', async () => {
    const { app, begin } = await startServer({ idleMs: NEVER, discardBytes: NEVER })
    await trickle(await begin('/refused', 'text/plain'), 'x')
    await app.close()
  })

  it.each([
    ['to an address that cannot be read', 'POST /%zz', ''],
    ['with an expectation that is not met', 'POST /small', 'expect: more\r\n'],
  ])('when it continues after a refusal %s', async (_what, line, header) => {
    const { app, open } = await startServer({ idleMs: NEVER, discardBytes: NEVER })
    await trickle(await open(`${line} HTTP/1.1\r\nhost: x\r\n${header}content-length: 9000\r\n\r\n`), 'x')
    await app.close()
  })

  it('when more follows a refusal than is drained', async () => {
    const { app, begin } = await startServer({ idleMs: NEVER, discardMs: NEVER })
    await trickle(await begin('/refused', 'text/plain'), Buffer.alloc(1_000_000))
    await app.close()
  })

  it('but not an upload in progress or a slow response', async () => {
    const { app, begin, url } = await startServer({ totalMs: 1_000, idleMs: NEVER, uploadIdleMs: NEVER })
    const upload = await begin('/upload', 'upload/file')
    const timer = setInterval(() => upload.socket.write(Buffer.alloc(10_000)), 20)
    await expect.poll(() => upload.socket.bytesWritten).toBeGreaterThan(1_000_000)
    clearInterval(timer)
    expect(upload.socket.closed).toBe(false)
    const small = await fetch(`${url}/small`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await small.text()).toBe('small')
    upload.socket.destroy()
    await app.close()
  })
})
