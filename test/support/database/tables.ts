import { fileURLToPath } from 'node:url'
import { generate, PostgresDialect } from 'kysely-codegen'
import { openDb } from '#base/db/open.ts'

export const tablesFile = fileURLToPath(new URL('../../../src/base/db/tables.ts', import.meta.url))

/** The text of `src/base/db/tables.ts` for the database at `url`. */
export async function describeTables(url: string): Promise<string> {
  const db = openDb(url)
  try {
    return await generate({
      db,
      dialect: new PostgresDialect(),
      excludePattern: 'schema_migrations',
      typeMapping: { int8: 'number' }, // as `openDb` parses it
      outFile: null,
    })
  } finally {
    await db.destroy()
  }
}
