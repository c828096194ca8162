import { z } from 'zod'
import { ConfirmRepeat, Delivery, DeliveryEvent } from './deliveries.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, BrandId, DeliveryId, DraftId, PostId, ScheduleId, VideoId } from './ids.ts'
import {
  DRAFT_TEXT_MAX_CHARS,
  OVERVIEW_DAYS,
  POST_AFTER_MAX_MINUTES,
  POST_BODY_MAX_BYTES,
  POST_TARGETS_MAX,
  POST_TEXT_MAX_CHARS,
  POST_REFERENCE_MAX_CHARS,
  POST_SEARCH_MAX_CHARS,
  POSTS_COUNTED_MAX,
  POSTS_PAGE_DELIVERIES_MAX,
  POSTS_PAGE_MAX,
  POSTS_PAGE_SIZE,
  POSTS_SEARCHED_MAX,
  SEARCH_WORDS_MAX,
  SIMILAR_POST_DAYS,
  VIDEO_MAX_BYTES,
  WAITING_DELIVERIES_MAX,
} from './limits.ts'
import { INSTAGRAM_FORM_MAX_BYTES, InstagramPostInfo } from './platforms/instagram.ts'
import { PlatformId } from './platforms/index.ts'
import { TikTokPostInfo, TikTokSourceInfo } from './platforms/tiktok.ts'
import { ListDay, searchText } from './search.ts'
import { TEXTS } from './texts.ts'
import { TimeZone } from './users.ts'
import { PosterUrl } from './videos.ts'

/** "4 posts wait": of the posts that wait for one cause. */
export const waitText = (posts: number): string =>
  posts < POSTS_COUNTED_MAX ? `${posts} ${posts === 1 ? 'post waits' : 'posts wait'}` : `${posts}+ posts wait`

/** Compared as it is. */
export const Reference = z
  .string()
  .min(1)
  .max(POST_REFERENCE_MAX_CHARS, `Use at most ${POST_REFERENCE_MAX_CHARS} characters.`)
  .regex(/^\P{Cc}*$/u, 'Use letters, numbers and symbols only.')

export const Post = z.object({
  post_id: PostId,
  version: z.int().describe("Grows by one with each change of the post's content or time."),
  brand_id: BrandId.nullable(),
  brand_title: z.string().nullable(),
  text: z.string().describe('The shared text. The text for each account is in `targets` of the single post.'),
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
    .describe("The post's video."),
  publish_at: z.iso.datetime().nullable().describe('null to post as soon as possible.'),
  timezone: z.string().nullable().describe('The time zone in which `publish_at` was chosen.'),
  schedule_id: ScheduleId.nullable().describe('The posting schedule that gave it its time.'),
  reference: z.string().nullable().describe('What the caller calls it.'),
  goes_out_at: z.iso
    .datetime()
    .describe(
      'The time at which the post goes out or went out; the latest one if its accounts differ. Lists are sorted by it.',
    ),
  created_at: z.iso.datetime(),
  deliveries: z.array(Delivery),
})
export type Post = z.infer<typeof Post>

export const PostDetail = Post.extend({
  events: z.array(DeliveryEvent),
  targets: z
    .array(
      z.object({
        delivery_id: DeliveryId,
        text: z.string().describe('The text that goes out to this account.'),
        options: z.record(z.string(), z.unknown()),
        after_minutes: z.int().describe("How many minutes after the post's time it goes out."),
      }),
    )
    .describe(
      'The text, options and distance of each delivery. Lists and events leave them out, because a hundred captions are large.',
    ),
})
export type PostDetail = z.infer<typeof PostDetail>

/** A wall-clock time in a zone; both are kept, so that a change of the zone's rules moves the post with the wall clock. */
export const ZonedTime = z.object({
  local: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/, 'Give the time as YYYY-MM-DDTHH:MM.')
    .describe('A wall clock time, such as `2026-12-24T18:30`.'),
  timezone: TimeZone,
})
export type ZonedTime = z.infer<typeof ZonedTime>

/** The same in an answer: a browser may be older than the zone that the server knows. */
export const SavedZonedTime = ZonedTime.extend({ timezone: z.string() })
export type SavedZonedTime = z.infer<typeof SavedZonedTime>

