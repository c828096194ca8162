import { z } from 'zod'
import { Account } from './accounts.ts'
import { endpoint } from './http/endpoint.ts'
import { OVERVIEW_COUNTED_MAX, OVERVIEW_DAYS, OVERVIEW_SHOWN } from './limits.ts'
import { NEEDS_ATTENTION, Post } from './posts.ts'

const total = z
  .int()
  .describe(
    `How many there are, of which the list has the first; ${OVERVIEW_COUNTED_MAX} stands for so many or more.`,
  )
const posts = z.array(Post).max(OVERVIEW_SHOWN)

/** One day of the user's zone: what was published on it, and what failed on it and has not been tried again. */
export const OverviewDay = z.object({
  day: z.iso.date(),
  published: z.int().describe('Deliveries that are live, by the day on which they became so.'),
  failed: z.int().describe('Deliveries that have failed and stay so, by the day on which they failed.'),
})
export type OverviewDay = z.infer<typeof OverviewDay>

export const Overview = z.object({
  first_steps: z
    .object({ brand: z.boolean(), account: z.boolean(), video: z.boolean(), post: z.boolean() })
    .describe('What has been done: a brand and an account are there, a video and a post were made.'),
  relink: z
    .object({ accounts: z.array(Account).max(OVERVIEW_SHOWN), total })
    .describe('Accounts that must be linked again.'),
  attention: z
    .object({ posts, total })
    .describe(
      `The posts under the filter \`attention\` of the queue: ${NEEDS_ATTENTION}. Those whose time has come are first, latest first, then those to come, soonest first.`,
    ),
  next: z
    .object({ posts, total })
    .describe(
      'The posts under the filter `upcoming` of the queue: those that are going out or wait for their time, soonest first.',
    ),
  published: z.array(Post).max(OVERVIEW_SHOWN).describe('What was published last, latest first.'),
  days: z
    .array(OverviewDay)
    .length(OVERVIEW_DAYS)
    .describe("The last days of the user's zone, today last; a day without anything has zeros."),
  timezone: z
    .string()
    .describe("The zone of `days`: the user's, or UTC where the server does not know that one."),
})
export type Overview = z.infer<typeof Overview>

export const overviewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'Posts',
    summary: 'How things stand: first steps, what needs attention, what goes out next, the last two weeks',
    auth: 'bearer',
    status: 200,
    reply: Overview,
    problems: [],
  }),
} as const
