import { z } from 'zod'
import { PausedUntil } from './deliveries.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, BrandId } from './ids.ts'
import { ACCOUNTS_MAX, ACCOUNTS_PER_BRAND_MAX } from './limits.ts'
import { AccountNow, OptionalPermission, PLATFORM_NAMES, PlatformId, PostsToday } from './platforms/index.ts'
import { CancelPosts, WaitingPosts } from './waiting-posts.ts'

/** The account's handle, or its display name if the handle is unknown. */
export const accountName = (account: {
  readonly username: string | null
  readonly display_name: string
}): string => (account.username === null ? account.display_name : `@${account.username}`)

/** The account's name with its platform, for lists with accounts of several platforms. */
export const accountOnPlatform = (
  account: Parameters<typeof accountName>[0] & { readonly platform: PlatformId },
): string => `${accountName(account)} on ${PLATFORM_NAMES[account.platform]}`

/** `ok`: can publish. `relink`: the platform no longer accepts our access; the user must link the account again. */
export const AccountHealth = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ok') }),
  z.object({ status: z.literal('relink'), reason: z.string().describe('The reason, as a sentence.') }),
])
export type AccountHealth = z.infer<typeof AccountHealth>

export const Account = z.object({
  account_id: AccountId,
  brand_id: BrandId,
  username: z
    .string()
    .nullable()
    .describe(
      'The handle without @. null if the platform does not share it, for example without the permission to post.',
    ),
  platform: PlatformId,
  display_name: z.string(),
  avatar_url: z.string().nullable(),
  health: AccountHealth,
  paused: z.boolean().describe('Posting to this account is paused. Due posts wait until it is resumed.'),
  paused_until: PausedUntil,
  can_publish: z.boolean().describe('false if the user withheld the permission to post.'),
  permissions: z
    .array(z.object({ name: OptionalPermission, granted: z.boolean() }))
    .describe(
      'Permissions beyond posting. To get one that is missing, link the account again and ask for it.',
    ),
  linked_at: z.iso.datetime(),
  access_ends_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'The time at which the access expires. The server renews it by itself. null if it has expired already, or if the time is unknown.',
    ),
})
export type Account = z.infer<typeof Account>

/** true if the account has granted the permission; null: its platform has no such permission. */
export const hasPermission = (
  { permissions }: Pick<Account, 'permissions'>,
  name: OptionalPermission,
): boolean | null => permissions.find((one) => one.name === name)?.granted ?? null

export const LinkStart = z.object({
  url: z.string().describe("The platform's consent page. Send the user there."),
  state: z.string().describe('A one-time value. Send it back with the code.'),
})
export type LinkStart = z.infer<typeof LinkStart>

export const LinkFinish = z.object({
  code: z.string().min(1).max(4096),
  state: z.string().min(1).max(512),
  brand_id: BrandId.optional().describe('Optional. It must be the brand for which linking was started.'),
})
export type LinkFinish = z.infer<typeof LinkFinish>

const onPlatform = z.object({ platform: PlatformId })
const byAccount = z.object({ accountId: AccountId })

export const accountEndpoints = {
  listAccounts: endpoint({
    method: 'GET',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'List the linked accounts, of one brand or of all',
    auth: 'read',
    limitedKeys: 'filtered',
    query: z.object({ brandId: BrandId.optional() }),
    status: 200,
    reply: z.array(Account),
    problems: ['not_found'],
  }),
  getAccountOptions: endpoint({
    method: 'GET',
    path: '/accounts/:accountId/options',
    tag: 'Accounts',
    summary: 'Ask the platform which options this account has right now',
    auth: 'read',
    limitedKeys: 'named',
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
      'Show how many posts each linked account has left today. This uses what the server knows; no platform is asked',
    auth: 'read',
    status: 200,
    reply: z.array(z.object({ account_id: AccountId, today: PostsToday })),
    problems: [],
  }),
  unlinkAccount: endpoint({
    method: 'DELETE',
    path: '/accounts/:accountId',
    tag: 'Accounts',
    summary:
      'Unlink an account. Refused while it is publishing. If posts are scheduled for it, confirm their number with `cancel_posts`',
    auth: 'write',
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
      'Count the scheduled posts that unlinking this account would cancel, and show when the first and last of them go out',
    auth: 'read',
    params: byAccount,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
  startLink: endpoint({
    method: 'POST',
    path: '/platforms/:platform/authorize',
    tag: 'Accounts',
    summary: `Start linking an account. Returns the platform's consent page and a one-time state. A brand has up to ${ACCOUNTS_PER_BRAND_MAX} accounts, a user up to ${ACCOUNTS_MAX}`,
    auth: 'session',
    params: onPlatform,
    body: z.object({
      brand_id: BrandId,
      account_id: AccountId.optional().describe('Link this existing account again.'),
      permissions: z
        .array(OptionalPermission)
        .optional()
        .describe(
          'Permissions to ask for in addition. Those that the account has granted already are always asked for again.',
        ),
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
    auth: 'session',
    params: onPlatform,
    body: LinkFinish,
    status: 200,
    reply: Account,
    problems: ['invalid', 'link_refused', 'already_linked', 'conflict', 'platform_failed', 'platform_off'],
  }),
} as const
