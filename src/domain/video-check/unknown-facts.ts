import type { VideoFacts } from '#contract/videos.ts'

// Separate from `video-facts.ts`, which loads the parser: the server runs that in other processes.

export const UNKNOWN_FACTS: VideoFacts = {
  container: 'unknown',
  video_codec: null,
  audio_codec: null,
  audio_rate_hz: null,
  audio_channels: null,
  audio_bit_rate: null,
  video_bit_rate: null,
  duration_s: 0,
  fps: null,
  fps_is_estimate: false,
  width: null,
  height: null,
  rotation: 0,
  chroma: null,
  scan: null,
  has_edits: null,
  index_first: null,
  integrity: null,
}