const placeAt = <T extends z.ZodType<ZonedTime>>(time: T) =>
  z.discriminatedUnion('place', [
    z.object({
      schedule_id: ScheduleId,
      place: z
        .enum(['next', 'top', 'bottom'])
        .describe(
          '`next`: the next free slot. `top`: the first slot; the post that has it moves to the slot after, and so on up to a free one. `bottom`: the slot after the last post.',
        ),
    }),
    z.object({
      schedule_id: ScheduleId,
      place: z
        .literal('slot')
        .describe('Exactly this slot. The call gets 409 `slot_not_free` if it is taken.'),
      slot: time.describe("The slot's wall clock time, in the schedule's time zone."),
    }),
  ])

/** A place in a posting schedule instead of a time. */
export const SchedulePlace = placeAt(ZonedTime)
export type SchedulePlace = z.infer<typeof SchedulePlace>
export const SavedPlace = placeAt(SavedZonedTime)

/** A moment in the calendar. Reelay finds out whether a posting schedule has a slot then. */
export const Moment = z.strictObject({
  at: z.iso.datetime().describe('The time at which the post will go out.'),
  timezone: TimeZone.describe('The zone in which the time is stored if no slot is taken.'),
  schedule_id: ScheduleId.nullable()
    .optional()
    .describe(
      'The posting schedule whose slot the post takes. If that slot is not free for it, the call gets 409 `slot_not_free`. null takes no slot. Leave it out to take a free slot at this time of any schedule of the brand that suits all accounts, or only the time if there is none.',
    ),
  or_time: z
    .boolean()
    .optional()
    .describe('With `schedule_id`: take only the time if the slot is not free, instead of refusing.'),
})
export type Moment = z.infer<typeof Moment>

export const AfterMinutes = z
  .int()
  .min(0)
  .max(POST_AFTER_MAX_MINUTES, 'An account can get the post up to a week after the first.')
  .describe(
    "How many minutes after the post's time it goes out to this account. By default 0; a change keeps what it was. Moving the post keeps the distances.",
  )

/** Unknown fields are refused: a misspelt time would publish now. */
export const NewPost = z.strictObject({
  video_id: VideoId,
  text: z.string().max(POST_TEXT_MAX_CHARS),
  targets: z
    .array(
      z.object({
        account_id: AccountId,
        text: z
          .string()
          .max(POST_TEXT_MAX_CHARS)
          .optional()
          .describe("The text for this account, instead of the post's text."),
        options: z.record(z.string(), z.unknown()).default({}),
        after_minutes: AfterMinutes.optional(),
      }),
    )
    .min(1, 'Choose at least one account.')
    .max(POST_TARGETS_MAX),
  publish_at: ZonedTime.optional(),
  schedule: SchedulePlace.optional().describe(
    "A place in a posting schedule instead of `publish_at`. At least one account must belong to the schedule's brand.",
  ),
  replaces: z
    .array(DeliveryId)
    .max(POST_TARGETS_MAX)
    .optional()
    .describe(
      'Failed deliveries that this post replaces. Those to one of its accounts are settled as `replaced`; the others stay as they are. The call gets 409 `already_posted` if one is no longer failed, or if its account has received the video since.',
    ),
  confirm_repeat: ConfirmRepeat.shape.confirm_repeat,
  reference: Reference.optional().describe(
    'What you call it, such as the id in your CMS. Posts are found by it; it need not be unique.',
  ),
  draft: z
    .object({ draft_id: DraftId, version: z.int().positive() })
    .optional()
    .describe(
      'The draft to publish. It is deleted when the post is made. A draft is posted once: repeating the call returns the same post. Do not send an Idempotency-Key with it.',
    ),
})
export type NewPost = z.infer<typeof NewPost>

/** The latest post to an account with the same video or caption as one that is being written, or else one at the same minute. */
export const SimilarPost = z.object({
  account_id: AccountId,
  post_id: PostId,
  same: z.enum(['video', 'text', 'both', 'time']),
  goes_out_at: z.iso.datetime().describe('The time at which it went out or will go out.'),
})
export type SimilarPost = z.infer<typeof SimilarPost>

/** Fields that are left out stay as they are. */
const Change = z.strictObject({
  version: z
    .int()
    .positive()
    .describe(
      'The version that the change is based on. If the post has changed since, the call gets 409 `conflict`.',
    ),
  text: NewPost.shape.text
    .optional()
    .describe(
      'The new shared text. It also applies to accounts without a text of their own, unless `targets` says otherwise.',
    ),
  video_id: VideoId.optional().describe('Allowed while nothing has started.'),
  publish_at: ZonedTime.nullable().optional().describe('null to post as soon as possible.'),
  schedule: SchedulePlace.optional().describe(
    'A place in a posting schedule instead of `publish_at`. Allowed while nothing has started.',
  ),
  targets: NewPost.shape.targets
    .optional()
    .describe(
      "All accounts of the post. An account that is left out is removed. One that has started must stay unchanged: send it without `text` and `options`. A post without accounts of its posting schedule's brand leaves the schedule and keeps its time.",
    ),
  moment: Moment.optional().describe(
    'Moves the post in the calendar. Send it without other changes. If the accounts belong to several brands, the post takes a slot only if you name its posting schedule. If posting to an account has started, the other accounts get only the time.',
  ),
  confirm_repeat: ConfirmRepeat.shape.confirm_repeat,
  reference: Reference.nullable().optional(),
})
const ALONE = new Set(['version', 'moment', 'confirm_repeat'])

