import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { BrandId, DraftId, PictureId, PostId, VideoId } from './ids.ts'
import {
  LIBRARY_TAGS_MAX,
  PICTURE_MAX_BYTES,
  PICTURE_MAX_SIDE_PX,
  PICTURE_UNUSED_DAYS,
  POSTER_MAX_BYTES,
  SEARCH_WORDS_MAX,
  VIDEO_FACTS_MAX,
  VIDEO_FETCH_MAX_S,
  VIDEO_MAX_BYTES,
  VIDEO_NAME_MAX_CHARS,
  VIDEO_POSTS_COUNTED_MAX,
  VIDEO_POSTS_SHOWN,
  VIDEO_TAG_MAX_CHARS,
  VIDEO_TAGS_MAX,
  VIDEOS_AT_ONCE_MAX,
  VIDEOS_CURSOR_MAX_CHARS,
  VIDEOS_PAGE_MAX,
  VIDEOS_PAGE_SIZE,
} from './limits.ts'
import { PlatformId } from './platforms/index.ts'
import { ListDay, searchText } from './search.ts'
import { TEXTS } from './texts.ts'

const name = z.string().max(VIDEO_FACTS_MAX.nameChars)
const bitRate = z
  .int()
  .min(0)
  .max(VIDEO_FACTS_MAX.bitRate)
  .nullable()
  .default(null)
  .describe('Average bits per second. null if unknown.')
const side = z.int().min(0).max(VIDEO_FACTS_MAX.sidePx).nullable()

/** These are read from the file itself. */
export const VideoFacts = z.object({
  container: name.describe('`mp4`, `mov`, `webm`, … or `unknown`.'),
  video_codec: name.nullable(),
  audio_codec: name.nullable(),
  audio_rate_hz: z.number().min(0).max(VIDEO_FACTS_MAX.audioRateHz).nullable(),
  audio_channels: z.int().min(0).max(VIDEO_FACTS_MAX.audioChannels).nullable().default(null),
  audio_bit_rate: bitRate,
  video_bit_rate: bitRate,
  duration_s: z.number().min(0).max(VIDEO_FACTS_MAX.durationS).describe('The duration as players show it.'),
  fps: z.number().min(0).max(VIDEO_FACTS_MAX.fps).nullable().describe('The average frame rate.'),
  fps_is_estimate: z.boolean().default(true).describe('true if `fps` was measured on parts of the file.'),
  width: side.describe('In pixels as shown, after rotation.'),
  height: side.describe('In pixels as shown, after rotation.'),
  rotation: z.int().min(0).max(359).describe('In degrees.'),
  chroma: name.nullable().default(null).describe('`4:2:0`, `4:2:2`, … null if unknown.'),
  scan: z.enum(['progressive', 'interlaced']).nullable().default(null).describe('null if unknown.'),
  has_edits: z
    .boolean()
    .nullable()
    .default(null)
    .describe('true if an edit list makes players skip, delay or repeat parts. null if unknown.'),
  index_first: z
    .boolean()
    .nullable()
    .describe('true if the index (`moov`) comes before the media data. null if the container has none.'),
  integrity: z
    .enum(['complete', 'cut_off', 'damaged'])
    .nullable()
    .default(null)
    .describe(
      '`cut_off`: the end of the file is missing. `damaged`: parts of it hold no pictures or sound. null if this could not be determined.',
    ),
})
export type VideoFacts = z.infer<typeof VideoFacts>

/** A property of a video that a platform refuses (`error`) or may handle badly (`warning`). */
export const Finding = z.object({
  platform: PlatformId,
  level: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string().describe('The problem, as a sentence.'),
  remedy: z.string().describe('A sentence that says what to do.'),
})
export type Finding = z.infer<typeof Finding>

/** The address of a video's picture, in `Video` and `Post.video`. */
export const PosterUrl = z
  .string()
  .nullable()
  .describe('A path on this server that needs no login. null if the video has no picture.')

