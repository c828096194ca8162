import type { Kysely } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import type { Handlers } from '../http/mount.ts'
import type { Storage } from '../storage/storage.ts'
import { addPicture } from './add-picture.ts'
import { findPicture } from './store.ts'

type PictureDeps = {
  readonly db: Kysely<DB>
  readonly storage: Storage
  readonly quotaBytes: number | null
  readonly now: () => number
}

export const pictureRoutes = (deps: PictureDeps): Handlers<'uploadPicture' | 'getPicture'> => ({
  uploadPicture: ({ user, file }) => addPicture(deps, user.user_id, file),
  getPicture: ({ user, params }) => findPicture(deps.db, user.user_id, params.pictureId),
})
