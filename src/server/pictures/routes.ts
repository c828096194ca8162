import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { findPicture, insertPicture } from './store.ts'
import { buffer } from 'node:stream/consumers'
import { PICTURE_MAX_SIDE_PX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Picture } from '#contract/videos.ts'
import { isPictureCutOff } from '#domain/video-check/picture-end.ts'
import { Problem } from '#base/problem.ts'
import { refusal } from '../http/parse.ts'
import { assertRoom } from '../videos/quota.ts'
import { jpegSize, type Size } from './jpeg.ts'

type PictureDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly quotaBytes: number | null
  readonly now: () => number
}

export const pictureRoutes = (deps: PictureDeps): Handlers<'uploadPicture' | 'getPicture'> => ({
  uploadPicture: ({ user, file }) => addPicture(deps, user.user_id, file),
  getPicture: ({ user, params }) => findPicture(deps.db, user.user_id, params.pictureId),
})

/** @throws Problem unsupported_media, too_large, invalid, quota_exceeded */
async function addPicture(deps: PictureDeps, userId: number, file: StoredFile): Promise<Picture> {
  const size = await checkPicture(deps.storage, file)
  return deps.db.transaction().execute(async (trx) => {
    await assertRoom(trx, { userId, bytes: file.size, quotaBytes: deps.quotaBytes })
    return insertPicture(trx, { userId, file, size, now: deps.now() })
  })
}

/** Reads the file's own bytes, whatever its name: the contract bounds them to a few megabytes. */
async function checkPicture(storage: Storage, { key, size }: StoredFile): Promise<Size> {
  const bytes = await buffer(await storage.read(key, 0, size - 1))
  const found = jpegSize(bytes)
  if (!found) throw new Problem('unsupported_media', 'The picture must be a JPEG file in RGB or grey.')
  if (Math.max(found.width, found.height) > PICTURE_MAX_SIDE_PX)
    throw new Problem('too_large', `A picture may have ${PICTURE_MAX_SIDE_PX} pixels a side at most.`)
  if (isPictureCutOff(bytes)) throw refusal('invalid', { picture: [TEXTS.pictureCutOff] })
  return found
}
