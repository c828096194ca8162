import { escapeIdentifier, type Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartError } from '#base/start-error.ts'
import type { Storage } from '../storage/storage.ts'
import type { BackupFolder } from './backup-folder.ts'
import { countRows } from './make-backup.ts'
import type { Manifest } from './manifest.ts'

/**
 * Fills an empty database, which has had the backup's migrations, in one transaction.
 * @throws StartError where it has users, or the backup is damaged; then nothing is changed
 */
export async function restoreDatabase(
  client: Client,
  folder: BackupFolder,
  name: string,
  manifest: Manifest,
): Promise<void> {
  await client.query('begin')
  try {
    const { rowCount } = await client.query('select from users limit 1')
    if (rowCount !== 0)
      throw new StartError('The database has users already: a backup is restored into an empty one only.')
    const all = manifest.tables.map((table) => escapeIdentifier(table.name)).join()
    await client.query(`truncate ${all}`)
    for (const table of manifest.tables) await fill(client, folder, name, table)
    for (const { name: sequence, value } of manifest.sequences)
      await client.query('select setval($1::regclass, $2::bigint)', [escapeIdentifier(sequence), value])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {}) // the connection may be gone: the error that matters is thrown
    throw error
  }
}

/**
 * Reads a backup into tables that end with the transaction, and counts. @throws StartError where it is damaged
 */
export async function proveBackup(client: Client, folder: BackupFolder, name: string): Promise<void> {
  const manifest = await folder.readManifest(name)
  for (const table of manifest.tables) {
    await client.query('begin')
    try {
      const scratch = `proof of ${table.name}`.slice(0, 63)
      await client.query(
        `create temp table ${escapeIdentifier(scratch)} (like ${escapeIdentifier(table.name)} including generated) on commit drop`,
      )
      await fill(client, folder, name, table, scratch)
    } finally {
      await client.query('rollback')
    }
  }
}

async function fill(
  client: Client,
  folder: BackupFolder,
  backup: string,
  { name, columns, rows, sha256 }: Manifest['tables'][number],
  into = name,
): Promise<void> {
  const counted = countRows()
  const copy = copyFrom(`copy ${escapeIdentifier(into)} (${columns.map(escapeIdentifier).join()}) from stdin`)
  await folder.readTable(backup, name, counted.stream, client.query(copy)).catch((cause: unknown) => {
    throw new StartError(`The backup cannot be read: ${name}: ${String(cause)}`, { cause })
  })
  const found = counted.result()
  if (found.rows !== rows || found.sha256 !== sha256)
    throw new StartError(
      `The backup is damaged: ${name} has ${found.rows} rows, not the ${rows} that were written.`,
    )
}

/** Puts the files of a backup into a storage. It may be called again. @throws StartError for a damaged file */
export async function restoreFiles(
  folder: BackupFolder,
  storage: Storage,
  manifest: Manifest,
): Promise<void> {
  for (const { key, size, sha256 } of manifest.files) {
    if ((await storage.stat(key))?.size === size) continue
    await storage.delete(key)
    const stored = await storage.put(await folder.media.read(key, 0, size), { maxBytes: size, key })
    if (stored.sha256 === sha256) continue
    await storage.delete(key)
    throw new StartError(
      `The backup is damaged: the file media/files/${key} has other bytes than were written.`,
    )
  }
}
