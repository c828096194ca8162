import { PICTURE_UNUSED_DAYS } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import type { Storage } from '../storage/storage.ts'
import { deleteUnusedPictures } from './store.ts'

type Deps = { readonly db: Db; readonly storage: Storage; readonly now: () => number }

const DAY_MS = 86_400_000

export async function deleteOldPictures({ db, storage, now }: Deps): Promise<void> {
  const keys = await deleteUnusedPictures(db, now() - PICTURE_UNUSED_DAYS * DAY_MS)
  for (const key of keys) await storage.delete(key)
}
