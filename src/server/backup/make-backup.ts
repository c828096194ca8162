import { escapeIdentifier, type Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartError } from '#base/start-error.ts'
import { MIGRATION_LOCK } from '../db/migrate.ts'
import { NotStored, type Storage } from '../storage/storage.ts'
import { hashWholeFile, readWholeFile } from '../storage/whole-file.ts'
import { nameAt, type BackupFolder } from './backup-folder.ts'
import { countRows } from './count-rows.ts'
import type { BackedUpFile, Manifest } from './manifest.ts'
import { verifyTables } from './restore-backup.ts'

type Parts = {
  /** On a failure it is of no further use: a broken copy cannot be ended but by its connection. */
  readonly client: Client
  readonly storage: Storage
  readonly folder: BackupFolder
  readonly keyMark: string
  readonly now: Date
  readonly stopping?: AbortSignal
}

export type MadeBackup = {
  readonly name: string
  readonly rows: number
  readonly files: number
  /** The size of its files and compressed tables. */
  readonly bytes: number
  /** Bytes that were copied this time; the rest was in the folder from earlier backups. */
  readonly copiedBytes: number
  /** Keys of files that are not what they were when an earlier backup copied them. */
  readonly changed: readonly string[]
}

/**
 * Backs up the database, as it is in one moment, and the files of its videos, beside a running server. Its tables are read back before it
 * counts. Files are written once and never changed, so those that the folder has are not copied again, and never replaced.
 * @throws where anything cannot be read or written; then no backup is made
 */
export async function makeBackup(parts: Parts): Promise<MadeBackup> {
  const { client, folder, now } = parts
  const tables: Manifest['tables'] = []
  try {
    const earlier = await deleteStrays(folder, now)
    // A migration could empty a table for older snapshots, and would wait for the copy with everybody behind it.
    await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK])
    const data = await copyDatabase(client, folder, tables)
    await verifyTables(client, folder, tables)
    await client.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK])
    const { files, ...copied } = await copyFiles(parts, earlier)
    // The connection holds the lock by which no other backup runs.
    await client.query('select')
    const name = nameAt(now)
    const of = { format: 1 as const, created_at: now.toISOString(), key_mark: parts.keyMark }
    await folder.writeManifest(name, { ...of, ...data, tables, files })
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { key } of tables) bytes += (await folder.content.stat(key))?.size ?? 0
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    return { name, rows, files: files.length, bytes, ...copied }
  } catch (error) {
    // Files that were copied stay: the next try needs them.
    await Promise.allSettled(tables.map(({ key }) => folder.content.delete(key)))
    throw error
  }
}

async function copyFiles(
  { storage, folder, stopping }: Parts,
  earlier: ReadonlyMap<string, BackedUpFile>,
): Promise<Pick<MadeBackup, 'copiedBytes' | 'changed'> & { readonly files: BackedUpFile[] }> {
  const files: BackedUpFile[] = []
  const changed: string[] = []
  let copiedBytes = 0
  for await (const { key } of storage.list()) {
    stopping?.throwIfAborted()
    const size = (await storage.stat(key))?.size
    if (size === undefined) continue // an unfinished upload, or deleted meanwhile
    const kept = (await folder.content.stat(key))?.size
    if (kept === undefined) {
      const file = await copyFile(storage, folder, key, size)
      if (file === null) continue
      files.push(file)
      copiedBytes += size
    } else {
      if (kept !== size) changed.push(key)
      files.push(
        earlier.get(key) ?? { key, size: kept, sha256: await hashWholeFile(folder.content, key, kept) },
      )
    }
  }
  return { files, copiedBytes, changed }
}

/** null: it was deleted meanwhile. */
async function copyFile(
  storage: Storage,
  { content }: BackupFolder,
  key: string,
  size: number,
): Promise<BackedUpFile | null> {
  try {
    const { sha256 } = await content.put(await readWholeFile(storage, key, size), { maxBytes: size, key })
    return { key, size, sha256 }
  } catch (error) {
    if (error instanceof NotStored) return null
    throw error
  }
}

