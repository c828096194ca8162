import { z } from 'zod'
import { VideoId } from './ids.ts'
import { VIDEO_FACTS_MAX } from './limits.ts'
import { PlatformId } from './platforms/index.ts'

const name = z.string().max(VIDEO_FACTS_MAX.nameChars)
const side = z.int().min(0).max(VIDEO_FACTS_MAX.sidePx).nullable()

/** What was read from the file itself. */
export const VideoFacts = z.object({
  container: name.describe('`mp4`, `mov`, `webm`, … or `unknown`.'),
  video_codec: name.nullable(),
  audio_codec: name.nullable(),
  audio_rate_hz: z.number().min(0).max(VIDEO_FACTS_MAX.audioRateHz).nullable(),
  duration_s: z.number().min(0).max(VIDEO_FACTS_MAX.durationS),
  fps: z.number().min(0).max(VIDEO_FACTS_MAX.fps).nullable(),
  width: side.describe('Pixels as shown, after rotation.'),
  height: side.describe('Pixels as shown, after rotation.'),
  rotation: z.int().min(0).max(359).describe('Degrees.'),
  index_first: z
    .boolean()
    .nullable()
    .describe('`moov` before the media data; null where the container has none.'),
})
export type VideoFacts = z.infer<typeof VideoFacts>

/** Something about a video that a platform refuses (`error`) or may handle badly (`warning`). */
export const Finding = z.object({
  platform: PlatformId,
  level: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string().describe('What is wrong, as a sentence.'),
  remedy: z.string().describe('What the user can do.'),
})
export type Finding = z.infer<typeof Finding>

/** Where a picture of a video is: in `Video` and in `Post.video`. */
export const PosterUrl = z
  .string()
  .nullable()
  .describe('A picture of the video: a path of this server that needs no sign-in. null: none was sent.')

export const Video = z.object({
  video_id: VideoId,
  filename: z.string(),
  mime: z.string(),
  size: z.int().describe('Bytes.'),
  sha256: z.string().describe('Hex.'),
  facts: VideoFacts,
  findings: z.array(Finding),
  poster_url: PosterUrl,
  created_at: z.iso.datetime(),
})
export type Video = z.infer<typeof Video>
