import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { countReads, explainScans, sumRows } from '#test/support/database/explain.ts'
import { WAITS } from '#domain/delivery/reasons.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { lastLateQuery } from './late-posts.ts'
import { selectLate } from './outages.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE_MS = 60_000
/** Of each state. */
const POSTS = 2000

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(() =>
  db
    .deleteFrom('users')
    .execute()
    .then(() => db.deleteFrom('accounts').execute()),
)

/** Two users have linked the same account; the first's is returned. */
async function linkTwice(): Promise<number> {
  const { rows } = await sql<{ account_id: number }>`
    with u as (insert into users (uid, email, nickname, timezone)
        select n, n || '@example.com', 'Ada', 'UTC' from generate_series(1, 2) n returning user_id),
      b as (insert into brands (user_id, title) select user_id, 'Northwind' from u returning user_id, brand_id),
      v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
        select user_id, user_id, 'v.mp4', 'video/mp4', 1000, repeat('0', 64), '{}' from u returning user_id)
    insert into accounts (user_id, brand_id, platform, external_id, display_name, scopes, can_publish, tokens)
    select user_id, brand_id, 'instagram', 'x', 'Nova', '{}', true, '' from b order by user_id returning account_id`.execute(
    db,
  )
  return rows[0]?.account_id ?? 0
}

type Fill = {
  readonly state: string
  readonly data: object
  /** Minutes from now of the first; each of the others a minute earlier. */
  readonly wakesIn?: number
  readonly due: number
}

/** So many posts of each user in a state. */
const fill = (count: number, { state, data, wakesIn, due }: Fill) =>
  sql`with p as (
      insert into posts (user_id, video_id, text)
      select user_id, video_id, 'Hello' from videos, generate_series(1, ${count}::int) returning post_id, user_id)
    insert into deliveries
      (post_id, user_id, account_id, platform, text, options, state, data, session, wake_at, goes_out_at)
    select post_id, user_id, account_id, 'instagram', 'Hello', '{}', ${state}::text, ${JSON.stringify(data)}::jsonb,
      case when ${state}::text in ('processing', 'unconfirmed', 'in_inbox') then ''::bytea end,
      to_timestamp(${NOW / 1000}) + (${wakesIn ?? null}::float8 - place) * interval '1 minute',
      to_timestamp(${NOW / 1000}) + (${due}::float8 - place) * interval '1 minute'
    from (select *, row_number() over (partition by user_id order by post_id) - 1 as place from p) p
      join accounts using (user_id)`.execute(db)

const spaced = { dueAt: NOW, reason: WAITS.spaced }
async function lastLate(accountId: number): Promise<number | null> {
  const { rows } = await lastLateQuery([accountId], NOW).execute(db)
  return rows[0]?.last ?? null
}

it.each<[string, Fill, number | null]>([
  ['waits for the account to have room', { state: 'scheduled', data: spaced, wakesIn: 3, due: -9 }, 3],
  ['waits for a time to come', { state: 'scheduled', data: { reason: null }, wakesIn: 3, due: 3 }, null],
  ['is due', { state: 'scheduled', data: { reason: null }, wakesIn: 0, due: -9 }, 0],
  ['waits for a rate limit', { state: 'scheduled', data: { reason: null }, wakesIn: 0.5, due: -9 }, 0.5],
  ['waits for a quota', { state: 'scheduled', data: { reason: null }, wakesIn: 300, due: -9 }, null],
  ['is being sent', { state: 'preparing', data: {}, wakesIn: 0, due: -9 }, 0],
  ['is processed', { state: 'processing', data: { since: NOW - 10_000 }, wakesIn: 0, due: -9 }, -1 / 6],
  ['is in the inbox', { state: 'in_inbox', data: { at: NOW - 10_000 }, wakesIn: 0, due: -9 }, -1 / 6],
  ['was sent a minute ago', { state: 'in_inbox', data: { at: NOW - MINUTE_MS }, wakesIn: 0, due: -9 }, null],
  ['was published late', { state: 'published', data: { at: NOW - 10_000 }, due: -9 }, -1 / 6],
  ['was published in time', { state: 'published', data: { at: NOW - 10_000 }, due: -0.5 }, null],
])('a post that %s is counted when it goes out, whoever linked its account', async (_what, post, minutes) => {
  const accountId = await linkTwice()
  await fill(1, post)
  await sql`delete from deliveries where account_id = ${accountId}`.execute(db)
  expect(await lastLate(accountId)).toBe(minutes === null ? null : NOW + minutes * MINUTE_MS)
})

it('the last late post of an account is found among thousands by a few rows', async () => {
  const accountId = await linkTwice()
  await sql`insert into outages (since, until)
    values (to_timestamp(${NOW / 1000}) - interval '9 days', to_timestamp(${NOW / 1000}))`.execute(db)
  await fill(POSTS, { state: 'scheduled', data: { reason: null }, wakesIn: -1, due: -1 })
  await fill(POSTS, { state: 'scheduled', data: { reason: null }, wakesIn: POSTS + 1, due: POSTS + 1 })
  await fill(POSTS, { state: 'scheduled', data: spaced, wakesIn: POSTS + 1, due: -1 })
  await fill(POSTS, { state: 'in_inbox', data: { at: NOW - 2 * MINUTE_MS }, due: -9 })
  await fill(POSTS, { state: 'unconfirmed', data: { since: NOW - 2 * MINUTE_MS }, due: -9 })
  await fill(POSTS, { state: 'published', data: { at: NOW - 2 * MINUTE_MS }, due: -9 })
  await sql`analyze`.execute(db)
  expect(await lastLate(accountId)).toBe(NOW + (POSTS + 1) * MINUTE_MS)
  expect(await countReads(db, 'deliveries', lastLateQuery([accountId], NOW))).toBeLessThan(20)
})

it('the posts that are late with one are read alone, in the order in which they were due', async () => {
  const accountId = await linkTwice()
  await fill(POSTS, { state: 'scheduled', data: { attempt: 1, earlier: null }, wakesIn: -1, due: -1 })
  await fill(POSTS, { state: 'scheduled', data: { attempt: 1 }, wakesIn: POSTS + 1, due: POSTS + 1 })
  await fill(POSTS, { state: 'in_inbox', data: { at: NOW }, due: -1 })
  await fill(1, { state: 'scheduled', data: { attempt: 2 }, wakesIn: -1, due: -1 })
  await sql`analyze`.execute(db)
  const outage = { since: NOW - 9 * 86_400_000, until: NOW }
  const late = selectLate(db, { accountId, outage, graceMs: 30 * MINUTE_MS })
  const dueAt = await late.select('d.goes_out_at').execute()
  expect(dueAt.map(({ goes_out_at: at }) => at?.getTime())).toEqual(
    Array.from({ length: 60 }, (_, place) => NOW - (30 - Math.floor(place / 2)) * MINUTE_MS),
  )
  const scans = await explainScans(db, late.compile())
  expect(sumRows(scans.filter(({ table }) => table === 'deliveries'))).toBeLessThan(100)
})
