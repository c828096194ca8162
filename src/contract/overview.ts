import { z } from 'zod'
import { Account } from './accounts.ts'
import { endpoint } from './http/endpoint.ts'
import { OVERVIEW_COUNTED_MAX, OVERVIEW_DAYS, OVERVIEW_SHOWN } from './limits.ts'
import { NEEDS_ATTENTION, Post } from './posts.ts'

const total = z
  .int()
  .describe(
    `The number in all; the list has the first of them. ${OVERVIEW_COUNTED_MAX} means that many or more.`,
  )
const posts = z.array(Post).max(OVERVIEW_SHOWN)

/** One day of the user's zone: what was published on it, and what failed on it and has not been tried again. */
export const OverviewDay = z.object({
  day: z.iso.date(),
  published: z.int().describe('Deliveries that went live on that day.'),
  failed: z.int().describe('Deliveries that failed on that day and are still failed.'),
})
export type OverviewDay = z.infer<typeof OverviewDay>

export const Overview = z.object({
  first_steps: z
    .object({ brand: z.boolean(), account: z.boolean(), video: z.boolean(), post: z.boolean() })
    .describe('The first steps that are done: a brand, an account, a video, a post.'),
  relink: z
    .object({ accounts: z.array(Account).max(OVERVIEW_SHOWN), total })
    .describe('Accounts that need to be linked again.'),
  attention: z
    .object({ posts, total })
    .describe(
      `The posts that the queue lists under \`attention\`: ${NEEDS_ATTENTION}. Posts whose time has come are first, latest first. Then those to come, soonest first.`,
    ),
  next: z
    .object({ posts, total })
    .describe(
      'The posts that the queue lists under `upcoming`: those that are going out or are scheduled, soonest first.',
    ),
  published: z.array(Post).max(OVERVIEW_SHOWN).describe('The posts that were published last, latest first.'),
  days: z
    .array(OverviewDay)
    .length(OVERVIEW_DAYS)
    .describe("The last days in the user's time zone, today last. A day without posts has zeros."),
  timezone: z
    .string()
    .describe("The time zone of `days`: the user's, or UTC if the server does not know that zone."),
})
export type Overview = z.infer<typeof Overview>

export const overviewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'Posts',
    summary:
      'Show how things stand: first steps, what needs attention, what goes out next, the last two weeks',
    auth: 'bearer',
    status: 200,
    reply: Overview,
    problems: [],
  }),
} as const
