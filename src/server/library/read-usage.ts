import { type RawBuilder, sql } from 'kysely'
import { VIDEO_POSTS_COUNTED_MAX, VIDEO_POSTS_SHOWN } from '#contract/limits.ts'
import type { DeletionEffect, VideoUsage } from '#contract/videos.ts'
import { IN_FLIGHT, UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { selectVideos } from '../videos/store.ts'

const TEXT_CHARS = 200

/** The uses of each video, in the order of `videoIds`. @throws Problem not_found for any of them */
export async function readVideoUsage(
  db: Db,
  userId: number,
  videoIds: readonly number[],
): Promise<VideoUsage[]> {
  const ids = [...new Set(videoIds)]
  const [owned, open, kept, drafts] = await Promise.all([
    selectVideos(db, userId).select('videos.video_id').where('videos.video_id', 'in', ids).execute(),
    readOpenPosts(db, userId, ids),
    keptPostsQuery(ids).execute(db),
    readDrafts(db, userId, ids),
  ])
  const ofVideo = new Map(owned.map(({ video_id }) => [video_id, video_id as VideoUsage['video_id']])) // unbranded in the database
  return ids.map((id) => {
    const video_id = ofVideo.get(id)
    if (video_id === undefined) throw notFound('video')
    const posts = [...open, ...kept.rows].filter((post) => post.video_id === id)
    const countEffect = (effect: DeletionEffect) => posts.find((post) => post.effect === effect)?.count ?? 0
    return {
      video_id,
      posts: posts
        .slice(0, VIDEO_POSTS_SHOWN)
        .map((post) => ({ ...post, publish_at: post.publish_at?.toISOString() ?? null })),
      post_counts: {
        blocks: countEffect('blocks'),
        cancelled: countEffect('cancelled'),
        kept: countEffect('kept'),
      },
      drafts: drafts.filter((draft) => draft.video_id === id),
    }
  })
}

type PostRow = {
  readonly video_id: number
  readonly post_id: VideoUsage['posts'][number]['post_id']
  readonly text: string
  readonly publish_at: Date | null
  readonly effect: DeletionEffect
  readonly count: number
}

/** The first post of each effect with the number of all; `blocks` comes before `cancelled`. */
async function readOpenPosts(db: Db, userId: number, videoIds: readonly number[]): Promise<PostRow[]> {
  const { rows } = await sql<PostRow>`
    with open as (
      select p.video_id, p.post_id, p.publish_at, min(d.goes_out_at) as goes_out_at,
        case when bool_or(d.state in (${sql.join(IN_FLIGHT)})) then 'blocks' else 'cancelled' end as effect
      from deliveries d join posts p on p.post_id = d.post_id
      where d.user_id = ${userId} and d.state in (${sql.join(UNDECIDED)}) and p.video_id in (${sql.join(videoIds)})
      group by p.post_id),
    ranked as (
      select *, count(*) over same as count,
        row_number() over (same order by goes_out_at, post_id) as rank
      from open window same as (partition by video_id, effect))
    select r.video_id, r.post_id, left(p.text, ${TEXT_CHARS}) as text, r.publish_at, r.effect, r.count
    from ranked r join posts p on p.post_id = r.post_id
    where r.rank <= ${VIDEO_POSTS_SHOWN} order by r.effect, r.goes_out_at, r.post_id`.execute(db)
  return rows
}

/** The latest posts of each video, with the number of all, up to `VIDEO_POSTS_COUNTED_MAX`. */
export const keptPostsQuery = (videoIds: readonly number[]): RawBuilder<PostRow> =>
  sql`select v.video_id, kept.post_id, left(kept.text, ${TEXT_CHARS}) as text, kept.publish_at, 'kept' as effect, kept.count
    from unnest(${videoIds}::bigint[]) as v (video_id) cross join lateral (
      select *, count(*) over () as count from (
        select p.post_id, p.text, p.publish_at, p.created_at from posts p
        where p.video_id = v.video_id and p.deleted_at is null and not exists (
          select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join(UNDECIDED)}) offset 0)
        order by p.created_at desc limit ${VIDEO_POSTS_COUNTED_MAX}) as counted
      order by created_at desc, post_id desc limit ${VIDEO_POSTS_SHOWN}) as kept
    order by kept.created_at desc, kept.post_id desc`

const readDrafts = (db: Db, userId: number, videoIds: readonly number[]) =>
  db
    .selectFrom('drafts')
    .select(['video_id', 'draft_id', 'summary as text'])
    .where('user_id', '=', userId)
    .where('video_id', 'in', videoIds)
    .where('deleted_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .execute()
