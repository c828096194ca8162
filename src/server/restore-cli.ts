// `npm run restore -- FOLDER [NAME]`, with the server stopped and an empty database.
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Client } from 'pg'
import { openDb } from '#base/db/open.ts'
import { createEncrypter } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { openBackupFolder, type BackupFolder } from './backup/backup-folder.ts'
import type { Manifest } from './backup/manifest.ts'
import { HAS_USERS, restoreDatabase, restoreFiles } from './backup/restore-backup.ts'
import { readSavedKey } from './backup/saved-key.ts'
import { startEmbeddedPostgres } from './db/embedded.ts'
import { assertMigrationsKnown, migrate } from './db/migrate.ts'
import { listSecrets } from './db/open-encrypter.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { prepareDataDir } from './runtime/data-dir.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run restore -- FOLDER [NAME]
       FOLDER is what BACKUP_DIR takes. Restores a backup, the latest if none is named, into the empty database of a stopped server.`

await runCommand(async () => {
  const [root, asked, ...rest] = process.argv.slice(2)
  if (root === undefined || rest.length > 0) throw new StartError(USAGE)
  const config = readConfig({ ...process.env, BACKUP_DIR: root })
  if (config.backupDir === null) throw new StartError(USAGE)
  const folder = await openBackupFolder(config.backupDir, { create: false })
  const names = await folder.list()
  const name = asked ?? names.at(-1)
  if (name === undefined || !names.includes(name))
    throw new StartError(
      `There is no backup ${name ?? ''} in ${folder.place}. It has: ${names.join(', ') || 'none'}.`,
    )
  const manifest = await folder.readManifest(name)
  await assertMigrationsKnown(manifest.migrations)
  await prepareDataDir(config.dataDir)
  const lost = await withStoppedDatabase(config, async (url) => {
    await assertEmpty(url, manifest)
    await putKeyBack(config, folder, manifest)
    await migrate(url, undefined, manifest.migrations.length)
    // Before the database has users: a restore that is stopped here can be begun again.
    const missing = await restoreFiles(folder, await openStorage(config.storage), manifest)
    const client = await connect(url)
    try {
      await restoreDatabase(client, folder, manifest)
    } finally {
      await client.end()
    }
    await migrate(url)
    say(`The backup ${name} is restored, with ${manifest.files.length - missing.length} files.`)
    await sayWhatIsNext(url)
    return missing
  })
  if (lost.length > 0)
    throw new StartError(
      `These files are missing in the backup or damaged, so their videos cannot be played or posted: ${lost.join(', ')}.`,
    )
})

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'restore' })
  client.on('error', () => {}) // the running query rejects with the same error
  await client.connect()
  return client
}

/**
 * Sees to it that the server will have the secret that encrypted the backup, by the one that was saved with it if need be.
 * @throws StartError where none can be had
 */
async function putKeyBack(
  { secretKey, dataDir }: Config,
  { documents }: BackupFolder,
  { key_mark: mark }: Manifest,
): Promise<void> {
  const isRight = (secret: string) => createEncrypter(listSecrets(secret)).hasKeyOf(Buffer.from(mark, 'hex'))
  const file = path.join(dataDir, 'secret.key')
  const present = secretKey ?? (existsSync(file) ? (await readFile(file, 'utf8')).trim() : null)
  if (present !== null && isRight(present)) return
  const saved =
    secretKey === null ? await readSavedKey(documents, process.env['BACKUP_PASSPHRASE'] ?? '') : null
  if (saved === null || !isRight(saved))
    throw new StartError(
      `The backup needs the secret of the server that made it: put that server's secret.key into ${dataDir}, or set SECRET_KEY to what it said.`,
    )
  // One of a server that was started here before has encrypted nothing: the database is empty.
  if (present !== null) await rename(file, `${file}.before-restore`)
  await writeFile(file, `${saved}\n`, { mode: 0o600, flush: true })
}

/** @throws StartError while another program uses the database */
async function withStoppedDatabase<T>(config: Config, run: (url: string) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config
  if (databaseUrl === null) {
    // Refused where a running server owns it.
    const own = await startEmbeddedPostgres({ dir: path.join(dataDir, 'postgres'), say })
    try {
      return await run(own.url)
    } finally {
      await own.stop()
    }
  }
  const url = databaseDirectUrl ?? databaseUrl
  const client = await connect(url)
  try {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
        and pid <> pg_backend_pid()`,
    )
    if (rowCount !== 0)
      throw new StartError('Something is connected to this database: stop all processes that use it first.')
  } finally {
    await client.end()
  }
  return run(url)
}

/** A server of the backup's version or an earlier one may have been started on it. @throws StartError where anything else is there */
async function assertEmpty(url: string, { migrations }: Manifest): Promise<void> {
  const client = await connect(url)
  try {
    const { rowCount: tables } = await client.query(
      "select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
    )
    if (tables === 0) return
    const { rows: applied } = await client
      .query<Manifest['migrations'][number]>(
        'select version, name, checksum from schema_migrations order by version',
      )
      .catch((cause: unknown) => {
        throw new StartError('The database has tables of something else: restore into a new one.', { cause })
      })
    await assertMigrationsKnown(applied)
    if (applied.length > migrations.length)
      throw new StartError(
        'The database was used by a later version than that of the backup: make a new one (without DATABASE_URL: another DATA_DIR).',
      )
    const { rowCount: users } = await client.query('select from users limit 1')
    if (users !== 0) throw new StartError(HAS_USERS)
  } finally {
    await client.end()
  }
}

async function sayWhatIsNext(url: string): Promise<void> {
  const db = openDb(url, { connections: 1 })
  try {
    const renewed = await db
      .selectFrom('accounts')
      .select(['platform', 'username', 'display_name'])
      .where('unlinked_at', 'is', null)
      .where('refresh_due_at', '<', new Date())
      .execute()
    const names = renewed.map(
      ({ platform, username, display_name: shown }) => `${username ?? shown} (${platform})`,
    )
    if (names.length > 0)
      say(
        `Access to ${names.length} accounts was due to be renewed since; platforms that give a new token each time ask to link them again: ${names.join(', ')}.`,
      )
    say(
      'Start the server with npm start. It says how many posts are held, because they may have been posted since the backup.',
    )
  } finally {
    await db.destroy()
  }
}
