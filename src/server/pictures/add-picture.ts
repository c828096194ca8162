import { buffer } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import { PICTURE_MAX_SIDE_PX } from '#contract/limits.ts'
import type { Picture } from '#contract/videos.ts'
import type { DB } from '#base/db/tables.ts'
import { Problem } from '#base/problem.ts'
import { BUFFER_BYTES, type Storage, type StoredFile } from '../storage/storage.ts'
import { assertRoom } from '../videos/quota.ts'
import { jpegSize, type Size } from './jpeg.ts'
import { insertPicture } from './store.ts'

type Deps = {
  readonly db: Kysely<DB>
  readonly storage: Storage
  readonly quotaBytes: number | null
  readonly now: () => number
}

/** @throws Problem unsupported_media, too_large, quota_exceeded */
export async function addPicture(deps: Deps, userId: number, file: StoredFile): Promise<Picture> {
  const size = await sizeOf(deps.storage, file)
  return deps.db.transaction().execute(async (trx) => {
    await assertRoom(trx, { userId, bytes: file.size, quotaBytes: deps.quotaBytes })
    return insertPicture(trx, { userId, file, size, now: deps.now() })
  })
}

/** By the file's own bytes, whatever it is called. Metadata before the size may take up to a megabyte. */
async function sizeOf(storage: Storage, { key, size }: StoredFile): Promise<Size> {
  const head = await buffer(await storage.read(key, 0, Math.min(size, BUFFER_BYTES) - 1))
  const found = jpegSize(head)
  if (!found) throw new Problem('unsupported_media', 'The picture must be a JPEG file in RGB or grey.')
  if (Math.max(found.width, found.height) > PICTURE_MAX_SIDE_PX)
    throw new Problem('too_large', `A picture may have ${PICTURE_MAX_SIDE_PX} pixels a side at most.`)
  return found
}
