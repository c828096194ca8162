import { BlobSource, Input } from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import { readVideoFacts, VIDEO_FORMATS } from '#domain/video-check/video-facts.ts'

/** Reads the facts of a chosen file. Import this module only then: it loads the video parser. */
export async function readFacts(file: File): Promise<VideoFacts> {
  const bytes = async (first: number, last: number) =>
    new Uint8Array(await file.slice(first, last + 1).arrayBuffer())
  const input = new Input({ source: new BlobSource(file), formats: VIDEO_FORMATS })
  try {
    return await readVideoFacts(input, bytes, file.size)
  } catch {
    // The parser throws for every kind of broken file; the checks call those unknown.
    return UNKNOWN_FACTS
  } finally {
    input.dispose()
  }
}
