import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import type { TestDatabase } from '#test/support/database/test-database.ts'
import { migrate, migratePastPooler } from './migrate.ts'

let database: TestDatabase
let dir: string

beforeEach(async () => {
  database = await createTestDatabase()
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-migrations-'))
  await query('drop schema public cascade; create schema public')
  await write('0001_first.sql', 'create table first (id int primary key);\ninsert into first values (1);')
  await write('0002_second.sql', 'alter table first add column name text;')
})

afterEach(async () => {
  await database.drop()
  await rm(dir, { recursive: true })
})

test('applies pending files in order, once', async () => {
  expect(await migrate(database.url, dir)).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(await migrate(database.url, dir)).toEqual([])
  await write('0003_third.sql', 'create table third (id int);')
  expect(await migrate(database.url, dir)).toEqual(['0003_third.sql'])
  expect(await query('select id, name from first')).toEqual([{ id: 1, name: null }])
})

test('several processes that migrate at once apply each file once', async () => {
  await write('0003_slow.sql', 'select pg_sleep(0.1); create table slow (id int);')
  const done = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, dir)))
  expect(done.flat().toSorted()).toEqual(['0001_first.sql', '0002_second.sql', '0003_slow.sql'])
})

test('a failing file is rolled back and named', async () => {
  await write('0003_bad.sql', 'create table half (id int); select nonsense;')
  await expect(migrate(database.url, dir)).rejects.toThrow(
    'The migration 0003_bad.sql failed: column "nonsense" does not exist.',
  )
  expect(await query("select to_regclass('half') as half, to_regclass('first')::text as first")).toEqual([
    { half: null, first: 'first' },
  ])
})

test('a file that was changed after it was applied is refused', async () => {
  await migrate(database.url, dir)
  await write('0001_first.sql', 'create table first (id bigint primary key);')
  await expect(migrate(database.url, dir)).rejects.toThrow(
    'The migration 0001_first.sql is not the one this database has had (0001_first.sql): restore the file, and put changes into a new one.',
  )
})

test('other line ends do not change the checksum', async () => {
  await migrate(database.url, dir)
  await write('0001_first.sql', 'create table first (id int primary key);\r\ninsert into first values (1);')
  expect(await migrate(database.url, dir)).toEqual([])
})

test('a database that is newer than the code is refused', async () => {
  await migrate(database.url, dir)
  await rm(path.join(dir, '0002_second.sql'))
  await expect(migrate(database.url, dir)).rejects.toThrow(
    'The database is newer than this Reelay: it has had 0002_second.sql.',
  )
})

test('an unreachable database is reported in one line without its password', async () => {
  await expect(migrate('postgres://me:secret@127.0.0.1:1/none', dir)).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/none cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
  )
})

test('a direct address of another database is refused before anything is written', async () => {
  const other = await createTestDatabase()
  try {
    await expect(migratePastPooler(other.url, database.url)).rejects.toThrow(
      /^DATABASE_DIRECT_URL \(.+\) leads to another database than DATABASE_URL \(.+\): it must name the same one, past the pooler\.$/,
    )
    expect(await query("select to_regclass('schema_migrations') as migrations")).toEqual([
      { migrations: null },
    ])
    expect(await migratePastPooler(other.url, other.url)).toEqual([])
  } finally {
    await other.drop()
  }
})

async function write(name: string, sql: string): Promise<void> {
  await writeFile(path.join(dir, name), sql)
}

async function query(sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
