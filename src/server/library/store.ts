import type { Video } from '#contract/videos.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import { selectBrand } from '../accounts/store.ts'
import { selectVideos, videosWithDetails } from '../videos/store.ts'
import { toVideo } from '../videos/video.ts'

export type LockedVideo = {
  readonly video_id: number
  readonly filename: string
}

export const lockVideos = (trx: Db, userId: number, videoIds: readonly number[]): Promise<LockedVideo[]> =>
  selectVideos(trx, userId)
    .where('videos.video_id', 'in', videoIds)
    .select(['videos.video_id', 'videos.filename'])
    .orderBy('videos.video_id')
    .forNoKeyUpdate('videos')
    .execute()

/** The videos must be locked: the lock's own statement sees the tags from before it waited. */
export async function readTagsByVideo(
  trx: Db,
  videoIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = await trx
    .selectFrom('video_tags')
    .select(['video_id', 'tag'])
    .where('video_id', 'in', videoIds)
    .execute()
  const byVideo = Map.groupBy(rows, ({ video_id }) => video_id)
  return new Map(videoIds.map((id) => [id, (byVideo.get(id) ?? []).map(({ tag }) => tag)]))
}

export const lockVideosToDelete = (trx: Db, userId: number, videoIds: readonly number[]) =>
  selectVideos(trx, userId)
    .where('videos.video_id', 'in', videoIds)
    .select('videos.video_id')
    .orderBy('videos.video_id')
    .forUpdate()
    .execute()

export const lockUndecided = (trx: Db, userId: number, videoIds: readonly number[]) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .select(['deliveries.delivery_id', 'deliveries.post_id', 'deliveries.state'])
    .where('deliveries.user_id', '=', userId)
    .where('deliveries.state', 'in', UNDECIDED)
    .where('posts.video_id', 'in', videoIds)
    .orderBy('deliveries.delivery_id')
    .forUpdate('deliveries')
    .execute()

export async function findVideos(db: Db, userId: number, videoIds: readonly number[]): Promise<Video[]> {
  if (videoIds.length === 0) return []
  const rows = await videosWithDetails(db, userId).where('videos.video_id', 'in', videoIds).execute()
  const found = new Map(rows.map((row) => [row.video_id, toVideo(row)]))
  return [...new Set(videoIds)].flatMap((videoId) => found.get(videoId) ?? [])
}

/** @returns true if it is the user's; it cannot be deleted until the transaction ends */
export const lockBrand = async (trx: Db, userId: number, brandId: number): Promise<boolean> =>
  (await selectBrand(trx, userId, brandId).select('brand_id').forShare().executeTakeFirst()) !== undefined

export async function setBrand(trx: Db, videoIds: readonly number[], brandId: number | null): Promise<void> {
  await trx.updateTable('videos').set({ brand_id: brandId }).where('video_id', 'in', videoIds).execute()
}

export async function setFilename(trx: Db, videoId: number, filename: string): Promise<void> {
  await trx.updateTable('videos').set({ filename }).where('video_id', '=', videoId).execute()
}

export async function replaceTags(
  trx: Db,
  userId: number,
  tagsOf: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  await trx
    .deleteFrom('video_tags')
    .where('video_id', 'in', [...tagsOf.keys()])
    .execute()
  const rows = [...tagsOf].flatMap(([video_id, tags]) =>
    tags.map((tag) => ({ video_id, user_id: userId, tag })),
  )
  if (rows.length === 0) return
  await trx
    .insertInto('video_tags')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
