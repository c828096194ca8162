import { buffer } from 'node:stream/consumers'
import type { FastifyPluginAsync } from 'fastify'
import type { Video } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { newSecret } from '#base/secret.ts'
import { type ImageDeps, imagesPlugin } from '../http/images.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { findVideo, selectVideo } from './store.ts'

type PosterDeps = { readonly db: Db; readonly storage: Storage }

/**
 * Makes a stored file the picture of a video; an earlier one goes, or the file does where that is to stay. Each has an address of its
 * own, so that browsers may keep what they were given for ever.
 * @returns the video with the picture that it has now
 * @throws Problem not_found; unsupported_media where the file is neither JPEG nor WebP, whatever it is called
 */
export async function setPoster(
  { db, storage }: PosterDeps,
  userId: number,
  {
    videoId,
    file,
    keepExisting,
  }: { readonly videoId: number; readonly file: StoredFile; readonly keepExisting: boolean },
): Promise<Video> {
  const mime = await imageTypeOf(storage, file)
  const { video, unused } = await db.transaction().execute(async (trx) => {
    // The lock serialises two pictures that arrive at once.
    const owned = await selectVideo(trx, userId, videoId)
      .select('video_id')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!owned) throw notFound('video')
    if (keepExisting) {
      const present = await findVideo(trx, userId, videoId)
      if (present.poster_url !== null) return { video: present, unused: file.key }
    }
    const before = await trx
      .deleteFrom('posters')
      .where('video_id', '=', videoId)
      .returning('storage_key')
      .executeTakeFirst()
    const poster = { token: newSecret(), storage_key: file.key, mime, size: file.size }
    await trx
      .insertInto('posters')
      .values({ video_id: videoId, ...poster })
      .execute()
    return { video: await findVideo(trx, userId, videoId), unused: before?.storage_key ?? null }
  })
  if (unused !== null) await storage.delete(unused)
  return video
}

/** Decides by the file's first bytes, so that no browser has to guess. */
async function imageTypeOf(storage: Storage, { key, size }: StoredFile): Promise<string> {
  const head = (await buffer(await storage.read(key, 0, Math.min(size, 12) - 1))).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^RIFF[^]{4}WEBP/.test(head)) return 'image/webp'
  throw new Problem('unsupported_media', 'The picture must be a JPEG or WebP file.')
}

/** `GET /posters/:token` */
export const posterPlugin = ({ db, ...deps }: ImageDeps & { readonly db: Db }): FastifyPluginAsync =>
  imagesPlugin(deps, 'posters', (token) =>
    db
      .selectFrom('posters')
      .select(['storage_key', 'mime', 'size'])
      .where('token', '=', token)
      .executeTakeFirst(),
  )
