import { z } from 'zod'

export const INSTAGRAM_CAPTION_MAX_CHARS = 2200
/** The Instagram form's own limit: strictly less than 100 MB (104,857,600 bytes). Instagram itself takes more. */
export const INSTAGRAM_FORM_MAX_BYTES = 104_857_600

/** A reel lasts 15 minutes at most, and the cover lies before its end. */
export const INSTAGRAM_COVER_MAX_MS = 899_999

/** What a user may choose for one Instagram account. */
export const InstagramOptions = z.object({
  media_type: z
    .enum(['VIDEO', 'REELS'])
    .default('VIDEO')
    .describe('Stored as sent; Instagram is always told REELS, which is what it calls a video of its own.'),
  share_to_feed: z.boolean().default(true),
  thumb_offset: z
    .int()
    .min(0)
    .max(INSTAGRAM_COVER_MAX_MS)
    .optional()
    .describe('The moment of the cover, in ms; absent: the first frame.'),
})
export type InstagramOptions = z.infer<typeof InstagramOptions>

/** The `post_info` field of the Instagram form. */
export const InstagramPostInfo = InstagramOptions.extend({
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
  quota_used: z.int().nullable().describe('Posts in the last 24 hours, where Instagram says so.'),
  quota_total: z.int().nullable(),
})
export type InstagramAccountOptions = z.infer<typeof InstagramAccountOptions>
