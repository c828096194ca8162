import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { escapeIdentifier, type Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Storage } from '../storage/storage.ts'
import type { BackupFolder, NewBackup } from './backup-folder.ts'
import type { BackedUpFile, Manifest } from './manifest.ts'

type Parts = {
  readonly client: Client
  readonly storage: Storage
  readonly folder: BackupFolder
  readonly now: Date
}

export type MadeBackup = {
  readonly name: string
  readonly rows: number
  readonly files: number
  /** Bytes that were copied this time; the rest was in the folder from earlier backups. */
  readonly copiedBytes: number
  /** Deleted while they were to be copied. */
  readonly missing: number
}

/**
 * Backs up the database, as it is in one moment, and the files of its videos, beside a running server. Files never change, so those that an
 * earlier backup has are not copied again.
 */
export async function makeBackup({ client, storage, folder, now }: Parts): Promise<MadeBackup> {
  const earlier = await filesOfLatest(folder)
  const backup = await folder.begin(now)
  const data = await copyDatabase(client, backup)
  const copied = { files: [] as BackedUpFile[], bytes: 0, missing: 0 }
  for await (const { key } of storage.list()) {
    const size = (await storage.stat(key))?.size
    if (size === undefined) continue // an unfinished upload
    const known = earlier.get(key)
    if (known?.size === size && (await folder.media.stat(key))?.size === size) {
      copied.files.push(known)
      continue
    }
    await folder.media.delete(key)
    const source = await storage.read(key, 0, size).catch(() => null)
    if (source === null) {
      copied.missing += 1
      continue
    }
    const { sha256 } = await folder.media.put(source, { maxBytes: size, key })
    copied.files.push({ key, size, sha256 })
    copied.bytes += size
  }
  await backup.finish({ format: 1, created_at: now.toISOString(), ...data, files: copied.files })
  const rows = data.tables.reduce((sum, table) => sum + table.rows, 0)
  const { bytes: copiedBytes, missing, files } = copied
  return { name: backup.name, rows, files: files.length, copiedBytes, missing }
}

/** Deletes the oldest backups, and the files that no other has. @param keep how many stay */
export async function deleteOldBackups(folder: BackupFolder, keep: number): Promise<void> {
  const names = await folder.list()
  const old = names.slice(0, Math.max(0, names.length - keep))
  if (old.length === 0) return
  for (const name of old) await folder.delete(name)
  const kept = new Set<string>()
  for (const name of await folder.list())
    for (const { key } of (await folder.readManifest(name)).files) kept.add(key)
  for await (const { key } of folder.media.list()) if (!kept.has(key)) await folder.media.delete(key)
}

async function filesOfLatest(folder: BackupFolder): Promise<ReadonlyMap<string, BackedUpFile>> {
  const latest = (await folder.list()).at(-1)
  const files = latest === undefined ? [] : (await folder.readManifest(latest)).files
  return new Map(files.map((file) => [file.key, file]))
}

async function copyDatabase(
  client: Client,
  backup: NewBackup,
): Promise<Pick<Manifest, 'migrations' | 'tables' | 'sequences'>> {
  await client.query('begin isolation level repeatable read read only')
  try {
    const { rows: migrations } = await client.query<Manifest['migrations'][number]>(
      'select version, name, checksum from schema_migrations order by version',
    )
    const tables: Manifest['tables'] = []
    for (const { name, columns } of await listTables(client)) {
      const counted = countRows()
      const copy = copyTo(
        `copy ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join()}) to stdout`,
      )
      await backup.writeTable(name, client.query(copy), counted.stream)
      tables.push({ name, columns, ...counted.result() })
    }
    // Not of the transaction's moment, but later: no id is given twice.
    const { rows: sequences } = await client.query<Manifest['sequences'][number]>(
      `select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = current_schema() and last_value is not null`,
    )
    return { migrations, tables, sequences }
  } finally {
    await client.query('rollback')
  }
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

const LINE_END = 10

/** Counts and hashes rows as COPY writes them: a line each, with line ends of texts escaped. */
export function countRows() {
  const hash = createHash('sha256')
  let rows = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      for (const byte of chunk) if (byte === LINE_END) rows += 1
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ rows, sha256: hash.digest('hex') }) }
}
