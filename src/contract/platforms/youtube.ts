import { z } from 'zod'

export const YOUTUBE_PRIVACY_LEVELS = ['public', 'unlisted', 'private'] as const
export const YouTubePrivacy = z.enum(YOUTUBE_PRIVACY_LEVELS)
export type YouTubePrivacy = z.infer<typeof YouTubePrivacy>

/** Videos, `snippet.title`: "maximum length of 100 characters", all UTF-8 characters except `<` and `>`. */
export const YOUTUBE_TITLE_MAX_CHARS = 100
/** Videos, `snippet.description`: "maximum length of 5000 bytes". Bytes of UTF-8, not characters. */
export const YOUTUBE_DESCRIPTION_MAX_BYTES = 5000
/** Videos, `snippet.tags`: 500 characters, counted by `countTagChars`. */
export const YOUTUBE_TAGS_MAX_CHARS = 500
/** As many tags of one character as the limit takes, with the commas between them. */
export const YOUTUBE_TAGS_MAX = 250
/** No page tells a length; 10,000 characters is what users report. */
export const YOUTUBE_COMMENT_MAX_CHARS = 10_000

/** Help, "Upload videos longer than 15 minutes": seconds that a channel without a confirmed phone number may post. */
export const YOUTUBE_UNVERIFIED_MAX_S = 900
/** Help: 12 hours, for a channel with a confirmed phone number. */
export const YOUTUBE_VERIFIED_MAX_S = 43_200
/** Help, "Three-minute Shorts": a vertical or square video that is not longer is a Short. */
export const YOUTUBE_SHORT_MAX_S = 180

export const YOUTUBE_LICENSES = ['youtube', 'creativeCommon'] as const

/** The assignable categories of `videoCategories.list`. YouTube files a video without one under its own default. */
export const YOUTUBE_CATEGORY_IDS = [
  '1',
  '2',
  '10',
  '15',
  '17',
  '19',
  '20',
  '22',
  '23',
  '24',
  '25',
  '26',
  '27',
  '28',
  '29',
] as const

const WITHOUT_BRACKETS = /^[^<>]*$/

/** Videos, `snippet.tags`: a tag with a space counts two quotation marks more, and the commas between tags count too. */
export const countTagChars = (tags: readonly string[]): number =>
  tags.reduce((sum, tag) => sum + tag.length + (/\s/.test(tag) ? 2 : 0), 0) + Math.max(tags.length - 1, 0)

const TAGS_TOO_LONG = `Use at most ${YOUTUBE_TAGS_MAX_CHARS} characters for all tags together. Commas count too, and a tag with a space counts two extra.`

export const YouTubeTag = z
  .string()
  .trim()
  .min(1)
  .max(YOUTUBE_TAGS_MAX_CHARS, TAGS_TOO_LONG)
  .regex(/^[^<>,"]*$/, "A tag can't contain a comma, a quotation mark, < or >.")

/** The words are those of `videos.insert` (docs/platforms/youtube.md). The post's text is the description. */
export const YouTubeOptions = z
  .object({
    title: z
      .string()
      .trim()
      .min(1, 'Enter a title.')
      .max(YOUTUBE_TITLE_MAX_CHARS, `Use at most ${YOUTUBE_TITLE_MAX_CHARS} characters.`)
      .regex(WITHOUT_BRACKETS, "YouTube doesn't allow < or > in a title.")
      .describe('The title of the video. The text of the post is its description.'),
    privacy: YouTubePrivacy.describe('Who can see the video.'),
    made_for_kids: z
      .boolean()
      .describe('The legal statement whether the video is made for children. true turns comments off.'),
    synthetic_media: z
      .boolean()
      .default(false)
      .describe('true if the video shows realistic content that was altered or generated.'),
    tags: z
      .array(YouTubeTag)
      .max(YOUTUBE_TAGS_MAX, TAGS_TOO_LONG)
      .refine((tags) => countTagChars(tags) <= YOUTUBE_TAGS_MAX_CHARS, {
        error: TAGS_TOO_LONG,
      })
      .default([]),
    category_id: z
      .enum(YOUTUBE_CATEGORY_IDS)
      .optional()
      .describe("The number of YouTube's category. Without it, YouTube chooses."),
    notify_subscribers: z.boolean().default(true),
    license: z.enum(YOUTUBE_LICENSES).default('youtube'),
    embeddable: z.boolean().default(true).describe('false: other websites may not show the video.'),
    public_stats: z
      .boolean()
      .default(true)
      .describe('false: only the channel sees the detailed statistics of the video.'),
    thumbnail_picture_id: z
      .int()
      .min(1)
      .optional()
      .describe(
        'An uploaded picture (`POST /pictures`) to use as the thumbnail. It is set once YouTube has processed the video.',
      ),
    first_comment: z
      .string()
      .trim()
      .min(1)
      .max(YOUTUBE_COMMENT_MAX_CHARS, `Use at most ${YOUTUBE_COMMENT_MAX_CHARS} characters.`)
      .optional()
      .describe('A comment that the channel adds once the video is live.'),
  })
  .refine((it) => it.first_comment === undefined || !it.made_for_kids, {
    path: ['first_comment'],
    error: 'YouTube turns comments off on videos made for kids. Leave the first comment out.',
  })
  .refine((it) => it.first_comment === undefined || it.privacy !== 'private', {
    path: ['first_comment'],
    error: 'Private videos have no comments. Leave the first comment out, or choose another visibility.',
  })
export type YouTubeOptions = z.infer<typeof YouTubeOptions>

/** The names by which the composer keeps choices in drafts. */
export const YOUTUBE_CHOICES = [
  'title',
  'privacy',
  'madeForKids',
  'synthetic',
  'tags',
  'category',
  'notify',
  'license',
  'embeddable',
  'publicStats',
  'thumbnail_picture_id',
  'firstComment',
] as const

/** Choices and options that belong to one video. */
export const YOUTUBE_OF_ONE_VIDEO = [
  'title',
  'thumbnail_picture_id',
  'firstComment',
  'first_comment',
] as const

/** The channel, as `channels.list` tells it. */
export const YouTubeAccountOptions = z.object({
  platform: z.literal('youtube'),
  title: z.string().describe("The channel's title."),
  username: z.string().nullable().describe("The channel's handle without @. null if it has none."),
  avatar_url: z.string().nullable(),
  long_uploads: z.boolean().describe('The channel may post videos that last more than 15 minutes.'),
  max_duration_s: z.int().positive(),
})
export type YouTubeAccountOptions = z.infer<typeof YouTubeAccountOptions>