export const Video = z.object({
  video_id: VideoId,
  filename: z.string(),
  mime: z.string(),
  size: z.int().describe('The size in bytes.'),
  sha256: z.string().describe('As hexadecimal digits.'),
  facts: VideoFacts,
  findings: z.array(Finding),
  poster_url: PosterUrl,
  tags: z.array(z.string()).describe('In alphabetical order.'),
  brand_id: BrandId.nullable().describe('The brand to which the video is assigned.'),
  used_in: z
    .object({
      posts: z.int().describe(`${VIDEO_POSTS_COUNTED_MAX} means that many or more.`),
      drafts: z.int(),
    })
    .describe('The number of posts and drafts that use this video, without deleted ones.'),
  created_at: z.iso.datetime(),
})
export type Video = z.infer<typeof Video>

/** One line of visible characters. */
const line = z.string().overwrite((text) =>
  text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim(),
)

export const VideoTag = line.min(1, 'Enter at least one character.').max(VIDEO_TAG_MAX_CHARS)
const VideoTags = z
  .array(VideoTag)
  .max(VIDEO_TAGS_MAX)
  .describe('Tags that differ only in upper and lower case are the same tag.')

const VideoIds = z.array(VideoId).min(1).max(VIDEOS_AT_ONCE_MAX)

export const VideoSort = z.enum(['newest', 'oldest', 'name', 'largest'])
export type VideoSort = z.infer<typeof VideoSort>

export const DeletionEffect = z
  .enum(['kept', 'cancelled', 'blocks'])
  .describe(
    '`kept`: the post is finished and stays. `cancelled`: the post is scheduled and would be cancelled. `blocks`: the post is being sent or may be live, so the video cannot be deleted yet.',
  )
export type DeletionEffect = z.infer<typeof DeletionEffect>

export const VideoUsage = z.object({
  video_id: VideoId,
  posts: z
    .array(
      z.object({
        post_id: PostId,
        text: z.string().describe('The first 200 characters.'),
        publish_at: z.iso.datetime().nullable().describe('null if it is posted as soon as possible.'),
        effect: DeletionEffect,
      }),
    )
    .describe(
      `Up to ${VIDEO_POSTS_SHOWN} posts: first those that block, then those that would be cancelled.`,
    ),
  post_counts: z.object({
    blocks: z.int(),
    cancelled: z.int(),
    kept: z.int().describe(`${VIDEO_POSTS_COUNTED_MAX} means that many or more.`),
  }),
  drafts: z
    .array(z.object({ draft_id: DraftId, text: z.string().describe('The first 200 characters.') }))
    .describe('They stay, without the video.'),
})
export type VideoUsage = z.infer<typeof VideoUsage>

export const Library = z.object({
  videos: z.int(),
  unused: z.int().describe('Videos that no post and no draft uses.'),
  tags: z
    .array(z.object({ tag: z.string(), videos: z.int() }))
    .describe(`In alphabetical order, up to ${LIBRARY_TAGS_MAX}.`),
  storage: z.object({
    used_bytes: z.int().describe('The bytes of videos, pictures, drafts and running uploads.'),
    quota_bytes: z.int().nullable().describe('null if there is no limit.'),
  }),
})
export type Library = z.infer<typeof Library>