/** Deletes the oldest backups of this database, and what no other has of their content. @param keep how many stay */
export async function deleteOldBackups(folder: BackupFolder, latest: string, keep: number): Promise<void> {
  const { database } = await folder.readManifest(latest)
  const ours: string[] = []
  for (const name of await folder.list())
    if ((await folder.readManifest(name)).database === database) ours.push(name)
  const gone = new Set<string>()
  for (const name of ours.slice(0, Math.max(0, ours.length - keep))) {
    for (const key of keysOf(await folder.readManifest(name))) gone.add(key)
    await folder.delete(name)
  }
  if (gone.size === 0) return
  for (const name of await folder.list())
    for (const key of keysOf(await folder.readManifest(name))) gone.delete(key)
  for (const key of gone) await folder.content.delete(key)
}

const keysOf = ({ tables, files }: Manifest): string[] => [...tables, ...files].map(({ key }) => key)

/** A killed backup leaves files, which the next try needs until then. */
const STRAY_AFTER_MS = 24 * 3_600_000

/** Deletes what belongs to no backup, unless one cannot be read, which stops no other. @returns the files of all, by key */
async function deleteStrays(folder: BackupFolder, now: Date): Promise<ReadonlyMap<string, BackedUpFile>> {
  await folder.content.sweep()
  const files = new Map<string, BackedUpFile>()
  const known = new Set<string>()
  let areAllRead = true
  for (const name of await folder.list()) {
    const manifest = await folder.readManifest(name).catch((error: unknown) => {
      if (error instanceof StartError) return null
      throw error
    })
    if (manifest === null) areAllRead = false
    else for (const key of keysOf(manifest)) known.add(key)
    for (const file of manifest?.files ?? []) files.set(file.key, file)
  }
  if (areAllRead)
    for await (const { key, storedAt } of folder.content.list())
      if (!known.has(key) && now.getTime() - storedAt > STRAY_AFTER_MS) await folder.content.delete(key)
  return files
}

/** Adds to `tables` as it goes on. */
async function copyDatabase(
  client: Client,
  folder: BackupFolder,
  tables: Manifest['tables'],
): Promise<Pick<Manifest, 'database' | 'migrations' | 'sequences'>> {
  await client.query('begin isolation level repeatable read read only')
  const { rows: ids } = await client.query<{ database_id: string }>('select database_id from restore_check')
  const { rows: migrations } = await client.query<Manifest['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  )
  for (const { name, columns } of await listTables(client)) {
    const counted = countRows()
    const copy = copyTo(`copy ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join()}) to stdout`)
    const key = await folder.writeTable(client.query(copy), counted.stream)
    tables.push({ name, columns, ...counted.result(), key })
  }
  // They are read later than the transaction's moment, so no id is given twice.
  const { rows: sequences } = await client.query<Manifest['sequences'][number]>(
    `select sequencename as name, last_value::text as value from pg_sequences
    where schemaname = current_schema() and last_value is not null`,
  )
  await client.query('commit')
  return { database: ids[0]?.database_id ?? '', migrations, sequences }
}

type Table = Pick<Manifest['tables'][number], 'name' | 'columns'>

/** Each table after those that it refers to, without the columns that PostgreSQL computes. */
async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { needs: string[] }>(
    `select relname as name,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select coalesce(array_agg(distinct target.relname::text), '{}') from pg_constraint
        join pg_class target on target.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as needs
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
    order by relname`,
  )
  const sorted: Table[] = []
  const done = new Set<string>()
  while (sorted.length < rows.length) {
    const next = rows.filter(({ name, needs }) => !done.has(name) && needs.every((one) => done.has(one)))
    if (next.length === 0) throw new Error('Some tables refer to each other in a circle')
    for (const { name, columns } of next) {
      done.add(name)
      sorted.push({ name, columns })
    }
  }
  return sorted
}
