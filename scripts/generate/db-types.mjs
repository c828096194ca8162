// Writes src/base/db/tables.ts: the row types of the database that migrations/ makes. `npm run db:types`.
import { writeFile } from 'node:fs/promises'
import { createTestDatabase, startTestDatabases } from '../../test/support/database/test-database.ts'
import { describeTables, tablesFile } from '../../test/support/database/tables.ts'

const stop = await startTestDatabases()
try {
  const { url } = await createTestDatabase()
  await writeFile(tablesFile, await describeTables(url))
} finally {
  await stop()
}
