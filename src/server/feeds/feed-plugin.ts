import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { accountName } from '#contract/accounts.ts'
import { FEED_AHEAD_DAYS, FEED_BACK_DAYS, FEED_PAST_MAX, FEED_UPCOMING_MAX } from '#contract/limits.ts'
import { feedPath, LINKED_PAGES } from '#contract/http/addresses.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { STATUS_WORDS } from '#contract/texts.ts'
import { cutText } from '#contract/well-formed.ts'
import type { Db } from '#base/db/open.ts'
import { matchesEtag } from '#base/cached-answer.ts'
import { notFound } from '#base/problem.ts'
import { looksLikeSecret, secretHash } from '#base/secret.ts'
import { createAddressLimit } from '../http/address-limit.ts'
import type { AnonymousLimit } from '../http/anonymous-limit.ts'
import type { UserLimit } from '../http/user-limit.ts'
import type { Config } from '../runtime/config.ts'
import { type CalendarEvent, toICalendar } from './icalendar.ts'
import { type FeedPost, findFeed, listFeedPosts } from './store.ts'

type FeedDeps = {
  readonly db: Db
  readonly config: Pick<Config, 'publicUrl'>
  readonly now: () => number
  readonly userLimit: UserLimit
  readonly anonymousLimit: AnonymousLimit
}

const DAY_MS = 86_400_000
const SUMMARY_MAX_CHARS = 80

/** `GET /feeds/:token.ics` for calendar apps: the unguessable address is the permission. */
export const feedPlugin =
  ({ db, config, now, userLimit, anonymousLimit }: FeedDeps): FastifyPluginAsync =>
  async (app) => {
    const limit = createAddressLimit(now)
    app.get<{ Params: { token: string } }>(feedPath(':token'), async (request, reply) => {
      reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' })
      limit.countCaller(request.ip)
      const { token } = request.params
      const brand = looksLikeSecret(token)
        ? await anonymousLimit(request, () => findFeed(db, secretHash(token)))
        : undefined
      if (!brand) throw notFound('calendar')
      limit.countAddress(String(brand.brand_id))
      await userLimit.enter(brand.user_id, reply.raw)
      const file = await userLimit.track(reply.raw, async () => {
        const posts = await listPosts(db, brand.brand_id, now())
        const events = posts.map((post) => toEvent(post, config.publicUrl))
        return toICalendar({ name: `${brand.title} (Reelay)`, events })
      })
      const etag = `"${createHash('sha256').update(file).digest('base64url')}"`
      reply.header('etag', etag)
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
      return reply.type('text/calendar; charset=utf-8').send(file)
    })
  }

/** Future posts matter most, so they have a limit of their own. */
async function listPosts(db: Db, brandId: number, now: number): Promise<FeedPost[]> {
  const [past, upcoming] = await Promise.all([
    listFeedPosts(db, {
      brandId,
      from: now - FEED_BACK_DAYS * DAY_MS,
      to: now,
      first: 'latest',
      limit: FEED_PAST_MAX,
    }),
    listFeedPosts(db, {
      brandId,
      from: now,
      to: now + FEED_AHEAD_DAYS * DAY_MS,
      first: 'soonest',
      limit: FEED_UPCOMING_MAX,
    }),
  ])
  const isPast = new Set(past.map(({ post_id }) => post_id))
  return [...past, ...upcoming.filter(({ post_id }) => !isPast.has(post_id))]
}

function toEvent(post: FeedPost, publicUrl: string): CalendarEvent {
  const { host } = new URL(publicUrl)
  return {
    uid: `post-${post.post_id}@${host}`,
    at: post.goes_out_at.getTime(),
    lastAt: post.last_at.getTime(),
    changedAt: post.changed_at.getTime(),
    summary: summaryOf(post),
    description: describe(post),
    url: `${publicUrl}${LINKED_PAGES.post(post.post_id)}`,
  }
}

/** Each caption with its accounts. */
const describe = ({ deliveries, goes_out_at }: FeedPost): string =>
  [...Map.groupBy(deliveries, ({ text }) => text)]
    .flatMap(([text, those]) => [
      text,
      those.map((one) => describeDelivery(one, goes_out_at.getTime())).join('\n'),
    ])
    .filter((part) => part !== '')
    .join('\n\n')

/** @param from when the event begins, epoch ms */
function describeDelivery(one: FeedPost['deliveries'][number], from: number): string {
  const minutes = Math.round((Date.parse(one.goes_out_at) - from) / 60_000)
  const later = minutes > 0 ? `, ${minutes} min later` : ''
  return `${PLATFORM_NAMES[one.platform]} ${accountName(one)}: ${STATUS_WORDS[one.state]}${later}`
}

/** The first line of the first caption, or the video's name. */
function summaryOf({ deliveries, filename }: FeedPost): string {
  const text = deliveries.map((one) => one.text.trim()).find((caption) => caption !== '') ?? ''
  const [first = ''] = text.split('\n', 1)
  const name = first === '' ? filename : first
  return name.length > SUMMARY_MAX_CHARS ? `${cutText(name, SUMMARY_MAX_CHARS)}…` : name
}
