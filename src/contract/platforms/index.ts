import { z } from 'zod'
import {
  INSTAGRAM_CHOICES,
  INSTAGRAM_OF_ONE_VIDEO,
  InstagramAccountOptions,
  InstagramOptions,
} from './instagram.ts'
import {
  TIKTOK_CHOICES,
  TIKTOK_OF_ONE_VIDEO,
  TikTokAccountOptions,
  TikTokOptions,
  tiktokTellsLink,
} from './tiktok.ts'
import { YOUTUBE_CHOICES, YOUTUBE_OF_ONE_VIDEO, YouTubeAccountOptions, YouTubeOptions } from './youtube.ts'

/** The registry of the contract: a new platform is a file beside this one and a line in each table here. */
export const PLATFORM_IDS = ['tiktok', 'instagram', 'youtube'] as const
export const PlatformId = z.enum(PLATFORM_IDS)
export type PlatformId = z.infer<typeof PlatformId>

export const PLATFORM_NAMES: Record<PlatformId, string> = {
  tiktok: 'TikTok',
  instagram: 'Instagram',
  youtube: 'YouTube',
}

/** Permissions that an account may grant beyond posting: to write and turn off comments, to put drafts into its inbox, to read the numbers of its posts, or more of them. */
export const OptionalPermission = z.enum(['comments', 'inbox_draft', 'results'])
export type OptionalPermission = z.infer<typeof OptionalPermission>

/** The counts of a live post. Each platform reports some of them. Times are milliseconds. */
export const METRICS = [
  'views',
  'likes',
  'comments',
  'shares',
  'saves',
  'followers_gained',
  'reach',
  'average_watch_ms',
  'total_watch_ms',
] as const
export type Metric = (typeof METRICS)[number]

/** The counts that each platform reports. */
export const COUNTED: Record<PlatformId, readonly Metric[]> = {
  tiktok: ['views', 'likes', 'comments', 'shares'],
  instagram: ['views', 'likes', 'comments', 'shares', 'saves', 'reach', 'average_watch_ms', 'total_watch_ms'],
  youtube: ['views', 'likes', 'comments', 'shares', 'followers_gained', 'average_watch_ms', 'total_watch_ms'],
}

/** The counts that need the permission `results`; the others are read without it. */
export const COUNTED_IF_ALLOWED: Record<PlatformId, readonly Metric[]> = {
  tiktok: COUNTED.tiktok,
  instagram: COUNTED.instagram,
  youtube: ['shares', 'followers_gained', 'average_watch_ms', 'total_watch_ms'],
}

/** True: without the permission `results` none of an account's numbers is read. */
export const needsPermissionForAll = (platform: PlatformId): boolean =>
  COUNTED_IF_ALLOWED[platform].length === COUNTED[platform].length

/** How many days the platform lets apps keep its numbers; null: for ever. */
export const RESULTS_KEPT_DAYS: Record<PlatformId, number | null> = {
  tiktok: null,
  instagram: null,
  // Developer Policies III.E.4, 2026-06-24.
  youtube: 30,
}

/** Drafts keep an account's options under the composer's own names, beside those of `PLATFORM_OPTIONS`. */
export const DRAFT_CHOICES = {
  tiktok: TIKTOK_CHOICES,
  instagram: INSTAGRAM_CHOICES,
  youtube: YOUTUBE_CHOICES,
} as const satisfies Record<PlatformId, readonly string[]>

/** Options that belong to one video: its title, cover and first comment. A preset of options has none of them. */
export const OPTIONS_OF_ONE_VIDEO: Record<PlatformId, readonly string[]> = {
  tiktok: TIKTOK_OF_ONE_VIDEO,
  instagram: INSTAGRAM_OF_ONE_VIDEO,
  youtube: YOUTUBE_OF_ONE_VIDEO,
}

export const PLATFORM_OPTIONS = {
  tiktok: TikTokOptions,
  instagram: InstagramOptions,
  youtube: YouTubeOptions,
} as const

/** The option that names the cover's moment (ms), where the platform refuses one past the video's end. */
export const CHECKED_COVERS: Record<PlatformId, string | null> = {
  tiktok: null,
  instagram: 'thumb_offset',
  youtube: null,
}

/** Drafts for an inbox: the option that asks for one, how long its video may be, and how long the platform keeps it. */
type InboxOption = {
  readonly name: string
  readonly value: string
  readonly maxDurationS: number
  readonly keptHours: number
}

