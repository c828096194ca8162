import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { AccountId, BrandId, DeliveryId, PostId, VideoId } from './ids.ts'
import { RESULTS_CURSOR_MAX_CHARS, RESULTS_PAGE_MAX, RESULTS_PAGE_SIZE } from './limits.ts'
import { METRICS, PlatformId } from './platforms/index.ts'
import { ListDay } from './search.ts'
import { TimeZone } from './users.ts'
import { PosterUrl } from './videos.ts'

/** The ages of a post at which its numbers are kept, in hours: an hour, a day, 7 days, 28 days, then weekly to 12 weeks. */
export const MARK_AGES_H = [1, 24, 168, 672, 840, 1008, 1176, 1344, 1512, 1680, 1848, 2016] as const

export const MissingReason = z
  .enum(['not_yet', 'not_allowed', 'not_offered', 'gone', 'unlinked', 'missed', 'not_kept'])
  .describe(
    'not_yet: the post is younger, or the platform does not report it yet. not_allowed: the account has not granted the permission for it, or must be linked again. not_offered: the platform does not count it, or had not reported it at that age. gone: the platform did not show the post: deleted, private or under review. unlinked: the account was unlinked by then. missed: the server was down at that age, could not reach the platform, or did not know the post there. not_kept: the platform lets apps keep its numbers for 30 days only.',
  )
export type MissingReason = z.infer<typeof MissingReason>

/** A number, or why there is none. Never 0 for what is not known. */
export const Measured = z.object({
  value: z.int().nullable(),
  missing: MissingReason.nullable().describe('null if there is a value.'),
})
export type Measured = z.infer<typeof Measured>

export const MetricName = z.enum(METRICS)
const Values = z.record(MetricName, Measured)

export const ResultMark = z.object({
  age_hours: z.int().describe(`One of ${MARK_AGES_H.join(', ')}.`),
  read_at: z.iso.datetime().nullable().describe('null if there is no reading of that age.'),
  values: Values,
})
export type ResultMark = z.infer<typeof ResultMark>

const ofAccount = {
  account_id: AccountId,
  platform: PlatformId,
  username: z.string().nullable(),
  display_name: z.string(),
  avatar_url: z.string().nullable(),
  linked: z.boolean().describe('false if the account was unlinked. Its results stay as they are.'),
  allowed: z
    .boolean()
    .describe(
      'false if the account has not granted the permission `results`. Numbers that do not need it are there all the same.',
    ),
}

export const ResultsAccount = z.object(ofAccount)
export type ResultsAccount = z.infer<typeof ResultsAccount>

export const DeliveryResults = z.object({
  delivery_id: DeliveryId,
  ...ofAccount,
  live_at: z.iso.datetime(),
  url: z.string().nullable().describe('The address of the live post, if it is known.'),
  gone_since: z.iso
    .datetime()
    .nullable()
    .describe(
      'The time since which the platform does not show the post. null if it does. Set once two readings a day apart have not found it.',
    ),
  marks: z
    .array(ResultMark)
    .length(MARK_AGES_H.length)
    .describe('The numbers at fixed ages, youngest first.'),
  latest: z
    .object({ read_at: z.iso.datetime(), values: Values })
    .nullable()
    .describe('The last numbers that the platform reported. null if it reported none yet.'),
  next_reading_at: z.iso.datetime().nullable().describe('null if it is not read any more.'),
})
export type DeliveryResults = z.infer<typeof DeliveryResults>

export const PostResults = z.object({
  post_id: PostId,
  deliveries: z.array(DeliveryResults).describe('Those that are live.'),
})
export type PostResults = z.infer<typeof PostResults>

export const ResultsAge = z.enum(['24h', '7d', '28d', 'now'])
export type ResultsAge = z.infer<typeof ResultsAge>

/** How a number compares with those of the account's other posts at the same age. */
export const Band = z.enum(['above', 'usual', 'below'])
export type Band = z.infer<typeof Band>