/** An address for a `<video>`, which cannot send a token: whoever has it can read the video until it expires. */
export const Playback = z.object({
  url: z
    .string()
    .describe(
      'A path on this server. It supports ranges, and `?download=1` makes browsers save the file. It stops working when the video is deleted.',
    ),
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
    auth: 'write',
    limitedKeys: 'any',
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
    problems: ['invalid', 'too_large', 'unsupported_media', 'quota_exceeded', 'disk_full'],
  }),
  listVideos: endpoint({
    method: 'GET',
    path: '/videos',
    tag: 'Videos',
    summary: 'List the uploaded videos, searched, filtered and sorted',
    auth: 'read',
    query: z.object({
      search: searchText(VIDEO_NAME_MAX_CHARS)
        .optional()
        .describe(
          `Up to ${SEARCH_WORDS_MAX} words. Each must be in the name or in a tag; case does not matter.`,
        ),
      tag: VideoTag.optional(),
      brand_id: BrandId.optional().describe(
        'Only videos that are assigned to the brand or were posted to its accounts.',
      ),
      use: z
        .enum(['unused', 'used'])
        .optional()
        .describe('Only videos that posts or drafts use, or only those that none uses.'),
      from: ListDay.optional().describe("The first day on which videos were added, in the user's time zone."),
      to: ListDay.optional().describe('The last day.'),
      size: z.coerce
        .number()
        .int()
        .min(1)
        .max(VIDEO_MAX_BYTES)
        .optional()
        .describe(
          'Only videos of exactly this size in bytes. Compare `sha256` to find out whether a file is already there.',
        ),
      sort: VideoSort.default('newest'),
      cursor: z.string().max(VIDEOS_CURSOR_MAX_CHARS).optional(),
      limit: z.coerce.number().int().min(1).max(VIDEOS_PAGE_MAX).default(VIDEOS_PAGE_SIZE),
    }),
    status: 200,
    reply: z.object({ videos: z.array(Video), next_cursor: z.string().nullable() }),
    problems: ['not_found'],
  }),
  getVideo: endpoint({
    method: 'GET',
    path: '/videos/:videoId',
    tag: 'Videos',
    summary: 'Get a video',
    auth: 'read',
    limitedKeys: 'named',
    params: byVideo,
    status: 200,
    reply: Video,
    problems: ['not_found'],
  }),
  getLibrary: endpoint({
    method: 'GET',
    path: '/library',
    tag: 'Videos',
    summary: 'Count the videos and list their tags and the storage that they use',
    auth: 'read',
    status: 200,
    reply: Library,
    problems: [],
  }),
  updateVideo: endpoint({
    method: 'PATCH',
    path: '/videos/:videoId',
    tag: 'Videos',
    summary: 'Rename a video, or change its tags or brand',
    auth: 'write',
    params: byVideo,
    body: z.object({
      filename: line
        .min(1, TEXTS.videoUnnamed)
        .max(VIDEO_NAME_MAX_CHARS)
        .optional()
        .describe('The file extension stays, even if you leave it out.'),
      tags: VideoTags.optional(),
      brand_id: BrandId.nullable().optional(),
    }),
    status: 200,
    reply: Video,
    problems: ['invalid', 'not_found'],
  }),
  updateVideos: endpoint({
    method: 'PATCH',
    path: '/videos',
    tag: 'Videos',
    summary: `Change the tags or the brand of up to ${VIDEOS_AT_ONCE_MAX} videos, all or none`,
    auth: 'write',
    body: z.object({
      video_ids: VideoIds,
      add_tags: VideoTags.optional(),
      remove_tags: VideoTags.optional(),
      brand_id: BrandId.nullable().optional(),
    }),
    status: 200,
    reply: z.object({ videos: z.array(Video).describe('In the order of `video_ids`.') }),
    problems: ['invalid', 'not_found'],
  }),
  createPlayback: endpoint({
    method: 'POST',
    path: '/videos/:videoId/playback',
    tag: 'Videos',
    summary:
      'Get an address for playing or downloading a video. It works for an hour, or until all sessions of the user end',
    auth: 'read',
    limitedKeys: 'named',
    params: byVideo,
    status: 201,
    reply: Playback,
    problems: ['not_found'],
  }),
  deleteVideo: endpoint({
    method: 'DELETE',
    path: '/videos/:videoId',
    tag: 'Videos',
    summary: 'Delete a video. Refused while a post still needs it',
    auth: 'write',
    params: byVideo,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'in_flight'],
  }),
  readVideoUsage: endpoint({
    method: 'POST',
    path: '/videos/usage',
    tag: 'Videos',
    summary: `List the posts and drafts that use up to ${VIDEOS_AT_ONCE_MAX} videos, and show what deleting the videos would do to them`,
    auth: 'read',
    body: z.object({ video_ids: VideoIds }),
    status: 200,
    reply: z.object({ videos: z.array(VideoUsage).describe('In the order of `video_ids`.') }),
    problems: ['invalid', 'not_found'],
  }),
  deleteVideos: endpoint({
    method: 'POST',
    path: '/videos/delete',
    tag: 'Videos',
    summary: `Delete up to ${VIDEOS_AT_ONCE_MAX} videos, all or none, and cancel the posts that are scheduled with them. Refused while one of them is being sent. If posts are scheduled, confirm their number with \`cancel_posts\``,
    auth: 'write',
    body: z.object({
      video_ids: VideoIds,
      cancel_posts: z
        .int()
        .min(0)
        .default(0)
        .describe(
          'The number of scheduled posts that the user agreed to cancel: the sum of `cancelled` in `/videos/usage`.',
        ),
    }),
    status: 204,
    reply: noContent,
    problems: ['invalid', 'not_found', 'in_flight', 'posts_waiting'],
  }),
  setVideoPoster: endpoint({
    method: 'PUT',
    path: '/videos/:videoId/poster',
    tag: 'Videos',
    summary:
      'Set the picture that lists show for a video. It replaces an earlier one, unless you ask to keep that. The reply has the picture that is used now',
    auth: 'write',
    params: byVideo,
    file: {
      field: 'poster',
      description: 'A JPEG or WebP picture, up to 256 KiB.',
      maxBytes: POSTER_MAX_BYTES,
      missing: TEXTS.choosePoster,
      tooLarge: TEXTS.posterTooLarge,
      outsideQuota: true,
    },
    body: z.object({
      keep_existing: z
        .enum(['false', 'true'])
        .default('false')
        .describe('true to keep a picture that the video already has. The one sent is then not stored.'),
    }),
    status: 200,
    reply: Video,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media', 'disk_full'],
  }),
} as const

