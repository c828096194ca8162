import type { API } from '#contract/api/api.ts'
import type { Input, Reply } from '#contract/http/endpoint.ts'
import { SIMILAR_POST_DAYS } from '#contract/limits.ts'
import { notFound } from '#base/problem.ts'
import { selectVideo } from '../videos/store.ts'
import type { PostDeps } from './create-post.ts'
import { selectSimilar } from './store.ts'

const DAYS_MS = SIMILAR_POST_DAYS * 86_400_000

/**
 * For each account, the latest post with the same video or caption that went out lately or goes out soon.
 * @throws Problem not_found for the video
 */
export async function findSimilarPosts(
  { db, now }: PostDeps,
  userId: number,
  { video_id, targets }: Input<(typeof API)['findSimilarPosts']>['body'],
): Promise<Reply<(typeof API)['findSimilarPosts']>> {
  const video = await selectVideo(db, userId, video_id).select('sha256').executeTakeFirst()
  if (!video) throw notFound('video')
  if (targets.length === 0) return { items: [] }
  const [from, to] = [new Date(now() - DAYS_MS), new Date(now() + DAYS_MS)]
  const rows = await selectSimilar(db, { userId, sha256: video.sha256, targets, from, to })
  return {
    items: rows.map(({ account_id, post_id, goes_out_at, same_video, same_text }) => ({
      account_id,
      post_id,
      same: same_video && same_text ? 'both' : same_video ? 'video' : 'text',
      goes_out_at: goes_out_at.toISOString(),
    })),
  }
}
