import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openDb } from '#base/db/open.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { findAsking } from './wake-deliveries.ts'

it('a webhook about a post reads only what is asked about, however much was published', async () => {
  const database = await createTestDatabase()
  const db = openDb(database.url)
  try {
    await sql`insert into users (uid, email, nickname, timezone) values ('u', 'a@example.com', 'Ada', 'UTC')`.execute(
      db,
    )
    await sql`insert into brands (user_id, title) select user_id, 'Northwind' from users`.execute(db)
    await sql`insert into accounts (user_id, brand_id, platform, external_id, display_name, scopes, can_publish, tokens)
      select user_id, brand_id, 'tiktok', 'x', 'Nova', '{}', true, '' from brands`.execute(db)
    await sql`insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
      select user_id, 'k', 'v.mp4', 'video/mp4', 1, repeat('0', 64), '{}' from users`.execute(db)
    await sql`insert into posts (user_id, video_id, text)
      select user_id, video_id, 'Hello' from videos, generate_series(1, 3000)`.execute(db)
    await sql`insert into deliveries (post_id, user_id, account_id, platform, options, state, data, goes_out_at, text)
      select post_id, a.user_id, account_id, platform, '{}', 'published', '{}', now(), '' from posts, accounts a`.execute(
      db,
    )
    await sql`insert into follow_ups (delivery_id, user_id, kind, state, data, wake_at)
      select delivery_id, user_id, 'public_link', case when delivery_id % 1000 = 0 then 'waiting' else 'done' end, '{}', now()
      from deliveries`.execute(db)
    await sql`analyze`.execute(db)
    expect(await findAsking(db, 'tiktok', 'x').execute()).toHaveLength(3)
    const query = findAsking(db, 'tiktok', 'x').compile()
    expect(sumRows(await explainScans(db, query))).toBeLessThan(100)
    expect(sumRows(await explainScans(db, { ...query, hasGenericPlan: true }))).toBeLessThan(100)
  } finally {
    await db.destroy()
    await database.drop()
  }
})