/** The option with which a post goes to the inbox of the account's owner as a draft; null: the platform has none. */
export const INBOX_OPTIONS = {
  // Media Transfer Guide, 2026-09-11: 10 minutes. Kept for a day as users report; TikTok's pages name no time.
  tiktok: { name: 'post_mode', value: 'MEDIA_UPLOAD', maxDurationS: 600, keptHours: 24 },
  instagram: null,
  youtube: null,
} as const satisfies Record<PlatformId, InboxOption | null>

export function goesToInbox(platform: PlatformId, options: unknown): boolean {
  const draft = INBOX_OPTIONS[platform]
  if (draft === null || typeof options !== 'object' || options === null) return false
  return Object.entries(options).some(([name, value]) => name === draft.name && value === draft.value)
}

/** The option that names the moment (ms) of the frame that is shown as the cover; null: none does. Drafts name it `coverMs`. */
export const COVER_OPTIONS: Record<PlatformId, string | null> = {
  tiktok: 'video_cover_timestamp_ms',
  instagram: 'thumb_offset',
  youtube: null,
}

/** The option that names an own picture, where the platform takes one. Drafts name it by the same word. */
export const PICTURE_OPTIONS: Record<PlatformId, string | null> = {
  tiktok: null,
  instagram: 'cover_picture_id',
  youtube: 'thumbnail_picture_id',
}

/** True: the own picture is set once the post is live, by a follow-up. False: it goes with the post, or there is none. */
export const PICTURE_SET_LATER: Record<PlatformId, boolean> = {
  tiktok: false,
  instagram: false,
  youtube: true,
}

/** True: the platform may change or remove what it accepted, so a follow-up looks whether the post is as it was asked for. */
export const LOOKED_AT_LATER: Record<PlatformId, boolean> = {
  tiktok: false,
  instagram: false,
  youtube: true,
}

/**
 * Seconds until a live post's link is asked for, and between the first questions; then it is every 15 minutes, later hourly.
 * Infinity: then it is asked for no more.
 */
export const LINK_ASKED_S: Record<PlatformId, readonly number[]> = {
  tiktok: [60],
  instagram: [0, 2, 5, 15, 60, 300],
  // The upload's own answer names the video, so this is for posts that a person called live. A question costs 3 units.
  youtube: [0, 5, 60, 300, 3600, 6 * 3600, 86_400, 7 * 86_400, 21 * 86_400, Infinity],
}

/** False: the platform never tells the link of a post with these options. */
export const tellsLink: Record<PlatformId, (options: Readonly<Record<string, unknown>>) => boolean> = {
  tiktok: tiktokTellsLink,
  instagram: () => true,
  youtube: () => true,
}

export const AccountOptions = z.discriminatedUnion('platform', [
  TikTokAccountOptions,
  InstagramAccountOptions,
  YouTubeAccountOptions,
])
export type AccountOptions = z.infer<typeof AccountOptions>

/** A day is the last 24 hours. */
export const PostsToday = z.object({
  sent: z.int().describe('Posts that this server sent in the last 24 hours.'),
  waiting: z.int().describe('Posts that this server is sending, or that are due within 24 hours.'),
  used: z
    .int()
    .nullable()
    .describe(
      'Posts from any app in the last 24 hours, as the platform counts them. null if it does not say.',
    ),
  total: z
    .int()
    .nullable()
    .describe('The number of posts that the platform allows in 24 hours. null if it does not say.'),
  usual: z
    .int()
    .nullable()
    .describe('The number of posts that the platform usually accepts, if it does not say.'),
  stopped: z
    .object({
      message: z.string(),
      until: z.iso.datetime(),
      limit: z
        .boolean()
        .describe('The posts that the platform allows are used up. false: it refuses for another reason.'),
    })
    .nullable()
    .describe('Set while the platform accepts no posts: why, and when Reelay tries again.'),
})
export type PostsToday = z.infer<typeof PostsToday>

/** The choices of an account, and how much it has left. */
export const AccountNow = z.discriminatedUnion('platform', [
  TikTokAccountOptions.extend({ today: PostsToday }),
  InstagramAccountOptions.extend({ today: PostsToday }),
  YouTubeAccountOptions.extend({ today: PostsToday }),
])
export type AccountNow = z.infer<typeof AccountNow>
