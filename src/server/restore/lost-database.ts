import type { Db } from '#base/db/open.ts'
import { hasUsers } from '../users/store.ts'
import type { Storage } from '../storage/storage.ts'

/** A sentence for the operator where the videos have lost their database; null: nothing looks like it. */
export async function findLostDatabase(db: Db, storage: Storage): Promise<string | null> {
  if (await hasUsers(db)) return null
  for await (const { key } of storage.list())
    return `The database is empty, but the storage has videos such as ${key}: was its volume lost, or DATABASE_URL changed? A backup is restored by npm run restore.`
  return null
}
