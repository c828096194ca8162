import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/** The live post: what was asked for, and its id as far as it is known. `searching`: it is still looked for. */
export async function readPost(db: Db, deliveryId: number) {
  const { rows } = await sql<{ options: unknown; postId: string | null; searching: boolean }>`
    select d.options, coalesce(d.platform_post_id, f.platform_post_id) as "postId", coalesce(f.state = 'waiting', false) as searching
    from deliveries d left join follow_ups f on f.delivery_id = d.delivery_id and f.kind = 'public_link'
    where d.delivery_id = ${deliveryId}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A follow-up has lost its delivery.')
  return row
}
