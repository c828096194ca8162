/**
 * Sending a video to a platform that takes it in parts, as the worker does, beside `node:http` with a stream of the same file and
 * the same parts, each in a process of its own and in turns. `npm run bench -- send [bytes] [turns]`
 */
import { fork } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openDisk } from '#server/storage/disk.ts'
import { PART_BYTES, type Sent } from './sent.ts'
import { report } from '../report.ts'

const bytes = Number(process.argv[2] ?? 1_000_000_000)
const turns = Number(process.argv[3] ?? 5)
const SIDES = ['floor', 'ours'] as const

const dir = await mkdtemp(path.join(tmpdir(), 'reelay-bench-'))
const sink = createServer((request, answer) => {
  const isLast = request.headers['content-range']?.endsWith(`-${bytes - 1}/${bytes}`) === true
  request.resume().once('end', () => answer.writeHead(isLast ? 201 : 206).end())
})
try {
  await measure()
} finally {
  sink.close()
  sink.closeAllConnections()
  await rm(dir, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const storage = await openDisk(dir)
  const { key } = await storage.put(Readable.from(randomPieces()), { maxBytes: bytes })
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const { port } = sink.address() as AddressInfo // it listens on a port
  const results: Record<(typeof SIDES)[number], Sent[]> = { floor: [], ours: [] }
  for (let turn = -1; turn < turns; turn++) {
    for (const side of SIDES) {
      const sent = await send(side, key, port)
      if (turn >= 0) results[side].push(sent) // the first brings the file into memory
    }
  }
  const of = (value: (sent: Sent) => number) => ({
    floor: results.floor.map(value),
    ours: results.ours.map(value),
  })
  const about = `A video of ${bytes / 1e6} MB from disk to an address on the same machine that throws it away, in parts of ${PART_BYTES / 1e6} MB; ${turns} turns. Floor: node:http with a stream of 1 MiB reads.`
  report({
    name: 'send',
    about,
    rows: [
      {
        what: 'rate',
        unit: 'MB/s',
        ...of(({ seconds }) => bytes / 1e6 / seconds),
        promise: { atLeast: 0.8 },
      },
      { what: 'processor time', unit: 's/GB', ...of(({ cpuS }) => cpuS / (bytes / 1e9)) },
      { what: 'memory at its peak', unit: 'MB RSS', ...of(({ peakMb }) => peakMb) },
    ],
  })
}

async function send(side: (typeof SIDES)[number], key: string, port: number): Promise<Sent> {
  const program = side === 'floor' ? '../floors/send.ts' : 'ours.ts'
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [
    dir,
    key,
    String(bytes),
    String(port),
  ])
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${side} sent nothing.`)))
  failed.catch(() => {})
  const [sent] = (await Promise.race([once(child, 'message'), failed])) as [Sent] // its only word
  return sent
}

function* randomPieces(): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= 1_000_000) {
    yield randomFillSync(Buffer.allocUnsafe(Math.min(left, 1_000_000)))
  }
}
