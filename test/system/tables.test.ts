import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database/test-database.ts'
import { describeTables, tablesFile } from '../support/database/tables.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

test('the row types in tables.ts are those of the migrated database (else: npm run db:types)', async () => {
  expect(await readFile(tablesFile, 'utf8')).toBe(await describeTables(database.url))
})
