import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { report } from '../report.ts'

const PIECE = randomBytes(1_048_576)
/** Beyond what the floor adds. */
const MEMORY_PROMISE_MB = 64
const RATE_PROMISE = 0.8

export type Kind = 'ours' | 'floor'
type Run = { readonly mbPerS: number; readonly addedMb: number; readonly cpuSPerGb: number }
type Usage = { readonly rss: number; readonly peak: number; readonly cpuMs: number }

type Comparison = {
  readonly name: string
  /** What the floor is, as a sentence. */
  readonly floor: string
  /** Started with a kind and a folder; calls `serveBench` once it listens. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  readonly bytes: number
  readonly runs: number
  /** Sends one file. */
  readonly upload: (port: number, bytes: number) => Promise<void>
}

/** Uploads to our server and to the floor in turns, prints both, and fails where a promise is broken. */
export async function compareUploads(comparison: Comparison): Promise<void> {
  const results: Record<Kind, Run[]> = { ours: [], floor: [] }
  for (let i = 0; i < comparison.runs; i++) {
    // In turns, so that a slow minute of the machine slows both.
    for (const kind of ['floor', 'ours'] as const) results[kind].push(await runOnce(kind, comparison))
  }
  const of = (kind: Kind, name: keyof Run) => results[kind].map((run) => run[name])
  const both = (name: keyof Run) => ({ floor: of('floor', name), ours: of('ours', name) })
  report({
    name: comparison.name,
    about: `One upload of ${comparison.bytes} bytes, ${comparison.runs} turns. ${comparison.floor}`,
    rows: [
      { what: 'rate', unit: 'MB/s', ...both('mbPerS'), promise: { atLeast: RATE_PROMISE } },
      { what: 'processor time', unit: 's/GB', ...both('cpuSPerGb') },
      { what: 'memory added at its peak', unit: 'MB', ...both('addedMb') },
      {
        what: 'memory added beyond the floor',
        unit: 'MB',
        ours: results.ours.map(({ addedMb }, i) => addedMb - (results.floor[i]?.addedMb ?? 0)),
        promise: { atMost: MEMORY_PROMISE_MB, inEveryTurn: true },
      },
    ],
  })
}

async function runOnce(kind: Kind, { program, env, bytes, upload }: Comparison): Promise<Run> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reelay-bench-'))
  const server = fork(program, [kind, folder], {
    env: { ...process.env, ...env },
  })
  try {
    // Its first word.
    const [port] = (await Promise.race([once(server, 'message'), failed(server)])) as [number]
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

async function failed(server: ChildProcess): Promise<never> {
  await once(server, 'exit')
  throw new Error('the server could not start')
}

async function usageOf(server: ChildProcess): Promise<Usage> {
  server.send('usage')
  const [usage] = (await once(server, 'message')) as [Usage] // what it answers to that word
  return usage
}

/** In the program: tells the port, and memory and processor time whenever it is asked. */
export function serveBench(address: string): void {
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
  process.send?.(Number(new URL(address).port))
}

export type Answer = { readonly response: IncomingMessage; readonly body: string }

/** Sends a request over a connection of its own; `write` gives its body. */
export async function sendRequest(
  options: RequestOptions,
  write: (call: ClientRequest) => Promise<void> = async () => {},
): Promise<Answer> {
  const call = request({ host: '127.0.0.1', agent: false, ...options })
  const answered = once(call, 'response') as Promise<[IncomingMessage]>
  await write(call)
  call.end()
  const [response] = await answered
  return { response, body: await text(response) }
}

/** Writes so many bytes, as fast as they are taken. */
export async function writeBytes(call: ClientRequest, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    if (!call.write(PIECE.subarray(0, bytes - sent))) await once(call, 'drain')
  }
}

/** What no upload can do without, for the floors: its bytes in a file that is synced, and their hash. */
export async function writeHashed(body: Readable, file: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(body, hashing, createWriteStream(file, { flush: true }))
  return { size, sha256: hash.digest('hex') }
}