export const PostChange = Change.refine(
  ({ publish_at, schedule }) => publish_at === undefined || schedule === undefined,
  { path: ['schedule'], message: 'Give a time or a place in a posting schedule, not both.' },
).refine((change) => change.moment === undefined || Object.keys(change).every((key) => ALONE.has(key)), {
  path: ['moment'],
  message: 'Move a post by itself, and change the rest in another call.',
})
export type PostChange = z.infer<typeof PostChange>

/** The filters that are counted. */
export const POST_COUNTS = [
  'all',
  'attention',
  'scheduled',
  'publishing',
  'published',
  'in_inbox',
  'failed',
  'cancelled',
] as const
export type PostCount = (typeof POST_COUNTS)[number]

/** In descriptions: what puts a post under `attention`. */
export const NEEDS_ATTENTION = `a delivery is unconfirmed, is blocked by anything but a pause, or failed within the last ${OVERVIEW_DAYS} days and is not settled, or a follow-up has needed attention for no longer than that`

/** Every post is in one of `attention`, `upcoming` and `past`; with several accounts it may be under several of the others. */
export const PostFilter = z
  .enum([...POST_COUNTS, 'upcoming', 'past'])
  .describe(
    `\`attention\`: ${NEEDS_ATTENTION}. \`upcoming\`: other posts that are going out, scheduled or paused. \`past\`: the rest. \`scheduled\` includes what is paused, \`failed\` leaves out failures that are settled.`,
  )
export type PostFilter = z.infer<typeof PostFilter>

