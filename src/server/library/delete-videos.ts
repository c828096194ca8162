import { IN_FLIGHT } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound, Problem } from '#base/problem.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import type { Storage } from '../storage/storage.ts'
import { markDeleted } from '../videos/store.ts'
import { lockUndecided, lockVideosToDelete } from './store.ts'

export type DeleteDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly encrypter: Encrypter
  readonly now: () => number
}

/**
 * Deletes videos with their files, and cancels waiting posts. The rows stay for the posts that name them; drafts lose their
 * video. @param cancelPosts the number of waiting posts that the user agreed to cancel @throws Problem not_found; in_flight
 * while one of them is being sent; posts_waiting if the number differs
 */
export async function deleteVideos(
  deps: DeleteDeps,
  userId: number,
  videoIds: readonly number[],
  cancelPosts: number,
): Promise<void> {
  const keys = await deps.db.transaction().execute(async (trx) => {
    const videos = await lockVideosToDelete(trx, userId, videoIds)
    if (videos.length < new Set(videoIds).size) throw notFound('video')
    const open = await lockUndecided(trx, userId, videoIds)
    if (open.some(({ state }) => IN_FLIGHT.some((kind) => kind === state))) throw beingSent()
    const posts = new Set(open.map(({ post_id }) => post_id)).size
    if (posts !== cancelPosts) throw postsWaiting(posts)
    const now = deps.now()
    const event = { type: 'cancel' } as const
    await applyUserEvents(
      trx,
      deps.encrypter,
      open.map(({ delivery_id: deliveryId }) => ({ deliveryId, userId, event })),
      now,
    )
    const files: string[] = []
    for (const { video_id: videoId } of videos) files.push(...(await markDeleted(trx, videoId, now)))
    return files
  })
  for (const key of keys) await deps.storage.delete(key)
}

const beingSent = (): Problem =>
  new Problem(
    'in_flight',
    "A post with one of these videos is publishing or may be live. Wait until it's done, or tell us in the queue what you see on the platform.",
  )

const postsWaiting = (posts: number): Problem =>
  new Problem(
    'posts_waiting',
    posts === 0
      ? 'No scheduled posts wait for these videos any more. Check again and confirm.'
      : `${posts === 1 ? 'A scheduled post' : `${posts} scheduled posts`} won't be posted. Confirm to continue.`,
  )
