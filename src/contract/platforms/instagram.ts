import { z } from 'zod'

export const INSTAGRAM_CAPTION_MAX_CHARS = 2200
/** The Instagram form's own limit: strictly less than 100 MB (104,857,600 bytes). Instagram itself takes more. */
export const INSTAGRAM_FORM_MAX_BYTES = 104_857_599

export const INSTAGRAM_MAX_DURATION_S = 900
/** The cover lies before the end of the longest reel. */
const COVER_MAX_MS = INSTAGRAM_MAX_DURATION_S * 1000 - 1

/** When a trial reel is shown to followers: when its author says so, or by itself if it does well within 72 hours. */
export const INSTAGRAM_GRADUATIONS = ['MANUAL', 'SS_PERFORMANCE'] as const

/** The choices of the specified form. */
const InstagramFormOptions = z.object({
  media_type: z
    .enum(['VIDEO', 'REELS'])
    .default('VIDEO')
    .describe('Stored as sent. Instagram always receives REELS, its type for a single video.'),
  share_to_feed: z.boolean().default(true),
})

export const INSTAGRAM_COLLABORATORS_MAX = 3
export const INSTAGRAM_USER_TAGS_MAX = 20
export const INSTAGRAM_AUDIO_NAME_MAX_CHARS = 100

/** No page says how long a comment may be; Instagram's own field ends here. */
export const INSTAGRAM_COMMENT_MAX_CHARS = 2200

/** Letters, digits, periods and underscores, 30 at most, as Instagram lets people choose; without @. */
export const InstagramUsername = z
  .string()
  .regex(/^[A-Za-z0-9._]{1,30}$/, 'Enter a username without @, such as maria.bakes.')

const usernames = (max: number) =>
  z
    .array(InstagramUsername)
    .max(max, `Enter up to ${max} names.`)
    .refine(
      (all) => new Set(all.map((one) => one.toLowerCase())).size === all.length,
      'Enter each name once.',
    )
    .default([])

/** The words are those of IG User Media (docs/platforms/instagram.md). */
export const InstagramOptions = InstagramFormOptions.extend({
  thumb_offset: z
    .int()
    .min(0)
    .max(COVER_MAX_MS)
    .optional()
    .describe('The moment of the cover frame, in milliseconds. Without it, the first frame.'),
  cover_picture_id: z
    .int()
    .min(1)
    .optional()
    .describe('An uploaded picture (`POST /pictures`) to use as the cover instead of a frame.'),
  collaborators: usernames(INSTAGRAM_COLLABORATORS_MAX).describe('Accounts to invite as collaborators.'),
  user_tags: usernames(INSTAGRAM_USER_TAGS_MAX).describe('People to tag, by username. Public accounts only.'),
  audio_name: z
    .string()
    .trim()
    .min(1)
    .max(INSTAGRAM_AUDIO_NAME_MAX_CHARS, `Use at most ${INSTAGRAM_AUDIO_NAME_MAX_CHARS} characters.`)
    .optional()
    .describe('A name for the original audio.'),
  trial_params: z
    .object({ graduation_strategy: z.enum(INSTAGRAM_GRADUATIONS) })
    .optional()
    .describe('Post a trial reel: shown only to people who do not follow the account, until it graduates.'),
  first_comment: z
    .string()
    .trim()
    .min(1)
    .max(INSTAGRAM_COMMENT_MAX_CHARS, `Use at most ${INSTAGRAM_COMMENT_MAX_CHARS} characters.`)
    .optional()
    .describe('A comment that the account adds once the post is live.'),
  comment_enabled: z.boolean().optional().describe('false to turn comments off once the post is live.'),
  is_ai_generated: z.boolean().default(false).describe('Label the video as made with AI.'),
}).refine((it) => it.first_comment === undefined || it.comment_enabled !== false, {
  path: ['comment_enabled'],
  error: 'Nobody sees a first comment while comments are off. Leave it out, or leave comments on.',
})
export type InstagramOptions = z.infer<typeof InstagramOptions>

/** The names by which the composer keeps choices in drafts. */
export const INSTAGRAM_CHOICES = [
  'shareToFeed',
  'coverMs',
  'cover_picture_id',
  'collaborators',
  'tags',
  'audioName',
  'trial',
  'ai',
  'firstComment',
  'commentsOff',
] as const

/** Choices and options that belong to one video. */
export const INSTAGRAM_OF_ONE_VIDEO = [
  'coverMs',
  'thumb_offset',
  'cover_picture_id',
  'firstComment',
  'first_comment',
] as const

/** The `post_info` field of the Instagram form. */
export const InstagramPostInfo = InstagramFormOptions.extend({
  caption: z
    .string()
    .max(INSTAGRAM_CAPTION_MAX_CHARS, `Use at most ${INSTAGRAM_CAPTION_MAX_CHARS} characters.`)
    .default(''),
})
export type InstagramPostInfo = z.infer<typeof InstagramPostInfo>

export const InstagramAccountOptions = z.object({
  platform: z.literal('instagram'),
  username: z.string(),
  avatar_url: z.string().nullable(),
  quota_used: z.int().nullable().describe('Posts in the last 24 hours. null if Instagram does not say.'),
  quota_total: z.int().nullable(),
})
export type InstagramAccountOptions = z.infer<typeof InstagramAccountOptions>