/** An own picture, used as the cover of posts. */
export const Picture = z.object({
  picture_id: PictureId,
  url: z.string().describe('A path on this server that needs no login.'),
  width: z.int(),
  height: z.int(),
  size: z.int().describe('The size in bytes.'),
  created_at: z.iso.datetime(),
})
export type Picture = z.infer<typeof Picture>

export const fetchVideoEndpoints = {
  fetchVideo: endpoint({
    method: 'POST',
    path: '/videos/fetch',
    tag: 'Videos',
    summary: `Download a video from an address into the library, within ${VIDEO_FETCH_MAX_S / 60} minutes. If the connection is lost, look into the library before trying again`,
    auth: 'write',
    limitedKeys: 'any',
    long: true,
    body: z.strictObject({
      url: z
        .url({ protocol: /^https?$/, error: 'Enter an address that begins with https://.' })
        .max(2000)
        .describe('An https address that anybody can open. Redirects are followed.'),
      filename: z.string().min(1).max(255).optional().describe('By default the last part of the address.'),
    }),
    status: 201,
    reply: Video,
    problems: ['invalid', 'too_large', 'quota_exceeded', 'disk_full'],
  }),
} as const

export const pictureEndpoints = {
  uploadPicture: endpoint({
    method: 'POST',
    path: '/pictures',
    tag: 'Pictures',
    summary: `Upload a picture to use as a cover. It is deleted once nothing has used it for ${PICTURE_UNUSED_DAYS} days`,
    auth: 'write',
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
    problems: ['invalid', 'too_large', 'unsupported_media', 'quota_exceeded', 'disk_full'],
  }),
  getPicture: endpoint({
    method: 'GET',
    path: '/pictures/:pictureId',
    tag: 'Pictures',
    summary: 'Get an uploaded picture',
    auth: 'read',
    params: z.object({ pictureId: PictureId }),
    status: 200,
    reply: Picture,
    problems: ['not_found'],
  }),
} as const
