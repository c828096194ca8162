import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { Account } from '../accounts.ts'
import { ConfirmRepeat } from '../deliveries.ts'
import { AccountId, BrandId, DraftId, PostId } from '../ids.ts'
import {
  NEW_POSTS_BODY_MAX_BYTES,
  NEW_POSTS_MAX,
  NEW_POSTS_MAX_VALUES,
  POSTS_AT_ONCE_MAX,
} from '../limits.ts'
import { NewPost, ZonedTime } from '../posts.ts'

const YEAR_MINUTES = 366 * 24 * 60

export const BulkPosts = z
  .object({
    post_ids: z.array(PostId).min(1, 'Choose at least one post.').max(POSTS_AT_ONCE_MAX),
    action: z
      .enum(['delete', 'cancel', 'move', 'duplicate', 'dismiss'])
      .describe(
        '`delete`: delete each post, as deletePost does. `cancel`: cancel what has not gone out. `move`: move each post to another time. `duplicate`: make a draft of each, planned a day later where the post has a time. `dismiss`: dismiss the failures that are not settled.',
      ),
    by_minutes: z
      .int()
      .min(-YEAR_MINUTES)
      .max(YEAR_MINUTES)
      .optional()
      .describe('For `move`: how many minutes later on the wall clock; negative for earlier.'),
    publish_at: ZonedTime.optional().describe('For `move`: one time for all posts, instead of `by_minutes`.'),
    apart_minutes: z
      .int()
      .min(1)
      .max(7 * 1440)
      .optional()
      .describe(
        'With `publish_at`: the first post goes out then, and each other so many minutes after the one before it in `post_ids`.',
      ),
    next_slots: z
      .literal(true)
      .optional()
      .describe(
        "For `move`, instead of a time: each post takes the next free slot of its posting schedule, or else of its brand's first one with a slot for it, in the order of `post_ids`.",
      ),
    versions: z
      .array(z.int().min(1))
      .optional()
      .describe(
        'For `move`: the `version` of each post as the caller saw it, in the order of `post_ids`. A post that has changed since is refused, so a call whose answer was lost can be sent again.',
      ),
    confirm_repeat: ConfirmRepeat.shape.confirm_repeat,
  })
  .refine(
    ({ action, by_minutes, publish_at, next_slots }) =>
      action !== 'move' ||
      [by_minutes, publish_at, next_slots].filter((one) => one !== undefined).length === 1,
    { path: ['publish_at'], message: 'To move posts, give one of by_minutes, publish_at and next_slots.' },
  )
  .refine(({ publish_at, apart_minutes }) => publish_at !== undefined || apart_minutes === undefined, {
    path: ['apart_minutes'],
    message: 'Posts can only be apart from a time on: give publish_at.',
  })
  .refine(({ post_ids, versions }) => versions === undefined || versions.length === post_ids.length, {
    path: ['versions'],
    message: 'Give the version of each post.',
  })
export type BulkPosts = z.infer<typeof BulkPosts>

export const BulkResult = z.object({
  done: z.array(
    z.object({
      post_id: PostId,
      draft_id: DraftId.optional().describe('The draft that was made of the post.'),
    }),
  ),
  refused: z.array(z.object({ post_id: PostId, message: z.string().describe('The reason, as a sentence.') })),
})
export type BulkResult = z.infer<typeof BulkResult>

const AccountPostsMoved = BulkResult.extend({
  left: z
    .int()
    .describe('Posts that this call did not try. Repeat the call with the number of posts that wait then.'),
})
export type AccountPostsMoved = z.infer<typeof AccountPostsMoved>

const byAccount = z.object({ accountId: AccountId })

const NewPosts = z.object({
  posts: z
    .array(NewPost)
    .min(1, 'Give at least one post.')
    .max(NEW_POSTS_MAX, `Up to ${NEW_POSTS_MAX} posts can be made at once.`)
    .superRefine((posts, context) => {
      const seen = new Set<string>()
      for (const [i, { draft }] of posts.entries()) {
        if (draft && seen.has(draft.draft_id))
          context.addIssue({ code: 'custom', path: [i, 'draft', 'draft_id'], message: DRAFT_TWICE })
        if (draft) seen.add(draft.draft_id)
      }
    }),
})
const DRAFT_TWICE = 'Another of these posts is made of this draft.'

export const bulkPostEndpoints = {
  createPosts: endpoint({
    method: 'POST',
    path: '/posts/batch',
    tag: 'Posts',
    summary: `Make up to ${NEW_POSTS_MAX} posts like POST /posts, all or none. Posts with place \`next\` get one free slot after the other, in their order. Errors are named like \`posts.3.text\`. An Idempotency-Key is for the posts without a draft: repeating the call makes nothing twice`,
    auth: 'publish',
    limitedKeys: 'named',
    body: NewPosts,
    maxBodyBytes: NEW_POSTS_BODY_MAX_BYTES,
    maxBodyValues: NEW_POSTS_MAX_VALUES,
    idempotent: true,
    status: 201,
    reply: z.object({
      posts: z
        .array(
          z.object({
            post_id: PostId,
            publish_at: z.iso.datetime().nullable().describe('null to post as soon as possible.'),
          }),
        )
        .describe('The posts, in the order of the request.'),
    }),
    problems: [
      'invalid',
      'not_found',
      'too_large',
      'conflict',
      'already_posted',
      'slot_not_free',
      'platform_off',
    ],
  }),
  bulkPosts: endpoint({
    method: 'POST',
    path: '/posts/bulk',
    tag: 'Posts',
    summary:
      'Delete, cancel, move or duplicate several posts, or dismiss their failures. Each is handled on its own: one that is refused stops no other',
    auth: 'publish',
    body: BulkPosts,
    status: 200,
    reply: BulkResult,
    problems: ['invalid'],
  }),
  moveAccount: endpoint({
    method: 'PUT',
    path: '/accounts/:accountId/brand',
    tag: 'Accounts',
    summary: 'Move an account and its posts to another brand',
    auth: 'publish',
    params: byAccount,
    body: z.object({ brand_id: BrandId }),
    status: 200,
    reply: Account,
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  moveAccountPosts: endpoint({
    method: 'POST',
    path: '/accounts/:accountId/move-posts',
    tag: 'Accounts',
    summary:
      'Send the scheduled posts of an account to another account of its platform instead, with the same text, options and time. Each is handled on its own. A call moves up to 100 posts and tries up to 500',
    auth: 'publish',
    params: byAccount,
    body: z.object({
      to_account_id: AccountId,
      posts: z
        .int()
        .min(1)
        .describe('The number of posts that the user agreed to move, as `waiting-posts` returns it.'),
    }),
    status: 200,
    reply: AccountPostsMoved,
    problems: ['invalid', 'not_found', 'posts_waiting'],
  }),
} as const
