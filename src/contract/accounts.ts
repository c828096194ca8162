import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, BrandId } from './ids.ts'
import { ACCOUNTS_MAX, ACCOUNTS_PER_BRAND_MAX } from './limits.ts'
import { AccountNow, OptionalPermission, PLATFORM_NAMES, PlatformId, PostsToday } from './platforms/index.ts'
import { CancelPosts, WaitingPosts } from './posts.ts'

/** What an account goes by: its handle, or the name that the platform shows where the handle is not known. */
export const accountName = (account: {
  readonly username: string | null
  readonly display_name: string
}): string => (account.username === null ? account.display_name : `@${account.username}`)

/** Its name where accounts of several platforms may share one. */
export const accountOnPlatform = (
  account: Parameters<typeof accountName>[0] & { readonly platform: PlatformId },
): string => `${accountName(account)} on ${PLATFORM_NAMES[account.platform]}`

/** `ok`: can publish. `relink`: the platform no longer accepts our access; the user must link the account again. */
export const AccountHealth = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ok') }),
  z.object({ status: z.literal('relink'), reason: z.string().describe('Why, as a sentence.') }),
])
export type AccountHealth = z.infer<typeof AccountHealth>

export const Account = z.object({
  account_id: AccountId,
  brand_id: BrandId,
  username: z
    .string()
    .nullable()
    .describe(
      'The handle, without @; null where the platform does not tell it, as without the permission to post.',
    ),
  platform: PlatformId,
  display_name: z.string(),
  avatar_url: z.string().nullable(),
  health: AccountHealth,
  paused: z.boolean().describe('The user has paused posting to it: what is due waits for them to resume it.'),
  can_publish: z.boolean().describe('False when the user withheld the permission to post.'),
  permissions: z
    .array(z.object({ name: OptionalPermission, granted: z.boolean() }))
    .describe(
      'What its platform lets accounts allow beyond posting. To get one that is not granted, link the account again with it.',
    ),
  linked_at: z.iso.datetime(),
  access_ends_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'When the access ends unless it is renewed, which the server does by itself, or the account linked again; null: it has ended, or the end is not known.',
    ),
})
export type Account = z.infer<typeof Account>

/** Whether an account has granted a permission; null: its platform has none of this name. */
export const hasPermission = (
  { permissions }: Pick<Account, 'permissions'>,
  name: OptionalPermission,
): boolean | null => permissions.find((one) => one.name === name)?.granted ?? null

export const LinkStart = z.object({
  url: z.string().describe("The platform's consent page."),
  state: z.string().describe('One-time; send it back with the code.'),
})
export type LinkStart = z.infer<typeof LinkStart>

export const LinkFinish = z.object({
  code: z.string().min(1).max(4096),
  state: z.string().min(1).max(512),
  brand_id: BrandId.optional().describe('Optional; must agree with the brand that the link was started for.'),
})
export type LinkFinish = z.infer<typeof LinkFinish>

const onPlatform = z.object({ platform: PlatformId })
const byAccount = z.object({ accountId: AccountId })

export const accountEndpoints = {
  listAccounts: endpoint({
    method: 'GET',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'The linked accounts, of one brand or of all',
    auth: 'bearer',
    query: z.object({ brandId: BrandId.optional() }),
    status: 200,
    reply: z.array(Account),
    problems: ['not_found'],
  }),
  getAccountOptions: endpoint({
    method: 'GET',
    path: '/accounts/:accountId/options',
    tag: 'Accounts',
    summary: 'What the platform lets this account choose now',
    auth: 'bearer',
    params: byAccount,
    status: 200,
    reply: AccountNow,
    problems: ['not_found', 'conflict', 'platform_refused', 'platform_failed', 'platform_off'],
  }),
  listPostsToday: endpoint({
    method: 'GET',
    path: '/accounts/posts-today',
    tag: 'Accounts',
    summary:
      'How many posts of a day each linked account has left, from what is known here: no platform is asked',
    auth: 'bearer',
    status: 200,
    reply: z.array(z.object({ account_id: AccountId, today: PostsToday })),
    problems: [],
  }),
  unlinkAccount: endpoint({
    method: 'DELETE',
    path: '/accounts/:accountId',
    tag: 'Accounts',
    summary:
      'Unlink an account; refused while it is publishing, and while posts wait for it unless their number is given',
    auth: 'bearer',
    params: byAccount,
    query: CancelPosts,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'in_flight', 'posts_waiting'],
  }),
  getAccountWaiting: endpoint({
    method: 'GET',
    path: '/accounts/:accountId/waiting-posts',
    tag: 'Accounts',
    summary:
      'How many posts to the account would not go out if it were unlinked, and when the first and the last of them would',
    auth: 'bearer',
    params: byAccount,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
  startLink: endpoint({
    method: 'POST',
    path: '/platforms/:platform/authorize',
    tag: 'Accounts',
    summary: `Start linking an account: the platform's consent page and a one-time state. A brand has at most ${ACCOUNTS_PER_BRAND_MAX} accounts, a user ${ACCOUNTS_MAX}`,
    auth: 'bearer',
    params: onPlatform,
    body: z.object({
      brand_id: BrandId,
      account_id: AccountId.optional().describe('To link this very account again.'),
      permissions: z
        .array(OptionalPermission)
        .optional()
        .describe('Also ask for these. What the account has granted is asked for again by itself.'),
    }),
    status: 200,
    reply: LinkStart,
    problems: ['not_found', 'invalid', 'conflict', 'platform_off'],
  }),
  finishLink: endpoint({
    method: 'POST',
    path: '/platforms/:platform/login',
    tag: 'Accounts',
    summary: 'Finish linking an account with the code that the platform sent back',
    auth: 'bearer',
    params: onPlatform,
    body: LinkFinish,
    status: 200,
    reply: Account,
    problems: ['invalid', 'link_refused', 'already_linked', 'conflict', 'platform_failed', 'platform_off'],
  }),
} as const
