import { z } from 'zod'
import { endpoint, noContent } from '../http/endpoint.ts'
import { BrandId } from '../ids.ts'
import { FEED_AHEAD_DAYS, FEED_BACK_DAYS } from '../limits.ts'

const byBrand = z.object({ brandId: BrandId })

export const Feed = z.object({
  created_at: z.iso.datetime().nullable().describe('null if the brand has no feed.'),
})
export type Feed = z.infer<typeof Feed>

/** Answered once: only a hash of it is stored. */
export const NewFeed = z.object({
  url: z
    .string()
    .describe('The address of the feed. Anybody who has it can read the feed. It is shown only once.'),
  created_at: z.iso.datetime(),
})
export type NewFeed = z.infer<typeof NewFeed>

export const feedEndpoints = {
  getFeed: endpoint({
    method: 'GET',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: 'Show since when the brand has had a calendar feed',
    auth: 'read',
    params: byBrand,
    status: 200,
    reply: Feed,
    problems: ['not_found'],
  }),
  createFeed: endpoint({
    method: 'POST',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: `Create the address at which calendar apps read the brand's posts (iCalendar), from ${FEED_BACK_DAYS} days ago to ${FEED_AHEAD_DAYS} days ahead. An earlier address stops working. So does this one when all sessions of its user end, for example after a new password`,
    auth: 'session',
    params: byBrand,
    status: 201,
    reply: NewFeed,
    problems: ['not_found'],
  }),
  deleteFeed: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: "Stop the brand's calendar feed",
    auth: 'write',
    params: byBrand,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
} as const
