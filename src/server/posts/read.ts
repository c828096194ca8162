import { type RawBuilder, sql } from 'kysely'
import type { Post, PostCount, PostDetail, PostsQuery } from '#contract/posts.ts'
import { OVERVIEW_DAYS, POST_EVENTS_MAX, POSTS_PAGE_SIZE } from '#contract/limits.ts'
import { knownZone, parseDayRange, startOfLastDays } from '#domain/schedule/days.ts'
import { ownsAccount, ownsBrand } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import { readWithOnePlan } from '#base/db/one-plan.ts'
import {
  type DeliveryJson,
  deliveryJson,
  fromJson,
  listEvents,
  listTargets,
  toDelivery,
} from '../deliveries/read.ts'
import { notFound } from '#base/problem.ts'
import { factsOf, posterUrl } from '../videos/video.ts'
import {
  selectCounted,
  selectCounts,
  fittingPlaces,
  type ListConditions,
  type ListScope,
  formatNextCursor,
  parsePage,
  type Place,
  selectPlaces,
  shared,
} from './lists.ts'

export type PostsPage = {
  items: Post[]
  next_cursor: string | null
  counts: Record<PostCount, number>
}

/**
 * The user's posts by when they go out, a page at a time. All of it is one statement and so seen in one moment: a browser that is
 * told of a state which it was shown already does not ask for the counts again.
 * @throws Problem not_found for a brand or an account that is not the user's
 */
