import { buffer } from 'node:stream/consumers'
import { CustomSource, Input } from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import { inspect, UNKNOWN_FACTS, VIDEO_FORMATS, type Bytes } from '#domain/video-facts.ts'
import type { Storage } from '../storage/storage.ts'

/** What reading one file's facts may cost: a file is a stranger's, and may claim a table of any size. */
const MAX_READ_BYTES = 134_217_728
const MAX_READS = 20_000
const MAX_MS = 20_000

/** What a stored file says about itself. A file that is no video, or a broken one, is `unknown`: that is no failure here. */
export function readStoredFacts(storage: Storage, key: string, size: number): Promise<VideoFacts> {
  return readFacts(async (first, last) => buffer(await storage.read(key, first, last)), size)
}

/** `bytes` gives both ends included. Only a failure of `bytes` itself is thrown. */
export async function readFacts(bytes: Bytes, size: number): Promise<VideoFacts> {
  if (size === 0) return UNKNOWN_FACTS
  const meter = metered(bytes)
  const source = new CustomSource({
    getSize: () => size,
    read: (start, end) => meter.read(start, end - 1),
    prefetchProfile: 'fileSystem',
    // A prefetch that nobody waits for; whoever needs its bytes is told again.
    handleUnhandledError: () => {},
  })
  const input = new Input({ source, formats: VIDEO_FORMATS })
  try {
    const facts = await withDeadline(inspect(input, meter.read, size))
    return facts ?? UNKNOWN_FACTS
  } catch {
    // The parser throws for every way in which a stranger's file can be broken; the storage's own failures are ours.
    if (meter.failure() !== null) throw meter.failure()
    return UNKNOWN_FACTS
  } finally {
    input.dispose()
  }
}

/** Counts what is read, and tells a failure to read from a failure to understand. */
function metered(bytes: Bytes) {
  let reads = 0
  let total = 0
  let failure: Error | null = null
  const read: Bytes = async (first, last) => {
    reads += 1
    total += last - first + 1
    if (reads > MAX_READS || total > MAX_READ_BYTES) throw new RangeError('This file takes too much reading')
    return bytes(first, last).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error('reading failed', { cause: error })
      throw failure
    })
  }
  return { read, failure: () => failure }
}

/** null when the time is up; the work ends at its next read, when its source is disposed. */
async function withDeadline<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MAX_MS)
  })
  // Once the deadline has won nobody waits for the work any more, and its failure is no news.
  work.catch(() => {})
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}
