import { z } from 'zod'

export const TIKTOK_PRIVACY_LEVELS = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
] as const
export const TikTokPrivacy = z.enum(TIKTOK_PRIVACY_LEVELS)
export type TikTokPrivacy = z.infer<typeof TikTokPrivacy>

export const TIKTOK_PRIVACY_LABELS: Record<TikTokPrivacy, string> = {
  PUBLIC_TO_EVERYONE: 'Public',
  MUTUAL_FOLLOW_FRIENDS: 'Friends Only',
  FOLLOWER_OF_CREATOR: 'Followers Only',
  SELF_ONLY: 'Private',
}

/** The API's default; a form preselects it only if the account offers it (ruling R10). */
export const TIKTOK_DEFAULT_PRIVACY: TikTokPrivacy = 'PUBLIC_TO_EVERYONE'

/** The largest value that TikTok accepts; videos are far shorter. */
export const TIKTOK_COVER_MAX_MS = 2_147_483_647

/** The choices of the specified form. The words are TikTok's `post_info` (docs/platforms/tiktok.md). */
const TikTokFormOptions = z.object({
  privacy_level: TikTokPrivacy.default(TIKTOK_DEFAULT_PRIVACY),
  disable_duet: z.boolean().default(false),
  disable_comment: z.boolean().default(false),
  disable_stitch: z.boolean().default(false),
  video_cover_timestamp_ms: z.int().min(0).max(TIKTOK_COVER_MAX_MS).default(0),
})

/** The names by which the composer keeps choices in drafts. */
export const TIKTOK_CHOICES = [
  'privacy',
  'comment',
  'duet',
  'stitch',
  'coverMs',
  'inbox',
  'promotional',
  'ownBrand',
  'branded',
  'ai',
] as const

/** Choices and options that belong to one video. */
export const TIKTOK_OF_ONE_VIDEO = ['coverMs', 'video_cover_timestamp_ms'] as const

/** "Branded content visibility cannot be set to private" (Content Sharing Guidelines, 2026-09-11). */
export const TIKTOK_BRANDED_PRIVACY: readonly TikTokPrivacy[] = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
]

/** TikTok's own words, from its page for photos: posted as it is, or put into the creator's inbox as a draft. */
export const TIKTOK_POST_MODES = ['DIRECT_POST', 'MEDIA_UPLOAD'] as const

export const TikTokOptions = TikTokFormOptions.extend({
  post_mode: z
    .enum(TIKTOK_POST_MODES)
    .default('DIRECT_POST')
    .describe(
      "MEDIA_UPLOAD: send a draft to the creator's inbox, where they post it themselves. TikTok takes no caption or other option with a draft, so these are ignored.",
    ),
  brand_content_toggle: z
    .boolean()
    .default(false)
    .describe('Branded content that somebody else paid for. It must be visible to everyone or to friends.'),
  brand_organic_toggle: z.boolean().default(false).describe("The video promotes the creator's own business."),
  is_aigc: z.boolean().default(false).describe('Label the video as AI-generated.'),
}).refine(
  (it) =>
    it.post_mode === 'MEDIA_UPLOAD' ||
    !it.brand_content_toggle ||
    TIKTOK_BRANDED_PRIVACY.includes(it.privacy_level),
  { path: ['privacy_level'], error: 'Branded content can only be public or for friends.' },
)
export type TikTokOptions = z.infer<typeof TikTokOptions>

/** "Get Post Status": only public posts ever get an id, and with it a link. Who may see a draft's post its creator decides. */
export const tiktokTellsLink = ({ post_mode, privacy_level }: Readonly<Record<string, unknown>>): boolean =>
  post_mode === ('MEDIA_UPLOAD' satisfies (typeof TIKTOK_POST_MODES)[number]) ||
  privacy_level === ('PUBLIC_TO_EVERYONE' satisfies TikTokPrivacy)

export const TIKTOK_TITLE_MAX_CHARS = 2200

/** The `post_info` field of the TikTok form. */
export const TikTokPostInfo = TikTokFormOptions.extend({
  title: z
    .string()
    .trim()
    .min(1, 'Enter a title.')
    .max(TIKTOK_TITLE_MAX_CHARS, `Use at most ${TIKTOK_TITLE_MAX_CHARS} characters.`),
})
export type TikTokPostInfo = z.infer<typeof TikTokPostInfo>

/** The `source_info` field as the specification has the browser send it; the server makes its own chunk plan. */
export const TikTokSourceInfo = z.object({
  source: z.literal('FILE_UPLOAD'),
  video_size: z.int().positive(),
  chunk_size: z.int().positive(),
  total_chunk_count: z.int().positive(),
})
export type TikTokSourceInfo = z.infer<typeof TikTokSourceInfo>

/** 5 MB: a file under it is one chunk. */
const TIKTOK_FORM_CHUNK_BYTES = 5_242_880

/** The plan that the specification has the browser send (TikTok itself refuses it for most files; see ruling R9). */
export function tiktokSourceInfo(videoSize: number): TikTokSourceInfo {
  const chunk_size = Math.min(videoSize, TIKTOK_FORM_CHUNK_BYTES)
  return {
    source: 'FILE_UPLOAD',
    video_size: videoSize,
    chunk_size,
    total_chunk_count: Math.ceil(videoSize / chunk_size),
  }
}

/** The answer of `creator_info`. */
export const TikTokAccountOptions = z.object({
  platform: z.literal('tiktok'),
  username: z.string(),
  nickname: z.string(),
  avatar_url: z.string().nullable(),
  privacy_levels: z.array(TikTokPrivacy).describe('The only privacy levels that a form may offer.'),
  comment_disabled: z.boolean(),
  duet_disabled: z.boolean(),
  stitch_disabled: z.boolean(),
  max_duration_s: z.int().positive(),
  notice: z
    .string()
    .nullable()
    .describe('The reason why the form offers fewer privacy levels than the account has.'),
})
export type TikTokAccountOptions = z.infer<typeof TikTokAccountOptions>

/** TikTok demands a declaration with this link beside every publish button (Content Sharing Guidelines, 2026-09-11). */
export const TIKTOK_MUSIC_URL = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en'

/** Branded content needs this link in the declaration, too. */
export const TIKTOK_BRANDED_URL = 'https://www.tiktok.com/legal/page/global/bc-policy/en'
