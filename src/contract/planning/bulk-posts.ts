import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { Account } from '../accounts.ts'
import { ConfirmRepeat } from '../deliveries.ts'
import { AccountId, BrandId, DraftId, PostId } from '../ids.ts'
import { POSTS_AT_ONCE_MAX } from '../limits.ts'
import { PublishAt } from '../posts.ts'

const YEAR_MINUTES = 366 * 24 * 60

export const BulkPosts = z
  .object({
    post_ids: z.array(PostId).min(1, 'Choose at least one post.').max(POSTS_AT_ONCE_MAX),
    action: z
      .enum(['delete', 'cancel', 'move', 'duplicate', 'dismiss'])
      .describe(
        '`delete`: as deletePost does. `cancel`: whatever has not gone out. `move`: to another time. `duplicate`: into a draft for each. `dismiss`: whatever of it failed and is not settled.',
      ),
    by_minutes: z
      .int()
      .min(-YEAR_MINUTES)
      .max(YEAR_MINUTES)
      .optional()
      .describe('Of `move`: later by so many minutes of the wall clock; negative: earlier.'),
    publish_at: PublishAt.optional().describe('Of `move`: the same time for all, instead of `by_minutes`.'),
    versions: z
      .array(z.int().min(1))
      .optional()
      .describe(
        'Of `move`: the `version` of each post that was seen, in the order of `post_ids`. One that was changed since is refused, so that a call whose answer was lost can be sent again.',
      ),
    confirm_repeat: ConfirmRepeat.shape.confirm_repeat,
  })
  .refine(
    ({ action, by_minutes, publish_at }) =>
      action !== 'move' || (by_minutes === undefined) !== (publish_at === undefined),
    { path: ['publish_at'], message: 'To move posts, give either by_minutes or publish_at.' },
  )
  .refine(({ post_ids, versions }) => versions === undefined || versions.length === post_ids.length, {
    path: ['versions'],
    message: 'Give the version of each post.',
  })
export type BulkPosts = z.infer<typeof BulkPosts>

export const BulkResult = z.object({
  done: z.array(
    z.object({ post_id: PostId, draft_id: DraftId.optional().describe('The draft that was made of it.') }),
  ),
  refused: z.array(z.object({ post_id: PostId, message: z.string().describe('Why, as a sentence.') })),
})
export type BulkResult = z.infer<typeof BulkResult>

const AccountPostsMoved = BulkResult.extend({
  left: z.int().describe('Posts that this call has not tried: repeat it with the number that waits then.'),
})
export type AccountPostsMoved = z.infer<typeof AccountPostsMoved>

const byAccount = z.object({ accountId: AccountId })

export const bulkPostEndpoints = {
  bulkPosts: endpoint({
    method: 'POST',
    path: '/posts/bulk',
    tag: 'Posts',
    summary:
      'Delete, cancel, move or duplicate several posts, or dismiss their failures, each on its own: one that is refused stops no other',
    auth: 'bearer',
    body: BulkPosts,
    status: 200,
    reply: BulkResult,
    problems: ['invalid'],
  }),
  moveAccount: endpoint({
    method: 'PUT',
    path: '/accounts/:accountId/brand',
    tag: 'Accounts',
    summary: 'Move an account to another brand, with its posts',
    auth: 'bearer',
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
      'Let the posts that wait for an account go to another one of its platform instead, with the same text, options and time; each on its own. A call moves up to 100 and tries up to 500',
    auth: 'bearer',
    params: byAccount,
    body: z.object({
      to_account_id: AccountId,
      posts: z
        .int()
        .min(1)
        .describe('How many posts the user has agreed to move, as the call for `waiting-posts` tells it.'),
    }),
    status: 200,
    reply: AccountPostsMoved,
    problems: ['invalid', 'not_found', 'posts_waiting'],
  }),
} as const
