/**
 * Sending a video to a platform that takes it in parts, as the worker does, beside `node:http` with a stream of the same file and
 * the same parts, each in a process of its own and in turns. `npm run bench -- send [bytes] [turns]`
 */
import { fork } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createPlatforms } from '#platforms/registry.ts'
import { createBandwidthMeter } from '#server/deliveries/claim/bandwidth.ts'
import { readConfig } from '#server/runtime/config.ts'
import { openDisk } from '#server/storage/disk.ts'
import { report } from './report.ts'
import { firstMessage, makeFolder } from './servers.ts'

/** As TikTok wants larger videos cut. */
const PART_BYTES = 10_000_000

type Job = { readonly dir: string; readonly key: string; readonly bytes: number; readonly port: number }
const WAYS = { floor: sendPlainly, ours: sendAsWorker }

const [way, job] = process.argv.slice(2)
if (way === 'floor' || way === 'ours') await sendOnce(way, JSON.parse(job ?? '') as Job)
else await measure(Number(way ?? 1_000_000_000), Number(job ?? 5))

async function measure(bytes: number, turns: number): Promise<void> {
  const dir = await makeFolder()
  const sink = createServer((call, answer) => {
    const isLast = call.headers['content-range']?.endsWith(`-${bytes - 1}/${bytes}`) === true
    call.resume().once('end', () => answer.writeHead(isLast ? 201 : 206).end())
  })
  try {
    const storage = await openDisk(dir)
    const { key } = await storage.put(Readable.from(randomPieces(bytes)), { maxBytes: bytes })
    await once(sink.listen(0, '127.0.0.1'), 'listening')
    const { port } = sink.address() as AddressInfo // it listens on a port
    const rates: { floor: number[]; ours: number[] } = { floor: [], ours: [] }
    for (let turn = -1; turn < turns; turn++)
      for (const side of ['floor', 'ours'] as const) {
        const seconds = await secondsOf(side, { dir, key, bytes, port })
        if (turn >= 0) rates[side].push(bytes / 1e6 / seconds) // the first brings the file into memory
      }
    report({
      name: 'send',
      about: `A video of ${bytes / 1e6} MB from disk to an address on the same machine that throws it away, in parts of ${PART_BYTES / 1e6} MB; ${turns} turns. Floor: node:http with a stream of 1 MiB reads.`,
      rows: [{ what: 'rate', unit: 'MB/s', ...rates, promise: { atLeast: 0.8 } }],
    })
  } finally {
    sink.close()
    sink.closeAllConnections()
  }
}

async function secondsOf(side: keyof typeof WAYS, given: Job): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [side, JSON.stringify(given)])
  return firstMessage<number>(child)
}

async function sendOnce(side: keyof typeof WAYS, given: Job): Promise<void> {
  const began = performance.now()
  await WAYS[side](given)
  process.send?.((performance.now() - began) / 1000, () => process.exit())
}

async function sendPlainly({ dir, key, bytes, port }: Job): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const count = Math.floor(bytes / PART_BYTES)
  for (let part = 0; part < count; part++) {
    const start = part * PART_BYTES
    const end = part === count - 1 ? bytes - 1 : start + PART_BYTES - 1
    const headers = { 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${bytes}` }
    const call = request({ agent, host: '127.0.0.1', port, method: 'PUT', headers })
    const answered = once(call, 'response') as Promise<[IncomingMessage]>
    await pipeline(
      createReadStream(path.join(dir, 'files', key), { start, end, highWaterMark: 1_048_576 }),
      call,
    )
    const [answer] = await answered
    await once(answer.resume(), 'end')
  }
}

/** TikTok's adapter with the measured storage. */
async function sendAsWorker({ dir, key, bytes, port }: Job): Promise<void> {
  const { tiktok } = createPlatforms(readConfig({ PRACTICE: 'on' }).platforms, Date.now)
  if (tiktok === null) throw new Error('TikTok is off.')
  const storage = createBandwidthMeter().measure(await openDisk(dir), () => {})
  const delivery = {
    account: { accessToken: '', externalId: '', username: 'bench' },
    text: '',
    options: {},
    video: {
      size: bytes,
      mime: 'video/mp4',
      durationS: 10,
      read: (first: number, last: number) => storage.read(key, first, last),
      address: async () => '',
    },
    pictureAddress: async () => null,
    siblings: async () => ({ postIds: [], unknown: [] }),
    signal: new AbortController().signal,
  }
  const session = {
    publishId: 'bench',
    username: 'bench',
    uploadUrl: `http://127.0.0.1:${port}/`,
    expiresAt: Date.now() + 3_600_000,
    size: bytes,
    chunkSize: PART_BYTES,
    count: Math.floor(bytes / PART_BYTES),
    next: 0,
    contested: false,
    taken: false,
  }
  const sent = await tiktok.send(delivery, session, async () => {})
  if (sent.kind !== 'ready') throw new Error(`Not sent: ${JSON.stringify(sent)}`)
  const committed = await tiktok.commit(delivery, sent.session)
  if (committed.kind !== 'accepted') throw new Error(`Not accepted: ${JSON.stringify(committed)}`)
}

function* randomPieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= 1_000_000)
    yield randomFillSync(Buffer.allocUnsafe(Math.min(left, 1_000_000)))
}
