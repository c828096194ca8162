import { fork } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { UPLOADS_PER_USER } from '#contract/limits.ts'
import { VideoFacts } from '#contract/videos.ts'
import { endsWithinBox } from '#domain/video-check/iso-index.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import type { Bytes } from '#domain/video-check/media-index.ts'
import { networkKey } from '#base/ip-address.ts'
import { createSemaphore, type Semaphore } from '#base/semaphore.ts'
import { readCpuMs } from '#base/process-info.ts'
import { Problem } from '#base/problem.ts'
import type { Storage } from '../storage/storage.ts'
import { claimsTooMuch } from './claims.ts'

/** Limits for reading one file's facts: users upload any file, and it may claim a table of any size. */
const MAX_READ_BYTES = 134_217_728
const MAX_READS = 20_000
/** CPU time from the reader's first request on: ten times what a two-hour video takes for the bytes that its index makes it read. */
const MAX_MS = 20_000
const MIN_MS = 2_000
const BYTES_PER_MS = 5_120
/** The CPU time (ms) allowed after so many bytes: a small index needs little, unless it sends the parser round in circles. */
export const timeFor = (bytesRead: number): number => Math.min(MAX_MS, MIN_MS + bytesRead / BYTES_PER_MS)

type Limits = {
  readonly msFor: (bytesRead: number) => number
  readonly heapMb: number
  /** Added to the server's own, so that the reader yields to the event loop, the database and the deliveries. */
  readonly niceness: number
}
/** Ten times what a phone's video takes. */
const QUICK: Limits = { msFor: () => 300, heapMb: 128, niceness: 0 }
/** The table of a day at 60 frames a second fits; that of two thousand million frames, claimed in 16 bytes, does not. */
const WHOLE: Limits = { msFor: timeFor, heapMb: 384, niceness: 10 }
/** The kernel's limit ends a reader in circles whose server has ended: it would not notice by itself. */
const MAX_CPU_S = 30

/**
 * One reader is for people who have a stored video, one for the others, such as new accounts made in bulk, and nobody waits long for
 * either. What takes longer, and for `SLOW_USER_MS` all files of its user, waits for the third.
 */
const READER = { permits: 1, maxWaiting: 100 }
const SLOW_READER = { ...READER, reservedForKnown: 50 }
const SLOW_USER_MS = 3_600_000
/** As many as a user may upload at a time: else a file would be refused after it has arrived. */
const OF_ONE_USER = { permits: 1, maxWaiting: UPLOADS_PER_USER - 1 }
const RETRY_AFTER_S = 30
/** A busy machine takes its time; one that takes longer cannot tell whether the file is to blame. */
const PATIENCE_MS = 120_000

const PROGRAM = fileURLToPath(new URL('facts-reader.ts', import.meta.url))

/** Messages between the two processes. Answers come in the order of the requests. */
export type FromReader =
  | { readonly kind: 'read'; readonly first: number; readonly last: number }
  | { readonly kind: 'facts'; readonly facts: VideoFacts }
export type ToReader = { readonly bytes: Uint8Array }

/**
 * Reads the facts in a stored file. A broken file, or one that is no video, is `unknown`, which is no failure here.
 * @throws Problem too_many_requests where too many files of this user, or of all, wait to be read, or a file that takes long has
 * lost its client; unavailable where the machine or the storage is too slow to tell
 */
export type FactsReader = {
  readStored(asker: Asker, file: { readonly key: string; readonly size: number }): Promise<VideoFacts>
}
export type Asker = {
  readonly userId: number
  readonly ip: string
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal
}

export function createFactsReader(
  storage: Pick<Storage, 'read'>,
  hasVideo: (userId: number) => Promise<boolean>,
): FactsReader {
  const quick = { known: createSemaphore(READER), others: createSemaphore(READER) }
  const slow = createSemaphore(SLOW_READER)
  const slowUsers = new Set<number>()
  const read = async ({ userId, ip, gone }: Asker, bytes: Bytes, size: number): Promise<VideoFacts> => {
    // Accounts made in bulk come from few networks, which may each make so many in an hour.
    const caller = { key: networkKey(ip), known: await hasVideo(userId) }
    if (!slowUsers.has(userId)) {
      const reader = caller.known ? quick.known : quick.others
      // Also when the client has gone: a usual video is not lost because a tab was closed.
      const found = ranOrThrow(await reader.run(() => readWithin(bytes, size, QUICK), caller))
      if (found !== TOO_LONG) return found
      slowUsers.add(userId)
      setTimeout(() => slowUsers.delete(userId), SLOW_USER_MS).unref()
    }
    return ranOrThrow(await slow.run(() => readFacts(bytes, size, gone), { ...caller, gone }))
  }

  const users = new Map<number, { readonly semaphore: Semaphore; files: number }>()
  const oneAtATime = async (userId: number, task: () => Promise<VideoFacts>): Promise<VideoFacts> => {
    const own = users.get(userId) ?? { semaphore: createSemaphore(OF_ONE_USER), files: 0 }
    users.set(userId, own)
    own.files += 1
    try {
      return ranOrThrow(await own.semaphore.run(task))
    } finally {
      own.files -= 1
      if (own.files === 0) users.delete(userId)
    }
  }

  return {
    async readStored(asker, { key, size }) {
      const bytes: Bytes = async (first, last) => buffer(await storage.read(key, first, last))
      return oneAtATime(asker.userId, () => read(asker, inBlocks(bytes, size), size))
    },
  }
}

function ranOrThrow<T>(result: T | null): T {
  if (result === null) throw tooMany()
  return result
}

