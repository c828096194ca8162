import { type RawBuilder, sql } from 'kysely'
import type { Post } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { factsOf, posterUrl } from '../videos/video.ts'
import { type DeliveryJson, deliveryJson, fromJson, toDelivery } from './read.ts'

/** @throws Problem not_found */
export async function getPost(db: Db, userId: number, postId: number): Promise<Post> {
  const [post] = await findPosts(db, userId, [postId])
  if (!post) throw notFound('post')
  return post
}

/** The user's posts among these, in their order; deleted ones are left out. */
export async function findPosts(db: Db, userId: number, postIds: readonly number[]): Promise<Post[]> {
  const { rows } = await sql<{
    posts: PostJson[]
  }>`select ${postsJson(userId, sql`select unnest(${postIds}::bigint[]) as post_id`)} as posts`.execute(db)
  return toPosts(
    rows[0]?.posts ?? [],
    postIds.map((post_id) => ({ post_id })),
  )
}

/** Orders posts by their first place: accounts of one post may have different times. */
export function toPosts(posts: readonly PostJson[], places: readonly { readonly post_id: number }[]): Post[] {
  const byId = new Map(posts.map((json) => [json.post_id, json]))
  return [...new Set(places.map(({ post_id }) => post_id))].flatMap((postId) => {
    const json = byId.get(postId)
    return json ? [toPost(json)] : []
  })
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
