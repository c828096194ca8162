import { type RawBuilder, sql } from 'kysely'
import { FEED_DELIVERIES_MAX } from '#contract/limits.ts'
import { DELIVERY_STATES, type DeliveryStatus } from '#contract/deliveries.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { loginSince } from '../users/store.ts'

/** Ends the address of an earlier feed. */
export async function putFeed(
  db: Db,
  input: {
    readonly brandId: number
    readonly userId: number
    readonly tokenHash: Buffer
    readonly now: number
  },
): Promise<void> {
  const feed = {
    token_hash: input.tokenHash,
    created_at: new Date(input.now),
    login_since: loginSince(input.userId),
  }
  await db
    .insertInto('calendar_feeds')
    .values({ brand_id: input.brandId, user_id: input.userId, ...feed })
    .onConflict((conflict) => conflict.column('brand_id').doUpdateSet(feed))
    .execute()
}

/** Addresses end with the sessions that existed when they were made. */
const currentFeeds = (db: Db) =>
  db
    .selectFrom('calendar_feeds')
    .where(
      'calendar_feeds.login_since',
      'is not distinct from',
      loginSince(sql.ref('calendar_feeds.user_id')),
    )

export async function feedCreatedAt(db: Db, brandId: number): Promise<Date | null> {
  const row = await currentFeeds(db).select('created_at').where('brand_id', '=', brandId).executeTakeFirst()
  return row?.created_at ?? null
}

export async function removeFeed(db: Db, brandId: number): Promise<void> {
  await db.deleteFrom('calendar_feeds').where('brand_id', '=', brandId).execute()
}

export const findFeed = (db: Db, tokenHash: Buffer) =>
  currentFeeds(db)
    .innerJoin('brands', 'brands.brand_id', 'calendar_feeds.brand_id')
    .select(['brands.brand_id', 'brands.user_id', 'brands.title'])
    .where('calendar_feeds.token_hash', '=', tokenHash)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()

export type FeedPost = {
  readonly post_id: number
  readonly goes_out_at: Date
  /** When the last of its accounts gets it. */
  readonly last_at: Date
  readonly changed_at: Date
  readonly filename: string
  readonly deliveries: readonly {
    readonly text: string
    readonly platform: PlatformId
    readonly username: string | null
    readonly display_name: string
    readonly state: DeliveryStatus
    /** ISO 8601. */
    readonly goes_out_at: string
  }[]
}

type Stretch = {
  readonly brandId: number
  readonly from: number
  readonly to: number
  readonly first: 'soonest' | 'latest'
  readonly limit: number
}

/** Cancelled deliveries are omitted. */
const SHOWN = DELIVERY_STATES.filter((state) => state !== 'cancelled')

/** The brand's posts between two times (epoch ms), from the end that `first` names. */
export async function listFeedPosts(db: Db, stretch: Stretch): Promise<FeedPost[]> {
  return (await feedPostsQuery(stretch).execute(db)).rows
}

export const feedPostsQuery = (stretch: Stretch): RawBuilder<FeedPost> => sql<FeedPost>`
    with found as materialized (${selectPlaces(stretch)}), places as materialized (${fittingPlaces(stretch)})
    select places.post_id, places.goes_out_at, v.filename, shown.changed_at, shown.last_at, shown.deliveries
    from places
    join posts p on p.post_id = places.post_id
    join videos v on v.video_id = p.video_id
    cross join lateral (
      select max(d.updated_at) as changed_at, max(d.goes_out_at) as last_at,
        json_agg(json_build_object('text', d.text, 'platform', d.platform, 'username', a.username,
          'display_name', a.display_name, 'state', d.state, 'goes_out_at', d.goes_out_at) order by d.delivery_id) as deliveries
      from deliveries d join accounts a on a.account_id = d.account_id
      where d.post_id = places.post_id and a.brand_id = ${stretch.brandId} and d.state <> 'cancelled'
    ) shown
    order by places.goes_out_at, places.post_id`

/** Selects as many of `found` as fit into a feed, from the same end; the first always fits. */
function fittingPlaces({ first }: Stretch): RawBuilder<unknown> {
  const order = first === 'soonest' ? sql`goes_out_at, post_id` : sql`goes_out_at desc, post_id desc`
  return sql`select post_id, goes_out_at from (
    select found.*, sum(own.deliveries) over (order by ${order}) - own.deliveries as before
    from found cross join lateral (select count(*) as deliveries from deliveries d where d.post_id = found.post_id offset 0) own
  ) as placed where before < ${sql.lit(FEED_DELIVERIES_MAX)}`
}

/** Each account returns at most the requested rows per state, from its index by state and time. */
function selectPlaces({ brandId, from, to, first, limit }: Stretch): RawBuilder<unknown> {
  const order = first === 'soonest' ? sql`goes_out_at, post_id` : sql`goes_out_at desc, post_id desc`
  return sql`select one.post_id, min(one.goes_out_at) as goes_out_at
    from accounts a cross join unnest(${SHOWN}::text[]) as s (state) cross join lateral (
      select d.goes_out_at, d.post_id from deliveries d
      where d.account_id = a.account_id and d.state = s.state
        and d.goes_out_at >= ${new Date(from)} and d.goes_out_at < ${new Date(to)}
      order by ${order} limit ${limit}) one
    where a.brand_id = ${brandId}
    group by one.post_id order by ${first === 'soonest' ? sql`2, 1` : sql`2 desc, 1 desc`} limit ${limit}`
}
