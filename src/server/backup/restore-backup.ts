import { escapeIdentifier, type Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartError } from '#base/start-error.ts'
import { MIGRATION_LOCK } from '../db/migrate.ts'
import { NotStored, type Storage } from '../storage/storage.ts'
import { readWholeFile } from '../storage/whole-file.ts'
import type { BackupFolder } from './backup-folder.ts'
import { countRows } from './count-rows.ts'
import type { Manifest } from './manifest.ts'

type Tables = Manifest['tables']

/**
 * Fills an empty database, which has had the backup's migrations and no other, in one transaction. The next start notices the restore.
 * @throws StartError where it has users, was migrated meanwhile, or the backup is damaged; then nothing is changed. The client is then of
 * no further use
 */
export async function restoreDatabase(
  client: Client,
  folder: BackupFolder,
  { tables, sequences, migrations }: Manifest,
): Promise<void> {
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  const { rowCount: migrated } = await client.query('select from schema_migrations')
  if (migrated !== migrations.length)
    throw new StartError(
      'A server was started on this database meanwhile: stop it, and begin with a new database.',
    )
  const { rowCount: users } = await client.query('select from users limit 1')
  if (users !== 0) throw new StartError(HAS_USERS)
  await client.query(`truncate ${tables.map((table) => escapeIdentifier(table.name)).join()}`)
  for (const table of tables) await fill(client, folder, table)
  for (const { name: sequence, value } of sequences)
    await client.query('select setval($1::regclass, $2::bigint)', [escapeIdentifier(sequence), value])
  await client.query(
    `update restore_check set fingerprint =
      coalesce(fingerprint, '{"system": null, "timeline": null, "database": null, "files": null}') || '{"table": "restored"}'`,
  )
  await client.query('commit')
}

export const HAS_USERS = 'The database has users already: a backup is restored into an empty one only.'

/** Reads the tables of a backup into tables of this connection's own, and counts. @throws StartError where they are damaged */
export async function verifyTables(client: Client, folder: BackupFolder, tables: Tables): Promise<void> {
  for (const table of tables) {
    await client.query('begin')
    const scratch = `check of ${table.name}`.slice(0, 63)
    await client.query(
      `create temp table ${escapeIdentifier(scratch)} (like ${escapeIdentifier(table.name)} including generated) on commit drop`,
    )
    await fill(client, folder, table, scratch)
    await client.query('rollback')
  }
}

async function fill(
  client: Client,
  folder: BackupFolder,
  { name, columns, rows, sha256, key }: Tables[number],
  into = name,
): Promise<void> {
  const counted = countRows()
  const copy = copyFrom(`copy ${escapeIdentifier(into)} (${columns.map(escapeIdentifier).join()}) from stdin`)
  await folder.readTable(key, counted.stream, client.query(copy)).catch((cause: unknown) => {
    throw new StartError(`The backup cannot be read: ${name}: ${String(cause)}`, { cause })
  })
  const found = counted.result()
  if (found.rows !== rows || found.sha256 !== sha256)
    throw new StartError(
      `The backup is damaged: ${name} has ${found.rows} rows, not the ${rows} that were written.`,
    )
}

/** Puts the files of a backup into a storage. It may be called again. @returns the keys of those that are missing or damaged */
export async function restoreFiles(
  { content }: BackupFolder,
  storage: Storage,
  { files }: Manifest,
): Promise<string[]> {
  const lost: string[] = []
  for (const { key, size, sha256 } of files) {
    if ((await storage.stat(key))?.size === size) continue
    await storage.delete(key)
    try {
      const stored = await storage.put(await readWholeFile(content, key, size), { maxBytes: size, key })
      if (stored.sha256 === sha256) continue
      await storage.delete(key)
    } catch (error) {
      if (!(error instanceof NotStored)) throw error
    }
    lost.push(key)
  }
  return lost
}
