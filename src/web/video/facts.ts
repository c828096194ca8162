import { BlobSource, Input } from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import { inspect, UNKNOWN_FACTS, VIDEO_FORMATS } from '#domain/video-check/video-facts.ts'

/** What a file that is still on the user's machine says about itself. Heavy: load this module when a file is chosen. */
export async function factsOf(file: File): Promise<VideoFacts> {
  const bytes = async (first: number, last: number) =>
    new Uint8Array(await file.slice(first, last + 1).arrayBuffer())
  const input = new Input({ source: new BlobSource(file), formats: VIDEO_FORMATS })
  try {
    return await inspect(input, bytes, file.size)
  } catch {
    // The parser throws for every way in which a file can be broken; "unknown" is how the checks name that.
    return UNKNOWN_FACTS
  } finally {
    input.dispose()
  }
}
