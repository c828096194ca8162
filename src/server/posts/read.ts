import { type Selectable, sql } from 'kysely'
import type { Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import { POST_FILTERS, type Post, type PostDetail, type PostFilter } from '#contract/posts.ts'
import { ownsBrand } from '../accounts/store.ts'
import type { Db } from '../db/open.ts'
import type { Posts } from '../db/tables.ts'
import { deletedPosts, listEvents, selectDeliveries, toDelivery } from '../deliveries/read.ts'
import { Problem, notFound } from '../problem.ts'
import { factsOf, posterUrl } from '../videos/store.ts'

/** A post is under a filter when one of its deliveries is in one of these states; it may be under several. */
const STATES: Readonly<Record<Exclude<PostFilter, 'all'>, readonly DeliveryStatus[]>> = {
  attention: ['unconfirmed', 'blocked'],
  scheduled: ['scheduled'],
  publishing: ['preparing', 'committing', 'processing'],
  published: ['published'],
  failed: ['failed'],
}
/** A timeline longer than this is a fault; its beginning tells it. */
const EVENTS_MAX = 1000

export type PostsPage = {
  items: Post[]
  next_cursor: string | null
  counts: Record<PostFilter, number>
}

export type PostsQuery = {
  readonly status: PostFilter
  readonly brandId?: number | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/**
 * The user's posts, newest first, a page at a time: one query for the posts, one for their deliveries, one for the counts. All see
 * the same moment: a browser that is told of a state which it was shown already does not ask for the counts again.
 */
export async function listPosts(db: Db, userId: number, query: PostsQuery): Promise<PostsPage> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    if (query.brandId !== undefined && !(await ownsBrand(trx, userId, query.brandId))) throw notFound('brand')
    const rows = await pageOf(trx, userId, query)
    const shown = rows.slice(0, query.limit)
    const last = shown.at(-1)
    return {
      items: await withDeliveries(trx, userId, shown),
      next_cursor: rows.length > query.limit && last ? String(last.post_id) : null,
      counts: await countPosts(trx, userId, query.brandId),
    }
  })
}

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
  const [post, events] = await Promise.all([
    getPost(db, userId, postId),
    listEvents(db, userId, { postId }, EVENTS_MAX),
  ])
  return { ...post, events }
}

function pageOf(db: Db, userId: number, { status, brandId, cursor, limit }: PostsQuery): Promise<PostRow[]> {
  const before = cursor === undefined ? null : /^\d{1,15}$/.test(cursor) ? Number(cursor) : NaN
  if (Number.isNaN(before)) throw new Problem('malformed', 'This cursor is not one of ours.')
  let page = selectPosts(db, userId)
    .orderBy('posts.post_id', 'desc')
    .limit(limit + 1)
  if (before !== null) page = page.where('posts.post_id', '<', before)
  if (status === 'all' && brandId === undefined) return page.execute()
  return page
    .where((eb) => {
      let matching = eb
        .selectFrom('deliveries as d')
        .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
        .select('d.delivery_id')
        .whereRef('d.post_id', '=', 'posts.post_id')
      if (status !== 'all') matching = matching.where('d.state', 'in', STATES[status])
      if (brandId !== undefined) matching = matching.where('a.brand_id', '=', brandId)
      return eb.exists(matching)
    })
    .execute()
}

async function countPosts(
  db: Db,
  userId: number,
  brandId: number | undefined,
): Promise<Record<PostFilter, number>> {
  const counted = POST_FILTERS.map((filter) =>
    filter === 'all'
      ? sql<number>`count(distinct d.post_id)`.as(filter)
      : sql<number>`count(distinct d.post_id) filter (where d.state in (${sql.join(STATES[filter])}))`.as(
          filter,
        ),
  )
  const all = db
    .selectFrom('deliveries as d')
    .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
    .select(counted)
    .where('d.user_id', '=', userId)
    .where('d.post_id', 'not in', deletedPosts(userId))
  const row = await (
    brandId === undefined ? all : all.where('a.brand_id', '=', brandId)
  ).executeTakeFirstOrThrow()
  return row
}

type PostRow = Selectable<Posts> & {
  readonly filename: string
  readonly size: number
  readonly facts: unknown
  readonly poster_token: string | null
  readonly brand_id: number | null
  readonly brand_title: string | null
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
    created_at: row.created_at.toISOString(),
    deliveries,
  }
}
