/**
 * How fast a form's video comes in, and what it costs in memory, beside the floor: bare `@fastify/multipart` into SHA-256 into a
 * file that is synced at its end, in the same run. `node test/bench/ingest.ts [bytes] [runs]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import multipart from '@fastify/multipart'
import fastify from 'fastify'
import { API } from '#contract/api.ts'
import { receiveForm } from '#server/http/form.ts'
import { openDisk } from '#server/storage/disk.ts'

const PIECE = randomBytes(1_048_576)
const MEMORY_PROMISE_MB = 64
const RATE_PROMISE = 0.8

type Kind = 'ours' | 'floor'
type Run = { readonly mbPerS: number; readonly addedMb: number; readonly cpuSPerGb: number }
type Usage = { readonly rss: number; readonly peak: number; readonly cpuMs: number }

const [role, dir] = process.argv.slice(2)
if (role === 'ours' || role === 'floor') await serve(role, dir ?? tmpdir())
else await measure(Number(role ?? 1_000_000_000), Number(dir ?? 5))

async function measure(bytes: number, runs: number): Promise<void> {
  const results: Record<Kind, Run[]> = { ours: [], floor: [] }
  for (let i = 0; i < runs; i++) {
    // In turns, so that a slow minute of the machine slows both.
    for (const kind of ['floor', 'ours'] as const) results[kind].push(await runOnce(kind, bytes))
  }
  console.log(`One upload of ${bytes} bytes; medians of ${runs} runs (least to most)`)
  for (const kind of ['floor', 'ours'] as const) {
    const of = (name: keyof Run) => spread(results[kind].map((run) => run[name]))
    console.log(
      `${kind.padEnd(6)} ${of('mbPerS')} MB/s   ${of('cpuSPerGb')} CPU s/GB   adds ${of('addedMb')} MB to the peak of memory`,
    )
  }
  const rate = median(results.ours.map((run) => run.mbPerS)) / median(results.floor.map((run) => run.mbPerS))
  const added = Math.max(...results.ours.map((run) => run.addedMb))
  console.log(`rate beside the floor: ${rate.toFixed(2)} (promised: ${RATE_PROMISE})`)
  console.log(`memory added at most: ${added.toFixed(0)} MB (promised: under ${MEMORY_PROMISE_MB})`)
  if (rate < RATE_PROMISE || added >= MEMORY_PROMISE_MB) process.exitCode = 1
}

async function runOnce(kind: Kind, bytes: number): Promise<Run> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reelay-ingest-'))
  const server = fork(fileURLToPath(import.meta.url), [kind, folder], {
    // As `main.ts` starts the server; the floor is bare Node.
    execArgv: kind === 'ours' ? ['--import', import.meta.resolve('#server/runtime/flat-memory.ts')] : [],
  })
  try {
    const [port] = (await once(server, 'message')) as [number] // its first word
    await upload(port, 8_388_608) // code and buffers that any first upload needs
    const before = await usageOf(server)
    const began = performance.now()
    await upload(port, bytes)
    const seconds = (performance.now() - began) / 1000
    const after = await usageOf(server)
    return {
      mbPerS: bytes / 1e6 / seconds,
      addedMb: (after.peak - before.rss) / 1e6,
      cpuSPerGb: (after.cpuMs - before.cpuMs) / 1000 / (bytes / 1e9),
    }
  } finally {
    server.disconnect()
    await once(server, 'exit')
    await rm(folder, { recursive: true })
  }
}

async function usageOf(server: ChildProcess): Promise<Usage> {
  server.send('usage')
  const [usage] = (await once(server, 'message')) as [Usage] // what it answers to that word
  return usage
}

async function upload(port: number, bytes: number): Promise<void> {
  const head = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n',
  )
  const tail = Buffer.from('\r\n--b--\r\n')
  const call = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/videos',
    agent: false,
    headers: {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': head.length + bytes + tail.length,
    },
  })
  const answered = once(call, 'response') as Promise<[IncomingMessage]>
  call.write(head)
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    if (!call.write(PIECE.subarray(0, bytes - sent))) await once(call, 'drain')
  }
  call.end(tail)
  const [response] = await answered
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await text(response)}`)
  const { size } = JSON.parse(await text(response)) as { size: number } // our own server below
  if (size !== bytes) throw new Error(`${size} of ${bytes} bytes came in`)
}

async function serve(kind: Kind, folder: string): Promise<void> {
  const app = fastify({ requestTimeout: 0 })
  await app.register(multipart)
  if (kind === 'ours') {
    const deps = { storage: await openDisk(folder), isKept: async () => true }
    app.post('/videos', (call) => receiveForm(call, API.uploadVideo, deps, async ({ file }) => file))
  } else {
    app.post('/videos', async (call) => {
      const part = await call.file({ limits: { fileSize: Number.POSITIVE_INFINITY } })
      if (!part) throw new Error('no file')
      const hash = createHash('sha256')
      let size = 0
      const hashing = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          hash.update(chunk)
          size += chunk.length
          done(null, chunk)
        },
      })
      await pipeline(
        part.file,
        hashing,
        createWriteStream(path.join(folder, String(performance.now())), { flush: true }),
      )
      return { size, sha256: hash.digest('hex') }
    })
  }
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
  process.on('message', () => {
    const rss = process.memoryUsage.rss()
    const { user, system } = process.cpuUsage()
    const usage: Usage = { rss, peak: Math.max(peak, rss), cpuMs: (user + system) / 1000 }
    peak = 0
    process.send?.(usage)
  })
  process.once('disconnect', () => {
    clearInterval(watch)
    process.exit()
  })
  process.send?.(Number(port))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}

function spread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const digits = most < 10 ? 2 : 0
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