export async function listPosts(
  db: Db,
  user: ListsOf,
  query: PostsQuery & { readonly now: number },
): Promise<PostsPage> {
  const { status, brandId, accountId, cursor, limit } = query
  const userId = user.user_id
  const conditions = conditionsOf(query, knownZone(query.timezone ?? user.timezone))
  const scope = { ...listScope(user, query.now), ...conditions }
  const page = parsePage({ filter: status, cursor, limit })
  if (brandId !== undefined && !(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  if (accountId !== undefined && !(await ownsAccount(db, userId, accountId))) throw notFound('account')
  const statement = sql<{ places: Place[]; shown: number; posts: PostJson[]; counts: PostsPage['counts'] }>`
    with ${shared(scope)}, ${selectPlaces(scope, 'place', page)}, fitting as materialized (${fittingPlaces(limit)}), counted as materialized (${selectCounted(scope)})
    select ${placesJson('place')} as places,
      (select count(*)::int from fitting) as shown, ${postsJson(userId, sql`select post_id from fitting`)} as posts,
      (select row_to_json(c) from (${selectCounts(scope)}) c) as counts`
  // The queue's first page is the common case: its statement keeps one plan, for planning takes longest.
  const isOpening =
    cursor === undefined &&
    limit === POSTS_PAGE_SIZE &&
    Object.values(conditions).every((one) => one === undefined)
  const [found] = isOpening ? await readWithOnePlan(db, statement) : (await statement.execute(db)).rows
  if (!found) throw new Error('A select without a table gave no row.')
  const { places, shown, posts, counts } = found
  return {
    items: toPosts(posts, places.slice(0, shown)),
    next_cursor: formatNextCursor(status, places, shown),
    counts,
  }
}

/** Orders posts by their first place: accounts of one post may have different times. */
export function toPosts(posts: readonly PostJson[], places: readonly Pick<Place, 'post_id'>[]): Post[] {
  const byId = new Map(posts.map((json) => [json.post_id, json]))
  return [...new Set(places.map(({ post_id }) => post_id))].flatMap((postId) => {
    const json = byId.get(postId)
    return json ? [toPost(json)] : []
  })
}

/** The places that `selectPlaces` found under this name, as one value. */
export const placesJson = (name: string): RawBuilder<unknown> =>
  sql`(select coalesce(json_agg(json_build_object('part', part, 'post_id', post_id,
    'at', floor(extract(epoch from goes_out_at) * 1000)::bigint) order by part, nth), '[]') from ${sql.ref(name)})`

/** Days are those of `zone`. */
const conditionsOf = (
  { brandId, accountId, platform, from, to, search, reference }: PostsQuery,
  zone: string,
): ListConditions => ({
  brandId,
  accountId,
  platform,
  ...parseDayRange({ from, to }, zone),
  search: search?.trim() ? search : undefined,
  reference,
})

type ListsOf = { readonly user_id: number; readonly timezone: string }

/** @param now epoch ms. Failures older than the days of the overview are history */
export const listScope = ({ user_id, timezone }: ListsOf, now: number): ListScope => ({
  userId: user_id,
  now,
  failedSince: startOfLastDays(now, knownZone(timezone), OVERVIEW_DAYS),
})

/** @throws Problem not_found */
export async function getPost(db: Db, userId: number, postId: number): Promise<Post> {
  const [post] = await findPosts(db, userId, [postId])
  if (!post) throw notFound('post')
  return post
}

async function findPosts(db: Db, userId: number, postIds: readonly number[]): Promise<Post[]> {
  const { rows } = await sql<{
    posts: PostJson[]
  }>`select ${postsJson(userId, sql`select unnest(${postIds}::bigint[]) as post_id`)} as posts`.execute(db)
  return toPosts(
    rows[0]?.posts ?? [],
    postIds.map((post_id) => ({ post_id })),
  )
}

/** @throws Problem not_found */
export async function getPostDetail(db: Db, userId: number, postId: number): Promise<PostDetail> {
  const [post] = await findPostDetails(db, userId, [postId])
  if (!post) throw notFound('post')
  return post
}

async function findPostDetails(db: Db, userId: number, postIds: readonly number[]): Promise<PostDetail[]> {
  const [posts, events, targets] = await Promise.all([
    findPosts(db, userId, postIds),
    listEvents(db, userId, { postIds }, POST_EVENTS_MAX * postIds.length),
    listTargets(db, userId, postIds),
  ])
  const eventsOf = Map.groupBy(events, ({ delivery_id }) => delivery_id)
  const targetsOf = Map.groupBy(targets, ({ delivery_id }) => delivery_id)
  return posts.map((post) => {
    const ids = post.deliveries.map(({ delivery_id }) => delivery_id)
    return {
      ...post,
      events: ids.flatMap((id) => eventsOf.get(id) ?? []).toSorted((a, b) => a.event_id - b.event_id),
      targets: ids.flatMap((id) => targetsOf.get(id) ?? []),
    }
  })
}

/** The user's posts after one of them, in the order in which they were made; deleted ones are left out. */
export async function listPostsAfter(
  db: Db,
  userId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PostDetail[]> {
  const rows = await db
    .selectFrom('posts')
    .select('post_id')
    .where('user_id', '=', userId)
    .where('post_id', '>', after)
    .where('deleted_at', 'is', null)
    .orderBy('post_id')
    .limit(limit)
    .execute()
  const ids = rows.map(({ post_id }) => post_id)
  return ids.length === 0 ? [] : findPostDetails(db, userId, ids)
}

/** A post as `postsJson` gives it. */
export type PostJson = {
  readonly post_id: number
  readonly version: number
  readonly video_id: number
  readonly text: string
  readonly publish_at: string | null
  readonly timezone: string | null
  readonly schedule_id: number | null
  readonly reference: string | null
  readonly created_at: string
  readonly filename: string
  readonly size: number
  readonly facts: unknown
  readonly poster_token: string | null
  readonly brand_id: number | null
  readonly brand_title: string | null
  readonly goes_out_at: string | null
  readonly deliveries: readonly DeliveryJson[] | null
}

/**
 * The user's posts among the chosen (`post_id`), each once, with their deliveries, as one value. A post is a brand's when all its
 * accounts are. `offset` makes the planner look each post up by its id.
 */
export const postsJson = (userId: number, chosen: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (select coalesce(json_agg(post), '[]') from (
    select p.post_id, p.version, p.video_id, p.text, p.publish_at, p.timezone, p.schedule_id, p.reference, p.created_at, videos.filename,
      videos.size, videos.facts, posters.token as poster_token, whose.*, brands.title as brand_title
    from (select distinct post_id from (${chosen}) as all_chosen) as chosen
    cross join lateral (select * from posts where posts.post_id = chosen.post_id and posts.user_id = ${userId}
      and posts.deleted_at is null offset 0) p
    cross join lateral (select * from videos where videos.video_id = p.video_id offset 0) videos
    left join lateral (select token from posters where posters.video_id = p.video_id offset 0) posters on true
    cross join lateral (
      select case when count(distinct accounts.brand_id) = 1 then min(accounts.brand_id) end as brand_id,
        max(deliveries.goes_out_at) as goes_out_at,
        json_agg(${deliveryJson} order by deliveries.delivery_id) as deliveries
      from (select * from deliveries where deliveries.post_id = p.post_id offset 0) deliveries
      cross join lateral (select * from accounts where accounts.account_id = deliveries.account_id offset 0) accounts
    ) whose
    left join lateral (select title from brands where brands.brand_id = whose.brand_id offset 0) brands on true
  ) as post)`

function toPost(row: PostJson): Post {
  const facts = factsOf(row)
  return {
    post_id: row.post_id as Post['post_id'], // ids come out of the database unbranded
    version: row.version,
    brand_id: row.brand_id as Post['brand_id'],
    brand_title: row.brand_title,
    text: row.text,
    video: {
      video_id: row.video_id as Post['video']['video_id'],
      filename: row.filename,
      size: row.size,
      duration_s: facts.duration_s,
      width: facts.width,
      height: facts.height,
      poster_url: posterUrl(row.poster_token),
    },
    publish_at: row.publish_at === null ? null : iso(row.publish_at),
    timezone: row.timezone,
    schedule_id: row.schedule_id as Post['schedule_id'],
    reference: row.reference,
    goes_out_at: iso(row.goes_out_at ?? row.publish_at ?? row.created_at),
    created_at: iso(row.created_at),
    deliveries: (row.deliveries ?? []).map((json) => toDelivery(fromJson(json))),
  }
}

/** PostgreSQL writes times in JSON in another format. */
const iso = (time: string): string => new Date(time).toISOString()
