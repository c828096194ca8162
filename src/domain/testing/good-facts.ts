import type { VideoFacts } from '#contract/videos.ts'

/** Facts of a video that every platform takes. */
export const GOOD_FACTS: VideoFacts = {
  container: 'mp4',
  video_codec: 'avc',
  audio_codec: 'aac',
  audio_rate_hz: 48_000,
  audio_channels: 2,
  audio_bit_rate: 128_000,
  video_bit_rate: 5_000_000,
  duration_s: 30,
  fps: 30,
  fps_is_estimate: false,
  width: 1080,
  height: 1920,
  rotation: 0,
  chroma: '4:2:0',
  scan: 'progressive',
  has_edits: false,
  index_first: true,
  integrity: 'complete',
}
