import { z } from 'zod'
import { Delivery, DeliveryEvent } from './deliveries.ts'
import { AccountId, BrandId, PostId, VideoId } from './ids.ts'
import { OVERVIEW_DAYS, POST_TARGETS_MAX, POST_TEXT_MAX_CHARS } from './limits.ts'
import { TimeZone } from './users.ts'
import { PosterUrl } from './videos.ts'

export const Post = z.object({
  post_id: PostId,
  brand_id: BrandId.nullable(),
  brand_title: z.string().nullable(),
  text: z.string(),
  video: z
    .object({
      video_id: VideoId,
      filename: z.string(),
      size: z.int(),
      duration_s: z.number(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      poster_url: PosterUrl,
    })
    .describe('The video that was sent.'),
  publish_at: z.iso.datetime().nullable().describe('null: as soon as possible.'),
  timezone: z.string().nullable().describe('The zone in which `publish_at` was chosen.'),
  created_at: z.iso.datetime(),
  deliveries: z.array(Delivery),
})
export type Post = z.infer<typeof Post>

export const PostDetail = Post.extend({ events: z.array(DeliveryEvent) })
export type PostDetail = z.infer<typeof PostDetail>

/** A wall-clock time in a zone; both are kept, so that a change of the zone's rules moves the post with the wall clock. */
const PublishAt = z.object({
  local: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, 'Give the time as YYYY-MM-DDTHH:MM.')
    .describe('Wall clock, such as `2026-12-24T18:30`.'),
  timezone: TimeZone,
})

export const NewPost = z.object({
  video_id: VideoId,
  text: z.string().max(POST_TEXT_MAX_CHARS),
  targets: z
    .array(z.object({ account_id: AccountId, options: z.record(z.string(), z.unknown()).default({}) }))
    .min(1, 'Choose at least one account.')
    .max(POST_TARGETS_MAX),
  publish_at: PublishAt.optional(),
})
export type NewPost = z.infer<typeof NewPost>

/** The header by which a request that is sent again is known to be the same. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'Idempotency-Key takes 1 to 200 visible ASCII characters.')

/** The filters that are counted. */
export const POST_COUNTS = ['all', 'attention', 'scheduled', 'publishing', 'published', 'failed'] as const
export type PostCount = (typeof POST_COUNTS)[number]

/** Every post is in one of `attention`, `upcoming` and `past`; with several accounts it may be under several of the others. */
export const PostFilter = z
  .enum([...POST_COUNTS, 'upcoming', 'past'])
  .describe(
    `\`attention\`: a delivery is unconfirmed or held, or failed within the last ${OVERVIEW_DAYS} days. \`upcoming\`: the others that are going out or wait for their time. \`past\`: the rest.`,
  )
export type PostFilter = z.infer<typeof PostFilter>

/** What would not be posted if its accounts went. */
export const WaitingPosts = z.object({
  posts: z.int().describe('Posts that wait for their time or are held.'),
  first_at: z.iso.datetime().nullable().describe('When the first of them goes out.'),
  last_at: z.iso.datetime().nullable().describe('When the last of them goes out.'),
})
export type WaitingPosts = z.infer<typeof WaitingPosts>

/** Nothing that waits is cancelled unless its number is given, and is still right. */
export const CancelPosts = z.object({
  cancel_posts: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'How many waiting posts the user has agreed to cancel, as the call for `waiting-posts` tells it.',
    ),
})