/** A list has the posts that meet every given condition. */
export const PostsQuery = z.object({
  status: PostFilter.default('all'),
  brandId: BrandId.optional().describe('Only posts to accounts of this brand.'),
  accountId: AccountId.optional().describe('Only posts to this account.'),
  platform: PlatformId.optional().describe('Only posts to accounts of this platform.'),
  from: ListDay.optional().describe('The first day on which posts go out or went out.'),
  to: ListDay.optional().describe('The last day.'),
  timezone: TimeZone.optional().describe("The time zone of these days. By default the user's."),
  search: searchText(POST_SEARCH_MAX_CHARS)
    .optional()
    .describe(
      `Up to ${SEARCH_WORDS_MAX} words. Each must begin a word of the post's captions; case and accents do not matter. Searches the latest ${POSTS_SEARCHED_MAX} matching posts.`,
    ),
  reference: Reference.optional().describe('Only posts with exactly this reference.'),
  cursor: z
    .string()
    .max(64)
    .optional()
    .describe('The `next_cursor` of the previous page, for the same status.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(POSTS_PAGE_MAX)
    .default(POSTS_PAGE_SIZE)
    .describe(`A page ends early once its posts have ${POSTS_PAGE_DELIVERIES_MAX} deliveries.`),
})
export type PostsQuery = z.infer<typeof PostsQuery>

const byPost = z.object({ postId: PostId })

const FORM_PROBLEMS = [
  'invalid',
  'not_found',
  'too_large',
  'unsupported_media',
  'conflict',
  'platform_off',
  'quota_exceeded',
  'disk_full',
] as const

export const postEndpoints = {
  postTikTokVideo: endpoint({
    method: 'POST',
    path: '/platforms/tiktok/video',
    tag: 'Posts',
    summary: 'Post one video to one TikTok account, now',
    auth: 'publish',
    file: {
      field: 'videoFile',
      description: 'The video: MP4, MOV or WebM, up to 4 GB.',
      maxBytes: VIDEO_MAX_BYTES,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.videoTooLarge,
    },
    body: z.object({ post_info: TikTokPostInfo, source_info: TikTokSourceInfo, accountId: AccountId }),
    idempotent: true,
    status: 202,
    reply: Post,
    problems: FORM_PROBLEMS,
  }),
  postInstagramMedia: endpoint({
    method: 'POST',
    path: '/platforms/instagram/media',
    tag: 'Posts',
    summary: 'Post one video to one Instagram account, now',
    auth: 'publish',
    file: {
      field: 'video',
      description: 'The video: MP4 or MOV, under 100 MB.',
      maxBytes: INSTAGRAM_FORM_MAX_BYTES,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.instagramTooLarge,
    },
    body: z.object({ post_info: InstagramPostInfo, accountId: AccountId }),
    idempotent: true,
    status: 202,
    reply: Post,
    problems: FORM_PROBLEMS,
  }),
  createPost: endpoint({
    method: 'POST',
    path: '/posts',
    tag: 'Posts',
    summary: `Post an uploaded video to one or more accounts, now or later. Up to ${WAITING_DELIVERIES_MAX} deliveries of a user can wait`,
    auth: 'publish',
    limitedKeys: 'named',
    body: NewPost.extend({
      preview_token: z
        .string()
        .max(200)
        .optional()
        .describe(
          'The token of a dry run of the same post within the last day. If what would be posted has changed since, the call gets 409 `preview_changed`. A token makes one post: repeating the call returns it. Send no Idempotency-Key with it.',
        ),
    }),
    maxBodyBytes: POST_BODY_MAX_BYTES,
    idempotent: true,
    status: 201,
    reply: Post,
    problems: [
      'invalid',
      'not_found',
      'too_large',
      'conflict',
      'already_posted',
      'slot_not_free',
      'preview_changed',
      'platform_off',
    ],
  }),
  findSimilarPosts: endpoint({
    method: 'POST',
    path: '/posts/similar',
    tag: 'Posts',
    summary: `Find posts with the same video or text to the same accounts, from ${SIMILAR_POST_DAYS} days ago to ${SIMILAR_POST_DAYS} days ahead, or else at the same minute. Returns the latest for each account`,
    auth: 'read',
    limitedKeys: 'named',
    body: z.object({
      video_id: VideoId,
      targets: z
        .array(
          z.object({
            account_id: AccountId,
            text: z.string().max(DRAFT_TEXT_MAX_CHARS),
            after_minutes: AfterMinutes.optional(),
          }),
        )
        .max(POST_TARGETS_MAX),
      publish_at: ZonedTime.optional().describe('When it is to go out, if it has a time of its own.'),
    }),
    maxBodyBytes: POST_BODY_MAX_BYTES,
    status: 200,
    reply: z.object({ items: z.array(SimilarPost) }),
    problems: ['invalid', 'not_found', 'too_large'],
  }),
  listPosts: endpoint({
    method: 'GET',
    path: '/posts',
    tag: 'Posts',
    summary:
      'List posts with their deliveries. Those that are still open come first, soonest first. Then the finished ones, latest first',
    auth: 'read',
    limitedKeys: 'named',
    query: PostsQuery,
    status: 200,
    reply: z.object({
      items: z.array(Post),
      next_cursor: z.string().nullable(),
      counts: z
        .record(z.enum(POST_COUNTS), z.int())
        .describe(
          `The number of posts under each status, with the other filters applied. ${POSTS_COUNTED_MAX} means that many or more. With a limited API key it includes posts that also go to other accounts, which are not listed.`,
        ),
    }),
    problems: ['not_found'],
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/posts/:postId',
    tag: 'Posts',
    summary: 'Get a post with its timeline',
    auth: 'read',
    limitedKeys: 'named',
    params: byPost,
    status: 200,
    reply: PostDetail,
    problems: ['not_found'],
  }),
  editPost: endpoint({
    method: 'PATCH',
    path: '/posts/:postId',
    tag: 'Posts',
    summary:
      'Change a post where it has not started yet. A change that concerns an account that has started gets 409 `in_flight`',
    auth: 'publish',
    limitedKeys: 'named',
    params: byPost,
    body: PostChange,
    maxBodyBytes: POST_BODY_MAX_BYTES,
    status: 200,
    reply: Post,
    problems: [
      'invalid',
      'not_found',
      'conflict',
      'in_flight',
      'already_posted',
      'slot_not_free',
      'too_large',
      'platform_off',
    ],
  }),
  deletePost: endpoint({
    method: 'DELETE',
    path: '/posts/:postId',
    tag: 'Posts',
    summary:
      'Delete a post from the lists. What is scheduled is cancelled; what is live stays on its platform. Refused while the post may be going out',
    auth: 'write',
    limitedKeys: 'named',
    params: byPost,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'in_flight'],
  }),
} as const
