import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { Storage } from '../storage/storage.ts'
import { DONE, markDeleted } from '../videos/store.ts'

type Deps = {
  readonly db: Db
  readonly storage: Storage
  readonly retentionDays: number | null
  readonly now: () => number
}

const DAY_MS = 86_400_000
const PAGE = 500

/** Deletes videos whose posts have all ended at least `retentionDays` ago. Videos that were never posted, or that a draft uses, stay. */
export async function deleteEndedVideos(deps: Deps, stopping: AbortSignal): Promise<void> {
  if (deps.retentionDays === null) return
  const before = new Date(deps.now() - deps.retentionDays * DAY_MS)
  let last = 0
  while (!stopping.aborted) {
    const page = await deps.db
      .selectFrom('videos')
      .select('video_id')
      .where('video_id', '>', last)
      .where('deleted_at', 'is', null)
      .orderBy('video_id')
      .limit(PAGE)
      .execute()
    const ids = page.map(({ video_id }) => video_id)
    for (const videoId of await endedAmong(deps.db, ids, before)) await deleteIfEnded(deps, videoId, before)
    if (ids.length < PAGE) return
    last = ids.at(-1) ?? last
  }
}

async function deleteIfEnded({ db, storage, now }: Deps, videoId: number, before: Date): Promise<void> {
  const keys = await db.transaction().execute(async (trx) => {
    const video = await trx
      .selectFrom('videos')
      .select('video_id')
      .where('video_id', '=', videoId)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    // Read again under the lock: a post may have been made meanwhile.
    if (!video || (await endedAmong(trx, [videoId], before)).length === 0) return []
    return markDeleted(trx, videoId, now())
  })
  for (const key of keys) await storage.delete(key)
}

/** The order makes the subqueries of posts read `posts_of_video`, latest first. */
async function endedAmong(db: Db, videoIds: readonly number[], before: Date): Promise<number[]> {
  if (videoIds.length === 0) return []
  const { rows } = await sql<{ video_id: number }>`
    select v.video_id from videos v
    where v.video_id in (${sql.join(videoIds)}) and v.created_at < ${before}
      and (select p.post_id from posts p where p.video_id = v.video_id and p.deleted_at is null
           order by p.created_at desc limit 1) is not null
      and (select p.post_id from posts p join deliveries d on d.post_id = p.post_id
           where p.video_id = v.video_id and p.deleted_at is null
             and (d.state not in (${sql.join(DONE)}) or d.updated_at >= ${before})
           order by p.created_at desc limit 1) is null
      and not exists (select from drafts d
           where d.user_id = v.user_id and d.video_id = v.video_id and d.deleted_at is null)`.execute(db)
  return rows.map(({ video_id }) => video_id)
}
