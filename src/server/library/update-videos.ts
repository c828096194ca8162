import { VIDEO_NAME_MAX_CHARS, VIDEO_TAGS_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { cutText } from '#contract/well-formed.ts'
import { extensionOf, tagKey } from '#domain/library/video-names.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { cleanFilename } from '../http/filename.ts'
import { refusal } from '../http/parse.ts'
import { findVideo } from '../videos/store.ts'
import {
  findVideos,
  lockBrand,
  lockVideos,
  readTagsByVideo,
  replaceTags,
  setBrand,
  setFilename,
  type LockedVideo,
} from './store.ts'

type Changes = {
  readonly filename?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly brand_id?: number | null | undefined
}

/** @throws Problem not_found for the video or the brand; invalid for a name without characters before its extension */
export function updateVideo(
  db: Db,
  userId: number,
  videoId: number,
  { filename, tags, brand_id: brandId }: Changes,
): Promise<Video> {
  return db.transaction().execute(async (trx) => {
    const [video] = await lockForChange(trx, userId, [videoId], brandId)
    if (!video) throw notFound('video')
    if (brandId !== undefined) await setBrand(trx, [videoId], brandId)
    if (filename !== undefined) await setFilename(trx, videoId, renamed(video.filename, filename))
    if (tags !== undefined) await replaceTags(trx, userId, new Map([[videoId, unique(tags)]]))
    return findVideo(trx, userId, videoId)
  })
}

type BulkChanges = {
  readonly add_tags?: readonly string[] | undefined
  readonly remove_tags?: readonly string[] | undefined
  readonly brand_id?: number | null | undefined
}

/** @throws Problem not_found for any of the videos or the brand; invalid where a video would have too many tags */
export function updateVideos(
  db: Db,
  userId: number,
  videoIds: readonly number[],
  { add_tags: added = [], remove_tags: removed = [], brand_id: brandId }: BulkChanges,
): Promise<Video[]> {
  return db.transaction().execute(async (trx) => {
    const videos = await lockForChange(trx, userId, videoIds, brandId)
    if (brandId !== undefined) await setBrand(trx, videoIds, brandId)
    if (added.length + removed.length > 0) {
      const tags = await readTagsByVideo(trx, videoIds)
      const changed = new Map(
        videos.map((video) => {
          const own = tags.get(video.video_id) ?? []
          return [video.video_id, changedTags(video.filename, own, added, removed)] as const
        }),
      )
      await replaceTags(trx, userId, changed)
    }
    return findVideos(trx, userId, videoIds)
  })
}

/** Locks the videos, and the brand that they get. */
async function lockForChange(
  trx: Db,
  userId: number,
  videoIds: readonly number[],
  brandId: number | null | undefined,
): Promise<LockedVideo[]> {
  if (typeof brandId === 'number' && !(await lockBrand(trx, userId, brandId))) throw notFound('brand')
  const videos = await lockVideos(trx, userId, videoIds)
  if (videos.length < new Set(videoIds).size) throw notFound('video')
  return videos
}

function changedTags(
  filename: string,
  own: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  const gone = new Set(removed.map(tagKey))
  const tags = unique([...own.filter((tag) => !gone.has(tagKey(tag))), ...added])
  if (tags.length > VIDEO_TAGS_MAX)
    throw refusal('invalid', { add_tags: [`${filename} would have more than ${VIDEO_TAGS_MAX} tags.`] })
  return tags
}

/** The first spelling of each tag. */
const unique = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag, at) => tags.findIndex((one) => tagKey(one) === tagKey(tag)) === at)

/** The new name with the video's extension. */
function renamed(current: string, wanted: string): string {
  const extension = extensionOf(current)
  const clean = cleanFilename(wanted).replaceAll(/[/\\]/g, '-')
  const isGiven = extension !== '' && clean.toLowerCase().endsWith(extension.toLowerCase())
  const name = (isGiven ? clean.slice(0, -extension.length) : clean).trim()
  if (name === '') throw refusal('invalid', { filename: [TEXTS.videoUnnamed] })
  return cutText(name, VIDEO_NAME_MAX_CHARS - extension.length).trimEnd() + extension
}
