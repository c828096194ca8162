import type { Readable } from 'node:stream'
import type { Storage } from '../../storage/storage.ts'

/** Before anything is measured: 1 Mbit/s, so that large uploads begin one at a time and small ones together. */
const START_BYTES_PER_S = 125_000
/** A shorter measurement shows the speed of socket buffers, not of the connection. */
const MEASURED_MS = 2000
const NEWEST_COUNTS = 0.5

/** Measures the upload rate of this process: bytes of ranges that were read completely, per second in which any was being read. */
export type BandwidthMeter = {
  bytesPerS(): number
  isMeasured(): boolean
  /** Wraps a storage to measure its reads. `sent` is called with the bytes of every range that was read to its end. */
  measure(storage: Storage, sent: (bytes: number) => void): Storage
}

/** `clock`: milliseconds. `startBytesPerS`: what is assumed at first. */
export function createBandwidthMeter({
  clock = () => performance.now(),
  startBytesPerS = START_BYTES_PER_S,
}: { readonly clock?: () => number; readonly startBytesPerS?: number } = {}): BandwidthMeter {
  let rate: number | null = null
  let reading = 0
  let since = 0
  let busyMs = 0
  let bytes = 0

  const keepTime = () => {
    if (reading > 0) busyMs += clock() - since
    since = clock()
  }
  const begin = () => {
    keepTime()
    reading += 1
  }
  const end = (read: number) => {
    keepTime()
    reading -= 1
    bytes += read
    if (busyMs < MEASURED_MS) return
    if (bytes > 0) {
      const sample = (bytes * 1000) / busyMs
      rate = rate === null ? sample : rate * (1 - NEWEST_COUNTS) + sample * NEWEST_COUNTS
    }
    busyMs = 0
    bytes = 0
  }

  return {
    bytesPerS: () => rate ?? startBytesPerS,
    isMeasured: () => rate !== null,
    measure: (storage, sent) => ({
      ...storage,
      async read(key, first, last) {
        const stream = await storage.read(key, first, last)
        begin()
        return onceClosed(stream, () => {
          const read = stream.readableEnded ? last - first + 1 : 0
          end(read)
          sent(read)
        })
      },
    }),
  }
}

function onceClosed(stream: Readable, then: () => void): Readable {
  return stream.once('close', then)
}
