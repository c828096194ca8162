import { z } from 'zod'
import { AccountId, BrandId } from './ids.ts'
import { PlatformId } from './platforms/index.ts'

/** What an account goes by: its handle, or the name that the platform shows where the handle is not known. */
export const accountName = (account: {
  readonly username: string | null
  readonly display_name: string
}): string => (account.username === null ? account.display_name : `@${account.username}`)

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
  can_publish: z.boolean().describe('False when the user withheld the permission to post.'),
  linked_at: z.iso.datetime(),
  access_ends_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'When the access ends unless it is renewed, which the server does by itself, or the account linked again; null: it has ended, or the end is not known.',
    ),
})
export type Account = z.infer<typeof Account>

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
