import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { openDb } from './open.ts'

const database = await createTestDatabase()
const db = openDb(database.url)
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

test('bigint is read as a number, timestamptz as a Date, jsonb as its value', async () => {
  const { rows } = await sql`
    select 9007199254740991::bigint as id, '2026-01-02T03:04:05Z'::timestamptz as at, '{"a": [1, null]}'::jsonb as data
  `.execute(db)
  expect(rows).toEqual([
    { id: Number.MAX_SAFE_INTEGER, at: new Date('2026-01-02T03:04:05Z'), data: { a: [1, null] } },
  ])
})

test('a bigint that a number cannot hold fails rather than being rounded', async () => {
  await expect(sql`select 9007199254740993::bigint as id`.execute(db)).rejects.toThrow('beyond 2^53')
})

test('a connection lost in an idle transaction fails only that transaction', async () => {
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
    await sleep(200)
    await sql`select 1`.execute(trx)
  })
  await expect(cut).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test('the database ends a transaction whose process is suspended, and frees its rows', async () => {
  const { rows } = await sql`show idle_in_transaction_session_timeout`.execute(db)
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
})

test('behind a pooler each transaction says it for itself, and nothing is left for others', async () => {
  const pooled = openDb(database.url, { connections: 1, pooled: true })
  const show = sql`show idle_in_transaction_session_timeout`
  const { rows } = await pooled.transaction().execute((trx) => show.execute(trx))
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
  expect((await show.execute(pooled)).rows).toEqual([{ idle_in_transaction_session_timeout: '0' }])
  await pooled.destroy()
})

test('behind a pooler a transaction whose settings are refused leaves its connection usable', async () => {
  const pooled = openDb(database.url, { connections: 1, pooled: true, statementTimeoutMs: -1 })
  const one = sql`select 1 as one`
  await expect(pooled.transaction().execute((trx) => one.execute(trx))).rejects.toThrow('statement_timeout')
  expect((await one.execute(pooled)).rows).toEqual([{ one: 1 }])
  await pooled.destroy()
})
