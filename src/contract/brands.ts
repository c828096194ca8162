import { z } from 'zod'
import { PausedUntil } from './deliveries.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { BrandId } from './ids.ts'
import {
  BRANDS_MAX,
  BRAND_LOGO_MAX_BYTES,
  BRAND_LOGO_MAX_SIDE_PX,
  BRAND_TITLE_MAX_CHARS,
  BRAND_TITLE_MIN_CHARS,
  BRAND_TITLE_PATTERN,
} from './limits.ts'
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

export const BrandColor = z.enum([
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'indigo',
  'purple',
  'pink',
  'grey',
])
export type BrandColor = z.infer<typeof BrandColor>

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
  color: BrandColor.nullable().describe('The colour chosen for it. null: the app gives it one.'),
  logo_url: z
    .string()
    .nullable()
    .describe('A path on this server that needs no login. null if the brand has no logo.'),
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
    auth: 'read',
    limitedKeys: 'filtered',
    status: 200,
    reply: z.array(Brand),
    problems: [],
  }),
  createBrand: endpoint({
    method: 'POST',
    path: '/brands',
    tag: 'Brands',
    summary: `Create a brand. A user has up to ${BRANDS_MAX}`,
    auth: 'write',
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
      'Rename a brand, or change its colour or its time zone. If that moves posts, confirm their number with `moves`, else the call gets 409 `posts_move`',
    auth: 'publish',
    body: z.object({
      brand_id: BrandId,
      title: BrandTitle,
      timezone: TimeZone.nullable()
        .optional()
        .describe(
          "null to follow the user's time zone. Leave it out to keep the present one. Posts in its schedules keep their time of day and move with the zone.",
        ),
      color: BrandColor.nullable()
        .optional()
        .describe('null to let the app give it one. Leave it out to keep the present one.'),
      moves: z.int().min(0).default(0).describe('The number of posts that the user agreed to move.'),
    }),
    status: 200,
    reply: Brand,
    problems: ['invalid', 'not_found', 'posts_move'],
  }),
  setBrandLogo: endpoint({
    method: 'PUT',
    path: '/brands/:brandId/logo',
    tag: 'Brands',
    summary: 'Set the logo of a brand. It replaces an earlier one',
    auth: 'write',
    params: byBrand,
    file: {
      field: 'logo',
      description: `A PNG picture, up to 128 KiB and ${BRAND_LOGO_MAX_SIDE_PX} pixels a side. It is shown as a small square.`,
      maxBytes: BRAND_LOGO_MAX_BYTES,
      missing: TEXTS.chooseLogo,
      tooLarge: TEXTS.logoTooLarge,
    },
    body: z.object({}),
    status: 200,
    reply: Brand,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media', 'quota_exceeded', 'disk_full'],
  }),
  deleteBrandLogo: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId/logo',
    tag: 'Brands',
    summary: 'Remove the logo of a brand',
    auth: 'write',
    params: byBrand,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  deleteBrand: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId',
    tag: 'Brands',
    summary:
      'Delete a brand with its saved texts, and unlink its accounts. Refused while one of them is publishing. If posts are scheduled for them, confirm their number with `cancel_posts`',
    auth: 'publish',
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
    auth: 'read',
    params: byBrand,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
} as const
