import type { Video } from '#contract/videos.ts'
import { unusableReason } from '#domain/video-check/post-check.ts'
import type { Db } from '#base/db/open.ts'
import { refusal } from '../http/parse.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import type { Asker, FactsReader } from './facts.ts'
import { assertRoom } from './quota.ts'
import { findVideo, insertVideo } from './store.ts'

export type VideoDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly facts: FactsReader
  readonly quotaBytes: number | null
  readonly config: { readonly privateAddresses: boolean }
  readonly now: () => number
}

/**
 * Makes a stored file one of the user's videos. Where that fails, the caller deletes the file, unless a row refers to it.
 * @param field the one that a refusal names
 * @throws Problem invalid, quota_exceeded
 */
export async function storeVideo(
  deps: VideoDeps,
  asker: Asker,
  { file, field }: { readonly file: StoredFile; readonly field: string },
): Promise<Video> {
  const { userId } = asker
  const facts = await deps.facts.readStored(asker, file)
  // Whatever it is called: what nobody can read as a video no platform will take.
  const reason = unusableReason(facts)
  if (reason !== null) throw refusal('invalid', { [field]: [reason] })
  return deps.db.transaction().execute(async (trx) => {
    await assertRoom(trx, { userId, bytes: file.size, quotaBytes: deps.quotaBytes })
    const { video_id: videoId } = await insertVideo(trx, userId, file, facts)
    return findVideo(trx, userId, videoId)
  })
}
