import { z } from 'zod'
import { PausedUntil } from './deliveries.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { BrandId } from './ids.ts'
import { BRANDS_MAX, BRAND_TITLE_MAX_CHARS, BRAND_TITLE_MIN_CHARS, BRAND_TITLE_PATTERN } from './limits.ts'
import { CancelPosts, WaitingPosts } from './waiting-posts.ts'
import { TEXTS } from './texts.ts'
import { TimeZone } from './users.ts'

export const BrandTitle = z
  .string()
  // White space is allowed; what breaks a line or moves a column becomes a space, since a name is shown on one line.
  .overwrite((title) => title.replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, ' '))
  .trim()
  .min(BRAND_TITLE_MIN_CHARS, TEXTS.brandLength)
  .max(BRAND_TITLE_MAX_CHARS, TEXTS.brandLength)
  .regex(BRAND_TITLE_PATTERN, TEXTS.brandCharacters)

export const Brand = z.object({
  brand_id: BrandId,
  title: z.string(),
  linkedAccounts: z.int().nonnegative(),
  timezone: z
    .string()
    .nullable()
    .describe(
      "The time zone of its posting schedules and new posts. null if it follows the user's time zone.",
    ),
  paused: z.boolean().describe('Posting to all of its accounts is paused.'),
  paused_until: PausedUntil,
  created_at: z.iso.datetime(),
})
export type Brand = z.infer<typeof Brand>

const byBrand = z.object({ brandId: BrandId })

export const brandEndpoints = {
  listBrands: endpoint({
    method: 'GET',
    path: '/brands',
    tag: 'Brands',
    summary: 'List the brands, oldest first',
    auth: 'bearer',
    status: 200,
    reply: z.array(Brand),
    problems: [],
  }),
  createBrand: endpoint({
    method: 'POST',
    path: '/brands',
    tag: 'Brands',
    summary: `Create a brand. A user has up to ${BRANDS_MAX}`,
    auth: 'bearer',
    body: z.object({ title: BrandTitle }),
    status: 201,
    reply: Brand,
    problems: ['invalid', 'conflict'],
  }),
  renameBrand: endpoint({
    method: 'PUT',
    path: '/brands',
    tag: 'Brands',
    summary:
      'Rename a brand, or change its time zone. If that moves posts, confirm their number with `moves`, else the call gets 409 `posts_move`',
    auth: 'bearer',
    body: z.object({
      brand_id: BrandId,
      title: BrandTitle,
      timezone: TimeZone.nullable()
        .optional()
        .describe(
          "null to follow the user's time zone. Leave it out to keep the present one. Posts in its schedules keep their time of day and move with the zone.",
        ),
      moves: z.int().min(0).default(0).describe('The number of posts that the user agreed to move.'),
    }),
    status: 200,
    reply: Brand,
    problems: ['invalid', 'not_found', 'posts_move'],
  }),
  deleteBrand: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId',
    tag: 'Brands',
    summary:
      'Delete a brand and unlink its accounts. Refused while one of them is publishing. If posts are scheduled for them, confirm their number with `cancel_posts`',
    auth: 'bearer',
    params: byBrand,
    query: CancelPosts,
    status: 204,
    reply: noContent,
    problems: ['not_found', 'in_flight', 'posts_waiting'],
  }),
  getBrandWaiting: endpoint({
    method: 'GET',
    path: '/brands/:brandId/waiting-posts',
    tag: 'Brands',
    summary:
      'Count the scheduled posts that deleting this brand would cancel, and show when the first and last of them go out',
    auth: 'bearer',
    params: byBrand,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
} as const