const BLOCK_BYTES = 4096

/** Headers of 16 bytes lie close together: each read on its own would wait once more for a busy disk and event loop. */
function inBlocks(bytes: Bytes, size: number): Bytes {
  let block: { readonly first: number; readonly content: Uint8Array } = {
    first: 0,
    content: new Uint8Array(),
  }
  return async (first, last) => {
    if (last - first >= BLOCK_BYTES) return bytes(first, last)
    let from = block
    if (first < from.first || last >= from.first + from.content.length) {
      from = { first, content: await bytes(first, Math.min(first + BLOCK_BYTES, size) - 1) }
      block = from
    }
    return from.content.subarray(first - from.first, last - from.first + 1)
  }
}

/**
 * `bytes` gives both ends included. Only a failure of `bytes` itself is thrown.
 * @throws Problem too_many_requests once `gone` aborts; unavailable where the machine or the storage is too slow to tell
 */
export async function readFacts(bytes: Bytes, size: number, gone?: AbortSignal): Promise<VideoFacts> {
  const facts = await readWithin(bytes, size, WHOLE, gone)
  return facts === TOO_LONG ? UNKNOWN_FACTS : facts
}

const TOO_LONG = 'too_long'

async function readWithin(
  bytes: Bytes,
  size: number,
  limits: Limits,
  gone?: AbortSignal,
): Promise<VideoFacts | typeof TOO_LONG> {
  if (size === 0) return UNKNOWN_FACTS
  if (await claimsTooMuch(bytes, size))
    return { ...UNKNOWN_FACTS, integrity: (await endsWithinBox(bytes, size)) ? 'cut_off' : null }
  const read = await readApart({ bytes, size, gone }, limits)
  if (read === TOO_LONG) return read
  const facts = VideoFacts.safeParse(read)
  return facts.success ? facts.data : UNKNOWN_FACTS
}

const tooMany = () =>
  new Problem(
    'too_many_requests',
    'Too many videos are being checked right now. Try again in half a minute.',
    { retryAfterS: RETRY_AFTER_S },
  )
const tooBusy = () =>
  new Problem('unavailable', 'This server is too busy to check the video. Try again in half a minute.', {
    retryAfterS: RETRY_AFTER_S,
  })

const MAX_NICENESS = 19
const OUT_OF_MEMORY = 'SIGABRT'

/** Sent to all our processes when the server is stopped: they say nothing of the file. */
const STOPS: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)

/**
 * Reads in a process of its own, since the parser makes what a file tells it to make: one that takes too much memory or time
 * ends alone, and its file is `unknown`. A thread would not do: V8 ends the whole process where a thread's heap overflows at once.
 */
async function readApart(
  { bytes, size, gone }: { bytes: Bytes; size: number; gone: AbortSignal | undefined },
  { msFor, heapMb, niceness }: Limits,
): Promise<VideoFacts | typeof TOO_LONG> {
  const reader = fork(PROGRAM, [String(size)], {
    execPath: '/bin/sh',
    execArgv: [
      '-c',
      `ulimit -t ${MAX_CPU_S} && exec "$0" "$@"`,
      process.execPath,
      `--max-old-space-size=${heapMb}`,
    ],
    serialization: 'advanced', // bytes as bytes
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Nothing else of ours: the environment contains secrets.
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  })
  if (niceness > 0 && reader.pid !== undefined)
    setPriority(reader.pid, Math.min(MAX_NICENESS, getPriority() + niceness))
  let reads = 0
  let total = 0
  let answers = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const begunAt = performance.now()
  /** If the system does not tell the CPU time, wall-clock time counts. */
  const spent = () => readCpuMs(reader.pid ?? 0) ?? performance.now()
  let startedAt: number | null = null
  const reading = new Promise<VideoFacts | typeof TOO_LONG>((resolve, reject) => {
    const giveUp = () => resolve(UNKNOWN_FACTS)
    const checkTime = () => {
      const left = startedAt === null ? MAX_MS : startedAt + msFor(total) - spent()
      if (left <= 0) return resolve(TOO_LONG)
      const patience = begunAt + PATIENCE_MS - performance.now()
      if (patience <= 0) return reject(tooBusy())
      timer = setTimeout(checkTime, Math.min(left, patience))
      return undefined
    }
    const answer = async (first: number, last: number) => {
      const message: ToReader = { bytes: await bytes(first, last) }
      // A reader that has ended meanwhile reports that itself.
      reader.send(message, () => {})
    }
    reader.on('message', (message: FromReader) => {
      if (message.kind === 'facts') return resolve(message.facts)
      const { first, last } = message
      reads += 1
      total += last - first + 1
      if (reads > MAX_READS || total > MAX_READ_BYTES) return giveUp()
      answers = answers.then(() => answer(first, last)).catch(reject)
      if (startedAt !== null) return undefined
      startedAt = spent()
      clearTimeout(timer)
      return checkTime()
    })
    reader.on('exit', (_code, signal) => {
      if (STOPS.has(signal)) return reject(tooBusy())
      // The parser throws for every way in which a stranger's file can be broken, and runs out of memory for some.
      return signal === OUT_OF_MEMORY ? resolve(TOO_LONG) : giveUp()
    })
    // No process could be started, which is not the file's fault.
    reader.on('error', reject)
    if (gone?.aborted) reject(tooMany())
    gone?.addEventListener('abort', () => reject(tooMany()))
    checkTime()
  })
  return reading.finally(() => {
    clearTimeout(timer)
    reader.kill('SIGKILL')
  })
}
