import { buffer } from 'node:stream/consumers'
import type { VideoFacts } from '#contract/videos.ts'
import type { Storage } from '#server/storage/storage.ts'
import { createFactsReader, type FactsReader } from '#server/videos/facts.ts'
import { GOOD } from './sample.ts'

let sampleFacts: VideoFacts | undefined

/**
 * Like the product's, but only the first video of `sampleVideo` is read in a process: they differ only in padding, and
 * tests upload hundreds.
 */
export function openSampleFactsReader(
  ...[storage, hasVideo]: Parameters<typeof createFactsReader>
): FactsReader {
  const reader = createFactsReader(storage, hasVideo)
  return {
    async readStored(asker, file) {
      if (!(await isSample(storage, file))) return reader.readStored(asker, file)
      return (sampleFacts ??= await reader.readStored(asker, file))
    },
  }
}

/** True if its `free` box ends where the file ends. */
async function isSample(
  storage: Pick<Storage, 'read'>,
  { key, size }: { key: string; size: number },
): Promise<boolean> {
  if (size < GOOD.length + 8) return false
  const start = await buffer(await storage.read(key, 0, GOOD.length + 7))
  return (
    start.subarray(0, GOOD.length).equals(GOOD) &&
    start.readUInt32BE(GOOD.length) === size - GOOD.length &&
    start.toString('latin1', GOOD.length + 4) === 'free'
  )
}
