// Not Kysely's Migrator: it records names without checksums and applies all pending files in one transaction, so our rules
// would need a second table and as much code again.
import { createHash, randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { StartError } from '#base/start-error.ts'

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url))

type Migration = { version: number; name: string; sql: string; checksum: string }
export type AppliedMigration = { version: number; name: string; checksum: string }

/**
 * Migrates the database at `directUrl`, or without a pooler the one at `url`. @throws StartError like `migrate`, and before
 * any write when the two addresses lead to different databases
 */
export async function migratePastPooler(url: string, directUrl: string | null): Promise<string[]> {
  if (directUrl !== null) await assertOneDatabase(url, directUrl)
  return migrate(directUrl ?? url)
}

/** A lock taken at one address must be visible at the other; with two databases, locks and news would have no effect. */
async function assertOneDatabase(url: string, directUrl: string): Promise<void> {
  const direct = await connect(directUrl)
  try {
    const key = randomInt(2 ** 31)
    await direct.query('begin')
    await direct.query('select pg_advisory_xact_lock($1, $2)', [MIGRATION_LOCK, key])
    const pooled = await connect(url)
    try {
      const { rowCount } = await pooled.query(
        `select from pg_locks join pg_database on oid = database
        where datname = current_database() and locktype = 'advisory' and granted and classid = $1 and objid = $2`,
        [MIGRATION_LOCK, key],
      )
      if (rowCount === 1) return
      throw new StartError(
        `DATABASE_DIRECT_URL (${withoutPassword(directUrl)}) leads to another database than DATABASE_URL (${withoutPassword(url)}): it must name the same one, past the pooler.`,
      )
    } finally {
      await pooled.end()
    }
  } finally {
    await direct.end()
  }
}

/**
 * Applies the pending `NNNN_name.sql` files in order, each in its own transaction, forward only. Safe in several processes
 * at once: every step takes an advisory lock and reads again what was applied. `upTo`: the last version that is applied.
 * @returns the names of the files applied now.
 * @throws StartError when the database is unreachable, older than PostgreSQL 15, newer than this code, or migrated by files
 * that changed since
 */
export async function migrate(
  url: string,
  dir: string = migrationsDir,
  upTo = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const client = await connect(url)
  try {
    const done: string[] = []
    for (;;) {
      const name = await applyNext(client, migrations.slice(0, upTo))
      if (name === null) return done
      done.push(name)
    }
  } finally {
    await client.end()
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name, index) => {
      const version = index + 1
      if (!name.startsWith(`${String(version).padStart(4, '0')}_`)) {
        throw new Error(`${path.join(dir, name)}: migrations are numbered 0001, 0002, … without a gap`)
      }
      // Git may check the file out with other line ends; they do not count as a change.
      const sql = (await readFile(path.join(dir, name), 'utf8')).replaceAll('\r\n', '\n')
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'reelay migrate',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {}) // the running query rejects with the same error
  try {
    await client.connect()
  } catch (cause) {
    throw new StartError(`The database at ${withoutPassword(url)} cannot be used: ${reason(cause)}.`, {
      cause,
    })
  }
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  )
  const version = Math.floor((rows[0]?.version ?? 0) / 10_000)
  if (version < 15) {
    await client.end()
    throw new StartError(
      `The database at ${withoutPassword(url)} is PostgreSQL ${version}: 15 or later is needed.`,
    )
  }
  return client
}

// A transaction-level lock: unlike a session-level one it also works behind a connection pooler.
export const MIGRATION_LOCK = 7_335_392

async function applyNext(client: Client, migrations: Migration[]): Promise<string | null> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query("set local client_min_messages = 'warning'") // "already exists, skipping"
    await client.query(`
      create table if not exists schema_migrations (
        version int primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`)
    const { rows } = await client.query<AppliedMigration>(
      'select version, name, checksum from schema_migrations order by version',
    )
    checkApplied(rows, migrations)
    const next = migrations[rows.length]
    if (next) {
      await run(client, next)
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        next.version,
        next.name,
        next.checksum,
      ])
    }
    await client.query('commit')
    return next?.name ?? null
  } catch (error) {
    await client.query('rollback').catch(() => {}) // the connection may be gone: the error that matters is thrown
    throw error
  }
}

/** @throws StartError where this code does not know a migration that a database has had */
export async function assertMigrationsKnown(applied: readonly AppliedMigration[]): Promise<void> {
  checkApplied(applied, await readMigrations(migrationsDir))
}

function checkApplied(applied: readonly AppliedMigration[], migrations: Migration[]): void {
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1]
    if (!known) {
      throw new StartError(
        `The database is newer than this Reelay: it has had ${name}. Start the version that made it, or a later one.`,
      )
    }
    if (known.checksum !== checksum) {
      throw new StartError(
        `The migration ${known.name} is not the one this database has had (${name}): restore the file, and put changes into a new one.`,
      )
    }
  }
}

async function run(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql)
  } catch (cause) {
    throw new StartError(`The migration ${migration.name} failed: ${reason(cause)}.`, { cause })
  }
}

function reason(error: unknown): string {
  // A host with several addresses fails with an error for each, and no message of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message.split('\n').join(' ') : String(first)
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.host}${parsed.pathname}` : 'DATABASE_URL'
}
