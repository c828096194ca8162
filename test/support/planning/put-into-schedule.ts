import type { Post } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'

/** Simulates a post whose long past time came from the schedule. */
export const putIntoSchedule = async (db: Db, { post_id }: Post, scheduleId: number): Promise<void> => {
  await db
    .updateTable('posts')
    .set({
      schedule_id: scheduleId,
      slot_local: '2026-01-01T08:00',
      publish_local: '2026-01-01T08:00',
      timezone: 'UTC',
      publish_at: new Date('2026-01-01T08:00Z'),
    })
    .where('post_id', '=', post_id)
    .execute()
}
