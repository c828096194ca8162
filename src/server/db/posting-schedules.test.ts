import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Draft } from '#contract/drafts.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { migrate } from './migrate.ts'
import { StoredReason } from './stored-reason.ts'

let database: TestDatabase
let client: Client
const rowsOf = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await client.query<Record<string, unknown>>(sql)).rows

const before = { text: 'Lemon tart', video_id: null, targets: [], platform_options: {}, publish_at: null }
const slot = { local: '2026-12-24T18:30', timezone: 'Europe/Lisbon' }

/** Rows as they were when a posting schedule was called a queue. */
beforeAll(async () => {
  database = await createTestDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  const all = path.resolve(import.meta.dirname, '../../../migrations')
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-migrations-'))
  for (const name of await readdir(all))
    if (name < '0063') await cp(path.join(all, name), path.join(dir, name))
  await migrate(database.url, dir)
  await rm(dir, { recursive: true })
  await client.query(`
    insert into users (uid, email, nickname, timezone) values ('ada', 'ada@example.com', 'Ada', 'Europe/Lisbon');
    insert into brands (user_id, title) select user_id, 'Northwind' from users;
    insert into accounts (user_id, brand_id, platform, external_id, display_name, can_publish, scopes, tokens)
      select user_id, brand_id, 'tiktok', 'nova', 'Nova', true, '{}', '\\x00' from brands;
    insert into videos (user_id, storage_key, filename, mime, size, facts, sha256)
      select user_id, 'key', 'tart.mp4', 'video/mp4', 1, '{}', repeat('0', 64) from users;
    insert into queues (user_id, brand_id, name) select user_id, brand_id, 'Evenings' from brands;
    insert into queue_slots (queue_id, weekday, time) select queue_id, 4, '18:30' from queues;
    insert into posts (user_id, video_id, text, publish_at, timezone, publish_local, queue_id, slot_local)
      select user_id, video_id, 'Door one', now() + interval '1 day', 'UTC', '2026-12-24T18:30', queue_id, '2026-12-24T18:30'
      from queues join videos using (user_id);
    insert into deliveries (post_id, user_id, account_id, platform, state, data, text, options, goes_out_at)
      select post_id, posts.user_id, account_id, 'tiktok', 'blocked', '${JSON.stringify(paused)}', 'Door one', '{}', now()
      from posts join accounts using (user_id)`)
  const contents = [
    { ...before, queue: { queue_id: 1, place: 'slot', slot } },
    { ...before, queue: { queue_id: 1, place: 'next' } },
    { ...before, publish_at: slot },
  ]
  for (const content of contents)
    await client.query(
      `insert into drafts (user_id, draft_id, content, created_at, updated_at)
        select user_id, gen_random_uuid(), $1, now(), now() from users`,
      [JSON.stringify(content)],
    )
  expect(await migrate(database.url)).toContain('0063_posting_schedules.sql')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const paused = {
  attempt: 1,
  cause: 'paused',
  until: null,
  reason: { code: 'paused', detail: null, text: { name: 'paused', params: ['queue'] } },
}

test('a post keeps its posting schedule and its slot', async () => {
  const [row] = await rowsOf(`select p.slot_local, s.name, slot.time from posts p
    join schedules s using (schedule_id) join schedule_slots slot using (schedule_id)`)
  expect(row).toEqual({ slot_local: '2026-12-24T18:30', name: 'Evenings', time: '18:30' })
})

test('drafts keep their places and their times', async () => {
  const rows = await rowsOf(
    'select content, planned_for, slot_schedule_id::int from drafts order by created_at',
  )
  expect(rows.map(({ content }) => Draft.shape.content.parse(content))).toEqual([
    { ...before, schedule: { schedule_id: 1, place: 'slot', slot } },
    { ...before, schedule: { schedule_id: 1, place: 'next' } },
    { ...before, publish_at: slot },
  ])
  expect(rows.map((row) => [row['planned_for'], row['slot_schedule_id']])).toEqual([
    [slot, 1],
    [null, null],
    [slot, null],
  ])
})

test('a delivery that waits for a paused posting schedule says so', async () => {
  const [row] = await rowsOf("select data -> 'reason' as reason from deliveries")
  expect(StoredReason.parse(row?.['reason']).message).toBe('Posting is paused for this schedule.')
})

test('nothing in the database is called a queue any more', async () => {
  const names = await rowsOf(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
    union all select conname from pg_constraint where connamespace = 'public'::regnamespace
    union all select attname from pg_attribute join pg_class on attrelid = pg_class.oid where relnamespace = 'public'::regnamespace and relkind = 'r'`)
  expect(names.filter(({ name }) => String(name).includes('queue'))).toEqual([])
})
