import { z } from 'zod'
import { Account } from './accounts.ts'
import { endpoint } from './http/endpoint.ts'
import { PausedUntil } from './deliveries.ts'
import { BrandId, ScheduleId } from './ids.ts'
import {
  BLOCKERS_MAX,
  OVERVIEW_COUNTED_MAX,
  OVERVIEW_DAYS,
  OVERVIEW_SHOWN,
  POSTS_COUNTED_MAX,
} from './limits.ts'
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

const waiting = z.int().describe(`The posts that wait for it. ${POSTS_COUNTED_MAX} means that many or more.`)
const pause = { name: z.string(), paused_until: PausedUntil, posts: waiting }

/** A blocker keeps posts from going out, and is said once however many posts wait for it. */
export const Blocker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('restored'), posts: waiting }),
  z.object({ kind: z.literal('link_again'), account: Account, posts: waiting }),
  z.object({ kind: z.literal('paused_account'), account: Account, posts: waiting }),
  z.object({ kind: z.literal('paused_brand'), brand_id: BrandId, ...pause }),
  z.object({ kind: z.literal('paused_schedule'), schedule_id: ScheduleId, ...pause }),
])
export type Blocker = z.infer<typeof Blocker>

export const overviewEndpoints = {
  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'Posts',
    summary:
      'Show how things stand: first steps, what needs attention, what goes out next, the last two weeks',
    auth: 'read',
    status: 200,
    reply: Overview,
    problems: [],
  }),
  listBlockers: endpoint({
    method: 'GET',
    path: '/blockers',
    tag: 'Posts',
    summary:
      'List what keeps posts from going out: a restore of the server, accounts that need to be linked again, and what is paused while posts wait for it',
    auth: 'read',
    status: 200,
    reply: z.array(Blocker).max(BLOCKERS_MAX),
    problems: [],
  }),
} as const
