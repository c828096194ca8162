import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { BrandId } from './ids.ts'
import { BRANDS_MAX, BRAND_TITLE_MAX_CHARS, BRAND_TITLE_MIN_CHARS, BRAND_TITLE_PATTERN } from './limits.ts'
import { CancelPosts, WaitingPosts } from './posts.ts'
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
  timezone: z.string().nullable().describe("The zone of its queues and new posts. null: the user's."),
  paused: z.boolean().describe('Nothing is posted to its accounts.'),
  created_at: z.iso.datetime(),
})
export type Brand = z.infer<typeof Brand>

const byBrand = z.object({ brandId: BrandId })

export const brandEndpoints = {
  listBrands: endpoint({
    method: 'GET',
    path: '/brands',
    tag: 'Brands',
    summary: 'The brands, oldest first',
    auth: 'bearer',
    status: 200,
    reply: z.array(Brand),
    problems: [],
  }),
  createBrand: endpoint({
    method: 'POST',
    path: '/brands',
    tag: 'Brands',
    summary: `Create a brand; a user has at most ${BRANDS_MAX}`,
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
      'Rename a brand, or give it another time zone. Refused (409 `posts_move`) unless the number of posts that move is given and right',
    auth: 'bearer',
    body: z.object({
      brand_id: BrandId,
      title: BrandTitle,
      timezone: TimeZone.nullable()
        .optional()
        .describe(
          "null: the user's; left out: as it is. Posts that wait in its queues move with their wall clocks.",
        ),
      moves: z.int().min(0).default(0).describe('How many posts the user has agreed to move.'),
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
      'Delete a brand and unlink its accounts; refused while one of them is publishing, and while posts wait for them unless their number is given',
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
      'How many posts would not go out if the brand were deleted, and when the first and the last of them would',
    auth: 'bearer',
    params: byBrand,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
} as const
