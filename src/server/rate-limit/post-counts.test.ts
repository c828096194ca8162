import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { countReads } from '#test/support/database/explain.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { countDays, countDaysQuery, countSince, countSinceQuery } from './post-counts.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000
const ACCOUNTS = 20
const POSTS = 3000
/** Of 60,000 rows: those of all accounts within a day. */
const DAY_OF_ALL = ACCOUNTS * 34

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
  await fill()
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

/** Each account: 2,000 posts published hourly until now, 990 scheduled hourly from now, and ten in progress. */
async function fill(): Promise<void> {
  await sql`with u as (insert into users (uid, email, nickname, timezone) values ('u', 'a@example.com', 'Ada', 'UTC') returning user_id),
    b as (insert into brands (user_id, title) select user_id, 'Northwind' from u returning brand_id),
    v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
      select user_id, 'k', 'v.mp4', 'video/mp4', 1000, repeat('0', 64), '{}' from u returning video_id),
    p as (insert into posts (user_id, video_id, text) select user_id, video_id, 'Hello' from u, v, generate_series(1, ${POSTS}::int))
    insert into accounts (user_id, brand_id, platform, external_id, display_name, scopes, can_publish, tokens)
    select user_id, brand_id, 'instagram', 'x' || n, 'Nova', '{}', true, '' from u, b, generate_series(1, ${ACCOUNTS}::int) n`.execute(
    db,
  )
  await sql`insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, session, wake_at)
    select post_id, a.user_id, account_id, 'instagram', 'Hello', '{}',
      case when place <= 2000 then 'published' when place <= 2990 then 'scheduled' else 'processing' end,
      jsonb_build_object('at', ${NOW}::bigint - place * ${HOUR_MS}::bigint),
      case when place > 2990 then ''::bytea end,
      case when place > 2000 then to_timestamp(${NOW / 1000}) + (place - 2000) * interval '1 hour' end
    from (select *, row_number() over (order by post_id) as place from posts) p, accounts a`.execute(db)
}

const about = { platform: 'instagram' as const, externalId: 'x7', now: NOW }
const days = { accountIds: [7], now: NOW }
const since = { ...about, since: NOW - 5 * HOUR_MS, reservedSince: NOW - 15_000, except: 0 }

it('posts of a day are counted by what became live within it and what comes next', async () => {
  expect(await countDays(db, days)).toEqual([{ accountId: 7, sent: 23, waiting: 10 + 23 }])
  expect(await countSince(db, since)).toEqual({ inFlight: 10, publishedSince: 4 })
})

it("counting an account's posts of a day reads none of the other days", async () => {
  for (const query of [countDaysQuery(days), countSinceQuery(since)]) {
    expect(await countReads(db, 'deliveries', query)).toBeLessThan(DAY_OF_ALL)
  }
  await sql`analyze`.execute(db)
  for (const query of [countDaysQuery(days), countSinceQuery(since)]) {
    expect(await countReads(db, 'deliveries', query)).toBeLessThan(DAY_OF_ALL)
  }
})
