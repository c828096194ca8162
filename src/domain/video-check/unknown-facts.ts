import type { VideoFacts } from '#contract/videos.ts'

// Apart from `video-facts.ts`, which loads the parser: the server runs that in other processes.

/** The facts of a broken file, or one that is no video. */
export const UNKNOWN_FACTS: VideoFacts = {
  container: 'unknown',
  video_codec: null,
  audio_codec: null,
  audio_rate_hz: null,
  duration_s: 0,
  fps: null,
  width: null,
  height: null,
  rotation: 0,
  index_first: null,
}
