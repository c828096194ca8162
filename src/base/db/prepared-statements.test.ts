import { type RawBuilder, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { type Db, openDb } from './open.ts'
import { readWithOnePlan } from './one-plan.ts'

const database = await createTestDatabase()
const opened: Db[] = []
const open = (options: { pooled?: boolean } = {}): Db => {
  const one = openDb(database.url, { connections: 1, ...options })
  opened.push(one)
  return one
}
const db = open()
afterAll(async () => {
  for (const one of opened) await one.destroy()
  await database.drop()
})
await sql`insert into users (uid, email, nickname, timezone)
  select n::text, n || '@example.com', 'Ada', 'UTC' from generate_series(1, 5) n`.execute(db)

const userWith = (userId: number) =>
  sql<{ user_id: number }>`select user_id from users where user_id = ${userId}`
const long = (userId: number) => sql`${userWith(userId)} and ${sql.lit('x'.repeat(1500))} <> ''`
const preparedBy = async (on: Db) =>
  (
    await sql<{ times: number }>`
      select generic_plans + custom_plans as times from pg_prepared_statements`.execute(on)
  ).rows.map(({ times }) => times)

test('a statement is prepared once for each connection', async () => {
  const on = open()
  for (const userId of [2, 4])
    expect((await userWith(userId).execute(on)).rows).toEqual([{ user_id: userId }])
  expect(await preparedBy(on)).toEqual([2])
})

test('a prepared statement goes on after a migration added a column', async () => {
  await userWith(5).execute(db)
  await sql`alter table users add column later text`.execute(db)
  expect((await userWith(5).execute(db)).rows).toEqual([{ user_id: 5 }])
  await sql`alter table users drop column later`.execute(db)
})

test('a prepared statement works in a transaction that fails, and after it', async () => {
  const failed = db.transaction().execute(async (trx) => {
    expect((await userWith(1).execute(trx)).rows).toHaveLength(1)
    await sql`select 1 / 0`.execute(trx)
  })
  await expect(failed).rejects.toThrow('division by zero')
  expect((await userWith(1).execute(db)).rows).toHaveLength(1)
})

const unprepared: [string, RawBuilder<unknown>][] = [
  ['that names no columns', sql`select * from users where user_id = ${1}`],
  ['that returns all columns', sql`update users set nickname = ${'Bea'} where user_id = 1 returning users.*`],
  ['that is long', long(1)],
]
test.each(unprepared)('a statement %s is not prepared', async (_what, statement) => {
  const on = open()
  await statement.execute(on)
  expect(await preparedBy(on)).toEqual([])
})

test('a connection prepares a bounded number of statements', async () => {
  const on = open()
  for (let n = 0; n < 120; n++) await sql`select ${sql.lit(n)} as n, ${n}::int as same`.execute(on)
  expect(await preparedBy(on)).toHaveLength(100)
})

test('nothing is prepared behind a pooler, which may give each statement another connection', async () => {
  const pooled = open({ pooled: true })
  expect((await userWith(2).execute(pooled)).rows).toHaveLength(1)
  expect(await preparedBy(pooled)).toEqual([])
})

test('a long read is planned once, and no other statement has its settings', async () => {
  const on = open()
  for (const userId of [2, 4]) expect(await readWithOnePlan(on, long(userId))).toEqual([{ user_id: userId }])
  const plans = await sql`select generic_plans, custom_plans from pg_prepared_statements`.execute(on)
  expect(plans.rows).toEqual([{ generic_plans: 2, custom_plans: 0 }])
  expect((await sql`show plan_cache_mode`.execute(on)).rows).toEqual([{ plan_cache_mode: 'auto' }])
})
