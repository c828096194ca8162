import { sql } from 'kysely'
import { knownZone } from '#domain/schedule/days.ts'
import { instantOf, localAt } from '#domain/schedule/schedule.ts'
import type { Db } from '#base/db/open.ts'
import { type RescheduleDeps, reschedulePosts } from '../deliveries/reschedule-post.ts'

type Deps = RescheduleDeps & { readonly db: Db }

const PAGE = 500

/**
 * Moves upcoming posts whose wall clock is another instant by this process's time zone rules: governments change them, and a new
 * version of Node.js brings the change. Reads pages by the index `posts_to_come`.
 */
export async function applyZoneRules(deps: Deps, stopping: AbortSignal): Promise<void> {
  const known = new Map<string, boolean>()
  const isKnown = (zone: string): boolean => {
    const is = known.get(zone) ?? knownZone(zone) === zone
    known.set(zone, is)
    return is
  }
  let last: Cursor = { publish_at: new Date(deps.now()), post_id: 0 }
  while (!stopping.aborted) {
    const page = await listPostsToCome(deps.db, last, PAGE)
    for (const post of page)
      if (isKnown(post.timezone) && instantByRules(post) !== null) await move(deps, post)
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return
    last = end
  }
}

type Cursor = { readonly publish_at: Date; readonly post_id: number }
type PostToCome = Cursor & {
  readonly user_id: number
  readonly publish_local: string
  readonly timezone: string
}

/** The posts of all users that go out after `after`, soonest first. */
async function listPostsToCome(db: Db, after: Cursor, limit: number): Promise<PostToCome[]> {
  const { rows } = await postsToCome(after, limit).execute(db)
  return rows
}

export const postsToCome = (after: Cursor, limit: number) =>
  sql<PostToCome>`select post_id, user_id, publish_at, publish_local, timezone from posts
    where publish_at is not null and deleted_at is null
      and (publish_at, post_id) > (${after.publish_at}, ${after.post_id})
    order by publish_at, post_id limit ${limit}`

/** The post's wall clock as an instant (epoch ms); null: unchanged. */
function instantByRules({ publish_at, publish_local, timezone }: PostToCome): number | null {
  // Checked first: four times as fast. Both instants of a repeated time are right.
  if (localAt(publish_at.getTime(), timezone) === publish_local) return null
  const at = instantOf(publish_local, timezone)
  return at === publish_at.getTime() ? null : at
}

async function move(deps: Deps, { post_id: postId, user_id: userId }: PostToCome): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const { rows } =
      await sql<PostToCome>`select post_id, user_id, publish_at, publish_local, timezone from posts
      where post_id = ${postId} and publish_at is not null and deleted_at is null for no key update`.execute(
        trx,
      )
    // Read again under the lock: its user may have moved it.
    const [post] = rows
    const at = post ? instantByRules(post) : null
    if (!post || at === null) return
    const { publish_local: local, timezone } = post
    const line = `The clock rules of ${timezone} have changed. It still goes out at ${local.slice(11)} there.`
    await reschedulePosts(trx, deps, [
      { userId, postId, publishAt: { local, timezone }, at, slot: null, line },
    ])
  })
}
