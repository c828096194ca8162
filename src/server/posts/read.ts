import { type RawBuilder, sql } from 'kysely'
import type { Post, PostCount, PostDetail, PostsQuery } from '#contract/posts.ts'
import { OVERVIEW_DAYS, POST_EVENTS_MAX, POSTS_PAGE_SIZE } from '#contract/limits.ts'
import { knownZone, parseDayRange, startOfLastDays } from '#domain/schedule/days.ts'
import { ownsAccount, ownsBrand } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import { readWithOnePlan } from '#base/db/one-plan.ts'
import { listEvents, listTargets } from '../deliveries/read.ts'
import { findPosts, type PostJson, postsJson, toPosts } from '../deliveries/read-posts.ts'
import { notFound } from '#base/problem.ts'
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
