import { type Selectable, sql } from 'kysely'
import type { Delivery } from '#contract/deliveries.ts'
import type { Post, PostCount, PostDetail, PostsQuery } from '#contract/posts.ts'
import { OVERVIEW_DAYS } from '#contract/limits.ts'
import { addDays, knownZone, startOfDay, startOfLastDays } from '#domain/schedule/days.ts'
import { ownsAccount, ownsBrand } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import type { Posts } from '#base/db/tables.ts'
import { listEvents, listTargets, selectDeliveries, toDelivery } from '../deliveries/read.ts'
import { notFound } from '#base/problem.ts'
import { factsOf, posterUrl } from '../videos/video.ts'
import { countPosts, listPlaces, type ListConditions, type ListScope } from './lists.ts'

/** A timeline longer than this is a fault; its beginning tells it. */
const EVENTS_MAX = 1000

export type PostsPage = {
  items: Post[]
  next_cursor: string | null
  counts: Record<PostCount, number>
}

/**
 * The user's posts by when they go out, a page at a time. All of it is seen in one moment: a browser that is told of a state which
 * it was shown already does not ask for the counts again.
 * @throws Problem not_found for a brand or an account that is not the user's
 */
export async function listPosts(
  db: Db,
  user: ListsOf,
  query: PostsQuery & { readonly now: number },
): Promise<PostsPage> {
  const { status, brandId, accountId, cursor, limit } = query
  const scope = { ...listScope(user, query.now), ...conditionsOf(query, knownZone(user.timezone)) }
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    if (brandId !== undefined && !(await ownsBrand(trx, user.user_id, brandId))) throw notFound('brand')
    if (accountId !== undefined && !(await ownsAccount(trx, user.user_id, accountId)))
      throw notFound('account')
    const { places, nextCursor } = await listPlaces(trx, scope, { filter: status, cursor, limit })
    return {
      items: await getPosts(
        trx,
        user.user_id,
        places.map(({ post_id }) => post_id),
      ),
      next_cursor: nextCursor,
      counts: await countPosts(trx, scope),
    }
  })
}

/** Days are those of `zone`. */
const conditionsOf = (
  { brandId, accountId, platform, from, to, search }: PostsQuery,
  zone: string,
): ListConditions => ({
  brandId,
  accountId,
  platform,
  from: from === undefined ? undefined : startOfDay(from, zone),
  before: to === undefined ? undefined : startOfDay(addDays(to, 1), zone),
  search: search?.trim() ? search : undefined,
})

type ListsOf = { readonly user_id: number; readonly timezone: string }

/** Whose lists are read, as of `now` (epoch ms). What failed before the days that the overview shows is history. */
export const listScope = ({ user_id, timezone }: ListsOf, now: number): ListScope => ({
  userId: user_id,
  now,
  failedSince: startOfLastDays(now, knownZone(timezone), OVERVIEW_DAYS),
})

/** Those of these posts that are the user's, in the given order. */
export async function getPosts(db: Db, userId: number, postIds: readonly number[]): Promise<Post[]> {
  if (postIds.length === 0) return []
  const rows = await selectPosts(db, userId).where('posts.post_id', 'in', postIds).execute()
  const posts = new Map((await withDeliveries(db, userId, rows)).map((post) => [Number(post.post_id), post]))
  return postIds.flatMap((postId) => posts.get(postId) ?? [])
}

/** @throws Problem not_found */
export async function getPost(db: Db, userId: number, postId: number): Promise<Post> {
  const [post] = await getPosts(db, userId, [postId])
  if (!post) throw notFound('post')
  return post
}

/** @throws Problem not_found */
export async function getPostDetail(db: Db, userId: number, postId: number): Promise<PostDetail> {
  const [post, events, targets] = await Promise.all([
    getPost(db, userId, postId),
    listEvents(db, userId, { postId }, EVENTS_MAX),
    listTargets(db, userId, postId),
  ])
  return { ...post, events, targets }
}

type PostRow = Selectable<Posts> & {
  readonly filename: string
  readonly size: number
  readonly facts: unknown
  readonly poster_token: string | null
  readonly brand_id: number | null
  readonly brand_title: string | null
  readonly goes_out_at: Date | null
}

/** A post is a brand's when all its accounts are. */
const selectPosts = (db: Db, userId: number) =>
  db
    .selectFrom('posts')
    .innerJoin('videos', 'videos.video_id', 'posts.video_id')
    .leftJoin('posters', 'posters.video_id', 'posts.video_id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('deliveries as d')
          .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
          .select(
            sql<number | null>`case when count(distinct a.brand_id) = 1 then min(a.brand_id) end`.as(
              'brand_id',
            ),
          )
          .select((of) => of.fn.max('d.goes_out_at').as('goes_out_at'))
          .whereRef('d.post_id', '=', 'posts.post_id')
          .as('whose'),
      (join) => join.onTrue(),
    )
    .leftJoin('brands', 'brands.brand_id', 'whose.brand_id')
    .selectAll('posts')
    .select([
      'videos.filename',
      'videos.size',
      'videos.facts',
      'posters.token as poster_token',
      'whose.brand_id',
      'whose.goes_out_at',
      'brands.title as brand_title',
    ])
    .where('posts.user_id', '=', userId)
    .where('posts.deleted_at', 'is', null)

async function withDeliveries(db: Db, userId: number, rows: readonly PostRow[]): Promise<Post[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ post_id }) => post_id)
  const found = await selectDeliveries(db, userId).where('deliveries.post_id', 'in', ids).execute()
  const byPost = Map.groupBy(found, ({ post_id }) => post_id)
  return rows.map((row) => toPost(row, (byPost.get(row.post_id) ?? []).map(toDelivery)))
}

function toPost(row: PostRow, deliveries: Delivery[]): Post {
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
    publish_at: row.publish_at?.toISOString() ?? null,
    timezone: row.timezone,
    queue_id: row.queue_id as Post['queue_id'],
    goes_out_at: (row.goes_out_at ?? row.publish_at ?? row.created_at).toISOString(),
    created_at: row.created_at.toISOString(),
    deliveries,
  }
}
