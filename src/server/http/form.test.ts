import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import multipart from '@fastify/multipart'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '#contract/http/endpoint.ts'
import { receiveForm } from './form.ts'
import { Problem } from '#base/problem.ts'
import { watchBodies } from './request-bodies.ts'
import { openDisk } from '../storage/disk.ts'

const LIMIT = 3_000_000
const FORM = endpoint({
  method: 'POST',
  path: '/form',
  tag: 'Videos',
  summary: 'A form',
  auth: 'none',
  file: {
    field: 'video',
    description: 'A video',
    maxBytes: LIMIT,
    missing: 'Please select a video file.',
    tooLarge: 'At most three million bytes',
  },
  body: z.object({
    post_info: z.object({ title: z.string().min(1, 'Enter a title.') }),
    accountId: z.coerce.number(),
  }),
  status: 202,
  reply: z.unknown(),
  problems: [],
})

let app: FastifyInstance
let root: string
let address: URL
let handle: (form: { body: unknown; file: unknown }) => Promise<unknown>

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'reelay-form-'))
  const storage = await openDisk(root)
  handle = async (form) => form
  app = fastify()
  await app.register(multipart)
  watchBodies(app)
  app.setErrorHandler((error, _request, reply) =>
    error instanceof Problem
      ? reply.status(error.status).send(error.body())
      : reply.status(500).send({ error }),
  )
  app.post('/form', (request) =>
    receiveForm(request, FORM, { storage, isKept: async () => false }, (form) => handle(form)),
  )
  address = new URL('/form', await app.listen({ port: 0, host: '127.0.0.1' }))
})
afterEach(async () => {
  app.server.closeAllConnections()
  await app.close()
  await rm(root, { recursive: true })
})

const kept = async () =>
  (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

const nothingKept = () => expect.poll(kept).toBe(0)

type Part = [name: string, value: string | Blob, filename?: string]
const INFO: Part = ['post_info', '{"title":"Hello"}']
const ACCOUNT: Part = ['accountId', '7']
const video = (bytes = 100_000, name = 'clip.mp4'): Part => [
  'video',
  new Blob([Buffer.alloc(bytes, 'v')], { type: 'video/mp4' }),
  name,
]

async function post(parts: Part[]): Promise<{ status: number; body: Record<string, unknown> }> {
  const form = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, filename)
  }
  const response = await fetch(address, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const named = async (name: string) =>
  ((await post([video(10, name), INFO, ACCOUNT])).body['file'] as { filename: string }).filename

const send = async (body: string, type = 'multipart/form-data; boundary=b') =>
  (await fetch(address, { method: 'POST', body, headers: { 'content-type': type } })).status
describe('a form with a file', () => {
  it('is refused if its boundary is too long', async () => {
    expect(await send('x', `multipart/form-data; boundary=${'b'.repeat(4000)}`)).toBe(400)
  })

  it('is accepted with the file first, as the browser sends it', async () => {
    const { status, body } = await post([video(), INFO, ACCOUNT])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      body: { post_info: { title: 'Hello' }, accountId: 7 },
      file: { size: 100_000, filename: 'clip.mp4' },
    })
    expect(await kept()).toBe(1)
  })

  it('is accepted with the file last or between fields', async () => {
    expect((await post([INFO, ACCOUNT, video()])).status).toBe(200)
    expect((await post([INFO, video(), ACCOUNT])).status).toBe(200)
  })

  it('is accepted with its JSON as a Blob', async () => {
    const json = new Blob(['{"title":"Hello"}'], { type: 'application/json' })
    const { status, body } = await post([video(), ['post_info', json, 'blob'], ACCOUNT])
    expect([status, body['body']]).toEqual([200, { post_info: { title: 'Hello' }, accountId: 7 }])
  })

  it('accepts a file of exactly the limit and refuses one byte more', async () => {
    expect((await post([video(LIMIT), INFO, ACCOUNT])).status).toBe(200)
    expect(await post([video(LIMIT + 1), INFO, ACCOUNT])).toMatchObject({
      status: 413,
      body: { code: 'too_large', message: 'At most three million bytes' },
    })
    expect(await kept()).toBe(1)
  })

  it('keeps a display name of the file and no path', async () => {
    expect(await named('../../etc/päss wd.mp4')).toBe('päss wd.mp4')
    expect(await named('a\u202Egpm.exe')).toBe('agpm.exe')
    expect(await named('x'.repeat(400))).toHaveLength(255)
  })
})

