/**
 * Measures how fast a video of a form and a part of a tus upload come in, and what they cost in memory, beside the bare libraries that write,
 * hash and sync, in the same run. `npm run bench -- uploads [bytes] [turns]`
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { signUp } from '../support/test-server.ts'
import { type Measurement, report } from './report.ts'
import { makeFolder, startFloor, startServer, watch } from './servers.ts'

const PIECE = randomBytes(1_048_576)
/** Code and buffers that any first upload needs. */
const FIRST_BYTES = 8_388_608
const MEMORY_PROMISE_MB = 64

const bytes = Number(process.argv[2] ?? 1_000_000_000)
const turns = Number(process.argv[3] ?? 5)

type Target = { readonly url: string; readonly token: string }
type Turn = { readonly mbPerS: number; readonly addedMb: number }

const WAYS = { form: sendForm, tus: sendTus }
const rows: Measurement[] = []
for (const [name, send] of Object.entries(WAYS)) {
  const floor: Turn[] = []
  const ours: Turn[] = []
  for (let turn = 0; turn < turns; turn++) {
    floor.push(await measureFloor(send))
    ours.push(await measureOurs(send))
  }
  const rates = { floor: floor.map(({ mbPerS }) => mbPerS), ours: ours.map(({ mbPerS }) => mbPerS) }
  const addedMb = ours.map((turn, i) => turn.addedMb - (floor[i]?.addedMb ?? 0))
  rows.push(
    { what: `${name}: rate`, unit: 'MB/s', ...rates, promise: { atLeast: 0.8 } },
    {
      what: `${name}: memory added beyond the floor`,
      unit: 'MB',
      ours: addedMb,
      promise: { atMost: MEMORY_PROMISE_MB, inEveryTurn: true },
    },
  )
}
report({
  name: 'uploads',
  about: `One upload of ${bytes} bytes, ${turns} turns. Floor: bare @fastify/multipart, and bare @tus/server with a store, that write, hash and sync.`,
  rows,
})

type Send = (to: Target, bytes: number) => Promise<void>

async function measureFloor(send: Send): Promise<Turn> {
  const floor = await startFloor('./uploads-floor.ts', [await makeFolder()], { isWatched: true })
  try {
    return await measure(floor, { url: floor.url, token: 'bench' }, send)
  } finally {
    await floor.stop()
  }
}

async function measureOurs(send: Send): Promise<Turn> {
  const server = await startServer({ isWatched: true })
  try {
    const { token } = await signUp(server)
    return await measure(server, { url: `${server.url}/api/v1`, token }, send)
  } finally {
    await server.stop()
  }
}

async function measure(
  { child }: Pick<Awaited<ReturnType<typeof startServer>>, 'child'>,
  to: Target,
  send: Send,
) {
  await send(to, FIRST_BYTES)
  const { done: seconds, usage } = await watch(child, async () => {
    const began = performance.now()
    await send(to, bytes)
    return (performance.now() - began) / 1000
  })
  return { mbPerS: bytes / 1e6 / seconds, addedMb: usage.addedMb }
}

/** Reelay answers 422 once it has everything: it is no video. */
async function sendForm({ url, token }: Target, size: number): Promise<void> {
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n'
  const tail = '\r\n--b--\r\n'
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': head.length + size + tail.length,
  }
  const { status, body } = await call('POST', `${url}/videos`, headers, [head, size, tail])
  if (status !== 200 && status !== 422) throw new Error(`${status}: ${body}`)
}

/** One byte is missing, so that it is not read as a video. */
async function sendTus({ url, token }: Target, size: number): Promise<void> {
  const all = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }
  const metadata = `filename ${btoa('a.mp4')},filetype ${btoa('video/mp4')}`
  const created = await call('POST', `${url}/uploads`, {
    ...all,
    'upload-length': size + 1,
    'upload-metadata': metadata,
  })
  const id = created.headers.location?.split('/').at(-1)
  const headers = {
    ...all,
    'content-type': 'application/offset+octet-stream',
    'content-length': size,
    'upload-offset': 0,
  }
  const { status, body, headers: answered } = await call('PATCH', `${url}/uploads/${id}`, headers, [size])
  if (answered['upload-offset'] !== String(size)) throw new Error(`${status}: ${body}`)
}

/** @param parts texts, and numbers of bytes */
async function call(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  parts: readonly (string | number)[] = [],
) {
  const sent = request(url, { method, headers, agent: false })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  await pipeline(Readable.from(pieces(parts)), sent)
  const [answer] = await answered
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

function* pieces(parts: readonly (string | number)[]): Generator<Buffer> {
  for (const part of parts)
    if (typeof part === 'string') yield Buffer.from(part)
    else for (let left = part; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left)
}
