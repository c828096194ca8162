import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { scansOf, sumOf } from '#test/support/database/explain.ts'
import { openDb } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { countAhead, countAheadQuery, createHeartbeat, findOutage } from './outages.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE_MS = 60_000
const OUTAGE_MS = 5 * MINUTE_MS
const POSTS = 3000

let database: TestDatabase
let db: Kysely<DB>

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

/** Two users have linked the same account. Each posts to it once a minute: until now, and in the hours to come. */
async function fill(): Promise<void> {
  await sql`with u as (insert into users (uid, email, nickname, timezone)
      select n, n || '@example.com', 'Ada', 'UTC' from generate_series(1, 2) n returning user_id),
    b as (insert into brands (user_id, title) select user_id, 'Northwind' from u returning user_id, brand_id),
    v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
      select user_id, user_id, 'v.mp4', 'video/mp4', 1000, repeat('0', 64), '{}' from u returning user_id, video_id),
    p as (insert into posts (user_id, video_id, text)
      select user_id, video_id, 'Hello' from v, generate_series(1, ${POSTS}::int))
    insert into accounts (user_id, brand_id, platform, external_id, display_name, scopes, can_publish, tokens)
    select user_id, brand_id, 'instagram', 'x', 'Nova', '{}', true, '' from b`.execute(db)
  await sql`insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
    select post_id, user_id, account_id, 'instagram', 'Hello', '{}',
      case when place % 10 = 0 then 'cancelled' when place < 2000 then 'published' else 'scheduled' end,
      jsonb_build_object('at', ${NOW}::bigint),
      case when place >= 2000 and place % 10 > 0 then to_timestamp(${NOW / 1000}) end,
      to_timestamp(${NOW / 1000}) + (place - 2500) * interval '1 minute'
    from (select *, row_number() over (partition by user_id order by post_id) as place from posts) p
      join accounts a using (user_id)`.execute(db)
}

it('only a gap between two looks that is long enough is an outage', async () => {
  let now = NOW
  const beat = () => createHeartbeat({ db, now: () => now }, OUTAGE_MS)()
  const outageAt = (minutes: number) => findOutage(db, NOW + minutes * MINUTE_MS)
  await beat()
  for (const minutes of [5, 10, 40, 41]) {
    now = NOW + minutes * MINUTE_MS
    await beat()
  }
  expect(await outageAt(7)).toBeNull()
  expect(await outageAt(10)).toEqual({ since: NOW + 10 * MINUTE_MS, until: NOW + 40 * MINUTE_MS })
  expect(await outageAt(39)).toEqual(await outageAt(10))
  expect(await outageAt(40)).toBeNull()
})

it('workers whose clocks differ by minutes are no outage', async () => {
  let now = NOW + 100 * MINUTE_MS
  const ahead = createHeartbeat({ db, now: () => now + 4.5 * MINUTE_MS }, OUTAGE_MS)
  const behind = createHeartbeat({ db, now: () => now }, OUTAGE_MS)
  await behind()
  await ahead()
  const before = await db.selectFrom('outages').selectAll().execute()
  for (let minute = 0; minute < 10; minute += 1) {
    now += MINUTE_MS
    await ahead()
    await behind()
  }
  expect(await db.selectFrom('outages').selectAll().execute()).toEqual(before)
})

it('what a clock that ran ahead made look like an outage is forgotten once it is set back', async () => {
  const day = NOW + 24 * 60 * MINUTE_MS
  let now = day
  const beat = () => createHeartbeat({ db, now: () => now }, OUTAGE_MS)()
  await beat()
  now = day + 120 * MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 60 * MINUTE_MS)).not.toBeNull()
  now = day + MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 60 * MINUTE_MS)).toBeNull()
  now = day + 5 * MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 2 * MINUTE_MS)).toBeNull()
})

it('the posts ahead of one are those to its platform account, whoever made them', async () => {
  await fill()
  const [own] = await sql<{ id: number }>`select delivery_id as id from deliveries
    where goes_out_at = to_timestamp(${NOW / 1000}) + interval '29 minutes' order by delivery_id desc limit 1`
    .execute(db)
    .then(({ rows }) => rows)
  if (!own) throw new Error('it is not there')
  const asked = { deliveryId: own.id, from: NOW, graceMs: 10 * MINUTE_MS }
  // 29 minutes of two users before it, without 3 each, and the other user's of the same minute.
  expect(await countAhead(db, asked)).toBe(2 * (29 - 3) + 1)
  // Put off into another outage it is behind those of its own time, ten minutes back without 1 each.
  expect(await countAhead(db, { ...asked, from: NOW + 60 * MINUTE_MS })).toBe(2 * (10 - 1) + 1)
  await sql`analyze`.execute(db)
  const scans = await scansOf(db, countAheadQuery(db, asked).compile())
  expect(sumOf(scans.filter(({ table }) => table === 'deliveries'))).toBeLessThan(200)
})