export const ResultsCell = z.object({
  delivery_id: DeliveryId,
  account_id: AccountId,
  live_at: z.iso.datetime(),
  views: Measured,
  usual: z
    .number()
    .nullable()
    .describe(
      "The median of the account's last posts at that age, this one left out. null for the age `now`, because it is a different one for each post, and if there are too few posts.",
    ),
  band: Band.nullable().describe(
    'above: half as much again as usual, or more. below: two thirds of it, or less. null if there is nothing to compare.',
  ),
})
export type ResultsCell = z.infer<typeof ResultsCell>

export const ResultsRow = z.object({
  post_id: PostId,
  brand_id: BrandId.nullable(),
  brand_title: z.string().nullable(),
  text: z.string(),
  video: z.object({ video_id: VideoId, poster_url: PosterUrl }),
  live_at: z.iso.datetime().describe('The time at which it went live on the last of these accounts.'),
  cells: z.array(ResultsCell).describe('One for each account on which the post is live.'),
})
export type ResultsRow = z.infer<typeof ResultsRow>

const filters = {
  brandId: BrandId.optional(),
  platform: PlatformId.optional(),
  accountId: AccountId.optional(),
  from: ListDay.optional().describe('The first day on which a post went out.'),
  to: ListDay.optional().describe('The last day.'),
  timezone: TimeZone.optional().describe("The time zone of these days. By default the user's."),
  age: ResultsAge.default('24h').describe('The age of which every number is; `now`: the last reading.'),
}

const sum = z.object({
  platform: PlatformId,
  views: z.int().describe('Their views at 24 hours. Platforms count views in different ways.'),
  counted: z.int().describe('The number of posts with a value.'),
  of: z.int().describe('The number of posts that are 24 hours old.'),
})

export const ResultsWeek = z.object({
  live: z.int().describe('Posts to one account each that went live in the last 7 days.'),
  views: z.array(sum).describe('One for each platform with such posts that are 24 hours old.'),
  above: z.int().describe('Those that are above what their account is used to after 24 hours.'),
  compared: z.int().describe('Those that could be compared.'),
})
export type ResultsWeek = z.infer<typeof ResultsWeek>

const byPost = z.object({ postId: PostId })

export const resultsEndpoints = {
  getPostResults: endpoint({
    method: 'GET',
    path: '/posts/:postId/results',
    tag: 'Results',
    summary: 'Show what a post did on each of its accounts, at fixed ages and now',
    auth: 'read',
    limitedKeys: 'named',
    params: byPost,
    status: 200,
    reply: PostResults,
    problems: ['not_found'],
  }),
  listResults: endpoint({
    method: 'GET',
    path: '/results',
    tag: 'Results',
    summary:
      'List posts with their views on each account, all at the same age, against what that account is used to',
    auth: 'read',
    query: z.object({
      ...filters,
      sort: z
        .enum(['newest', 'views'])
        .default('newest')
        .describe(
          'views: by the views on the account that has most of them. Views of different platforms are not added up.',
        ),
      cursor: z.string().max(RESULTS_CURSOR_MAX_CHARS).optional(),
      limit: z.coerce.number().int().min(1).max(RESULTS_PAGE_MAX).default(RESULTS_PAGE_SIZE),
    }),
    status: 200,
    reply: z.object({
      rows: z.array(ResultsRow),
      accounts: z.array(ResultsAccount).describe('The accounts of these rows.'),
      next_cursor: z.string().nullable(),
    }),
    problems: ['not_found'],
  }),
  exportResults: endpoint({
    method: 'GET',
    path: '/results/export',
    tag: 'Results',
    summary: 'Export results as a CSV file: one line for each post on an account, all at the same age',
    auth: 'read',
    query: z.object(filters),
    download: 'text/csv',
    status: 200,
    reply: z
      .string()
      .describe('UTF-8. A number that is missing is empty, and the last column says why for each of them.'),
    problems: ['not_found'],
  }),
  getResultsWeek: endpoint({
    method: 'GET',
    path: '/results/week',
    tag: 'Results',
    summary: 'Show the last 7 days in numbers',
    auth: 'read',
    status: 200,
    reply: ResultsWeek,
    problems: [],
  }),
} as const
