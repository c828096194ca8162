import { Client } from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'

const UNINDEXED = `
  select conrelid::regclass::text as table, conname as name from pg_constraint c
  where contype = 'f' and not exists (
    select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)',
        (select attname from pg_attribute where attrelid = c.conrelid and attnum = c.conkey[1]))))
  order by 1, 2`

it('every foreign key has an index, so that deleting a row scans no other table', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    expect((await client.query(UNINDEXED)).rows).toEqual([])
  } finally {
    await client.end()
    await database.drop()
  }
})