describe('a form that is refused names the field and leaves nothing behind', () => {
  const refused = async (parts: Part[]) => {
    const { status, body } = await post(parts)
    await nothingKept()
    return { status, code: body['code'], fields: Object.keys((body['errors'] as object | undefined) ?? {}) }
  }
  it.each<[string, Part[], number, string, string[]]>([
    ['without its file', [INFO, ACCOUNT], 422, 'invalid', ['video']],
    ['with an empty file', [video(0), INFO, ACCOUNT], 422, 'invalid', ['video']],
    ['with two files', [video(), video(), INFO, ACCOUNT], 422, 'invalid', ['video']],
    [
      'with a file under another name',
      [['clip', new Blob(['x']), 'x.mp4'], INFO, ACCOUNT],
      422,
      'invalid',
      ['clip'],
    ],
    ['with a text in the place of the file', [['video', 'x'], INFO, ACCOUNT], 422, 'invalid', ['video']],
    ['without a field', [video(), INFO], 422, 'invalid', ['accountId']],
    ['with a field twice', [video(), INFO, ACCOUNT, ACCOUNT], 422, 'invalid', ['accountId']],
    [
      'with a wrong field',
      [video(), ['post_info', '{"title":""}'], ACCOUNT],
      422,
      'invalid',
      ['post_info.title'],
    ],
    ['with broken JSON', [video(), ['post_info', '{"title":'], ACCOUNT], 422, 'invalid', ['post_info']],
    [
      'with a field that is too long',
      [video(), ['post_info', 'x'.repeat(70_000)], ACCOUNT],
      413,
      'too_large',
      [],
    ],
    [
      'with too many fields',
      [video(), ...Array.from({ length: 40 }, (_, i): Part => [`f${i}`, 'x'])],
      400,
      'malformed',
      [],
    ],
    [
      'with a field named like a prototype',
      [video(), ['__proto__', 'x'], INFO, ACCOUNT],
      400,
      'malformed',
      [],
    ],
  ])('%s', async (_what, parts, status, code, fields) => {
    expect(await refused(parts)).toEqual({ status, code, fields })
  })

  it('when the handler refuses', async () => {
    handle = async () => {
      throw new Problem('not_found', "This account doesn't exist.")
    }
    expect(await refused([video(), INFO, ACCOUNT])).toMatchObject({ status: 404 })
  })

  it('when it is no form', async () => {
    const json = await fetch(address, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(json.status).toBe(415)
    expect((await fetch(address, { method: 'POST' })).status).toBe(415)
  })
})

describe('a form whose upload breaks off', () => {
  it('leaves nothing stored when the client disconnects', async () => {
    const socket = connect(Number(address.port), '127.0.0.1')
    socket.write(
      'POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n',
    )
    socket.write(Buffer.alloc(500_000))
    await expect.poll(kept).toBe(1)
    socket.destroy()
    await nothingKept()
  })

  it('is malformed when its body is truncated or garbage', async () => {
    expect(
      await send('--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\nabc'),
    ).toBe(400)
    expect(await send('rubbish')).toBe(400)
    expect(await send('--b--\r\n')).toBe(422)
    expect(await send('x', 'multipart/form-data')).toBe(400)
    await nothingKept()
  })

  it('is refused at once if its Content-Length is too large', async () => {
    const { status, sent } = await upload(50_000_000, { announce: true })
    expect(status).toBe(413)
    expect(sent).toBe(50_000_000)
  })

  it('is refused during the upload without a Content-Length, with the reason', async () => {
    expect(await upload(20_000_000, { announce: false })).toEqual({ status: 413, sent: 20_000_000 })
    await nothingKept()
  })

  it('the connection serves another request after a refusal', async () => {
    expect((await post([video(LIMIT + 1), INFO, ACCOUNT])).status).toBe(413)
    expect((await post([video(), INFO, ACCOUNT])).status).toBe(200)
  })
})

/** Like a browser, this sender writes everything before it reads the answer. */
async function upload(
  bytes: number,
  { announce }: { announce: boolean },
): Promise<{ status: number | undefined; sent: number }> {
  const head = '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n'
  const tail = '\r\n--b--\r\n'
  const socket = connect(Number(address.port), '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => (answer += data.toString('latin1')))
  const line = async (data: string | Buffer) => {
    const framed = announce ? [data] : [`${data.length.toString(16)}\r\n`, data, '\r\n']
    for (const piece of framed) if (!socket.write(piece)) await once(socket, 'drain')
  }
  const length = announce
    ? `Content-Length: ${head.length + bytes + tail.length}`
    : 'Transfer-Encoding: chunked'
  socket.write(
    `POST /form HTTP/1.1\r\nHost: x\r\n${length}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`,
  )
  await line(head)
  let sent = 0
  for (; sent < bytes; sent += 1_000_000) await line(Buffer.alloc(1_000_000))
  await line(tail)
  if (!announce) socket.write('0\r\n\r\n')
  while (!answer.includes('}')) await once(socket, 'data')
  socket.destroy()
  return { status: Number(answer.slice(9, 12)), sent }
}
