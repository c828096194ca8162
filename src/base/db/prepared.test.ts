import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { openDb } from './open.ts'
import { prepared, readWithOnePlan } from './prepared.ts'

const database = await createTestDatabase()
const opened = [openDb(database.url, { connections: 1 })]
const db = opened[0] ?? openDb(database.url)
afterAll(async () => {
  for (const one of opened) await one.destroy()
  await database.drop()
})

const usersBetween = prepared((on, least: number, most: number) =>
  on
    .selectFrom('users')
    .select(['user_id', sql<number>`${7}::int`.as('constant')])
    .where('user_id', '<=', most)
    .where('user_id', '>=', least)
    .orderBy('user_id'),
)
const statements = async (on: typeof db) =>
  (
    await sql<{ name: string; times: number }>`
      select name, generic_plans + custom_plans as times from pg_prepared_statements`.execute(on)
  ).rows

test('is prepared once for each connection, and takes its parameters in their places', async () => {
  await sql`insert into users (uid, email, nickname, timezone)
    select n::text, n || '@example.com', 'Ada', 'UTC' from generate_series(1, 5) n`.execute(db)
  for (let least = 1; least <= 4; least++)
    expect(await usersBetween(db, least, 4)).toEqual(
      Array.from({ length: 5 - least }, (_, i) => ({ user_id: least + i, constant: 7 })),
    )
  const found = await statements(db)
  expect(found.map(({ name, times }) => [name.slice(0, 7), times])).toEqual([['reelay_', 4]])
})

test('goes on after a migration added a column', async () => {
  await sql`alter table users add column later text`.execute(db)
  expect(await usersBetween(db, 5, 5)).toEqual([{ user_id: 5, constant: 7 }])
  await sql`alter table users drop column later`.execute(db)
})

test('works in a transaction that fails, and after it', async () => {
  const failed = db.transaction().execute(async (trx) => {
    expect(await usersBetween(trx, 1, 1)).toHaveLength(1)
    await sql`select 1 / 0`.execute(trx)
  })
  await expect(failed).rejects.toThrow('division by zero')
  expect(await usersBetween(db, 1, 2)).toHaveLength(2)
})

test('has no name behind a pooler, which may give each statement another connection', async () => {
  const pooled = openDb(database.url, { connections: 1, pooled: true })
  opened.push(pooled)
  expect(await usersBetween(pooled, 2, 3)).toHaveLength(2)
  expect(await statements(pooled)).toEqual([])
})

const usersWith = (userId: number) =>
  sql<{ user_id: number }>`select user_id from users where user_id = ${userId}`
const plansOf = async (on: typeof db) =>
  (await sql`select generic_plans, custom_plans from pg_prepared_statements`.execute(on)).rows

test('a long read is prepared and planned once, and no other statement has its settings', async () => {
  const on = openDb(database.url, { connections: 1 })
  opened.push(on)
  for (const userId of [2, 4]) {
    expect(await readWithOnePlan(on, usersWith(userId))).toEqual([{ user_id: userId }])
  }
  expect(await plansOf(on)).toEqual([{ generic_plans: 2, custom_plans: 0 }])
  expect((await sql`show plan_cache_mode`.execute(on)).rows).toEqual([{ plan_cache_mode: 'auto' }])
})

test('is refused where a parameter does not reach it', async () => {
  const wrong = prepared((on, _uid: string) =>
    on.selectFrom('users').select('user_id').where('uid', '=', 'x'),
  )
  await expect(wrong(db, 'a')).rejects.toThrow('is not in it')
})
