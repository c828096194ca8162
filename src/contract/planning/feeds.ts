import { z } from 'zod'
import { endpoint, noContent } from '../http/endpoint.ts'
import { BrandId } from '../ids.ts'
import { FEED_AHEAD_DAYS, FEED_BACK_DAYS } from '../limits.ts'

const byBrand = z.object({ brandId: BrandId })

export const Feed = z.object({
  created_at: z.iso.datetime().nullable().describe('null: the brand has no feed.'),
})
export type Feed = z.infer<typeof Feed>

/** Answered once: only a hash of it is stored. */
export const NewFeed = z.object({
  url: z.string().describe('Whoever has this address can read the feed. It is answered only now.'),
  created_at: z.iso.datetime(),
})
export type NewFeed = z.infer<typeof NewFeed>

export const feedEndpoints = {
  getFeed: endpoint({
    method: 'GET',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: 'Whether the brand has a calendar feed, and since when',
    auth: 'bearer',
    params: byBrand,
    status: 200,
    reply: Feed,
    problems: ['not_found'],
  }),
  createFeed: endpoint({
    method: 'POST',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: `Make an address at which calendar apps read the brand's posts (iCalendar), from ${FEED_BACK_DAYS} days ago to ${FEED_AHEAD_DAYS} days ahead; an earlier address ends. It ends by itself once all sessions of its user end, as by another password`,
    auth: 'bearer',
    params: byBrand,
    status: 201,
    reply: NewFeed,
    problems: ['not_found'],
  }),
  deleteFeed: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId/feed',
    tag: 'Brands',
    summary: "End the address of the brand's calendar feed",
    auth: 'bearer',
    params: byBrand,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
} as const
