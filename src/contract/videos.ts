import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { PictureId, VideoId } from './ids.ts'
import {
  PICTURE_MAX_BYTES,
  PICTURE_MAX_SIDE_PX,
  PICTURE_UNUSED_DAYS,
  POSTER_MAX_BYTES,
  VIDEO_FACTS_MAX,
  VIDEO_MAX_BYTES,
} from './limits.ts'
import { PlatformId } from './platforms/index.ts'
import { TEXTS } from './texts.ts'

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

/** A property of a video that a platform refuses (`error`) or may handle badly (`warning`). */
export const Finding = z.object({
  platform: PlatformId,
  level: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string().describe('What is wrong, as a sentence.'),
  remedy: z.string().describe('What the user can do.'),
})
export type Finding = z.infer<typeof Finding>

/** The address of a video's picture, in `Video` and `Post.video`. */
export const PosterUrl = z
  .string()
  .nullable()
  .describe('A path on this server that needs no login; null: the video has no picture.')

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

/** An address for a `<video>`, which cannot send a token: whoever has it can read the video until it expires. */
export const Playback = z.object({
  url: z.string().describe('A path on this server; ranges are supported. Gone once the video is deleted.'),
  expires_at: z.iso.datetime(),
})
export type Playback = z.infer<typeof Playback>

const byVideo = z.object({ videoId: VideoId })

export const videoEndpoints = {
  uploadVideo: endpoint({
    method: 'POST',
    path: '/videos',
    tag: 'Videos',
    summary: 'Upload a video to use in posts',
    auth: 'bearer',
    file: {
      field: 'file',
      description: 'The video, up to 4 GB.',
      maxBytes: VIDEO_MAX_BYTES,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.videoTooLarge,
    },
    body: z.object({}),
    status: 201,
    reply: Video,
    problems: ['invalid', 'too_large', 'unsupported_media'],
  }),
  listVideos: endpoint({
    method: 'GET',
    path: '/videos',
    tag: 'Videos',
    summary: 'The uploaded videos, newest first',
    auth: 'bearer',
    status: 200,
    reply: z.array(Video),
    problems: [],
  }),
  createPlayback: endpoint({
    method: 'POST',
    path: '/videos/:videoId/playback',
    tag: 'Videos',
    summary: 'Get an address for playing a video, valid for an hour',
    auth: 'bearer',
    params: byVideo,
    status: 201,
    reply: Playback,
    problems: ['not_found'],
  }),
  deleteVideo: endpoint({
    method: 'DELETE',
    path: '/videos/:videoId',
    tag: 'Videos',
    summary: 'Delete a video; refused while a post still needs it',
    auth: 'bearer',
    params: byVideo,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'in_flight'],
  }),
  setVideoPoster: endpoint({
    method: 'PUT',
    path: '/videos/:videoId/poster',
    tag: 'Videos',
    summary: 'Set the picture of a video for lists; replaces an earlier one',
    auth: 'bearer',
    params: byVideo,
    file: {
      field: 'poster',
      description: 'A JPEG or WebP picture, up to 256 KiB.',
      maxBytes: POSTER_MAX_BYTES,
      missing: TEXTS.choosePoster,
      tooLarge: TEXTS.posterTooLarge,
    },
    body: z.object({}),
    status: 200,
    reply: Video,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media'],
  }),
} as const

/** An own picture, used as the cover of posts. */
export const Picture = z.object({
  picture_id: PictureId,
  url: z.string().describe('A path on this server that needs no login.'),
  width: z.int(),
  height: z.int(),
  size: z.int().describe('Bytes.'),
  created_at: z.iso.datetime(),
})
export type Picture = z.infer<typeof Picture>

export const pictureEndpoints = {
  uploadPicture: endpoint({
    method: 'POST',
    path: '/pictures',
    tag: 'Pictures',
    summary: `Upload a picture to use as a cover; deleted once nothing has used it for ${PICTURE_UNUSED_DAYS} days`,
    auth: 'bearer',
    file: {
      field: 'picture',
      description: `A JPEG picture in RGB or grey, up to 8 MB and ${PICTURE_MAX_SIDE_PX} pixels a side.`,
      maxBytes: PICTURE_MAX_BYTES,
      missing: TEXTS.choosePicture,
      tooLarge: TEXTS.pictureTooLarge,
    },
    body: z.object({}),
    status: 201,
    reply: Picture,
    problems: ['invalid', 'too_large', 'unsupported_media'],
  }),
  getPicture: endpoint({
    method: 'GET',
    path: '/pictures/:pictureId',
    tag: 'Pictures',
    summary: 'One uploaded picture',
    auth: 'bearer',
    params: z.object({ pictureId: PictureId }),
    status: 200,
    reply: Picture,
    problems: ['not_found'],
  }),
} as const
