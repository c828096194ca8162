// `npm run restore -- FOLDER [NAME]`, with the server stopped and an empty database.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { openDb } from '#base/db/open.ts'
import { StartError } from '#base/start-error.ts'
import { openBackupFolder } from './backup/backup-folder.ts'
import { restoreDatabase, restoreFiles } from './backup/restore-backup.ts'
import { readSavedKey } from './backup/saved-key.ts'
import { startEmbeddedPostgres } from './db/embedded.ts'
import { assertMigrationsKnown, migrate } from './db/migrate.ts'
import { openEncrypter } from './db/open-encrypter.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { prepareDataDir } from './runtime/data-dir.ts'
import { ConfigError } from './runtime/variables.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run restore -- FOLDER [NAME]
       Restores a backup, the latest if none is named, into the empty database of a stopped server.`

const say = (line: string) => void process.stdout.write(`${line}\n`)

try {
  const [root, asked, ...rest] = process.argv.slice(2)
  if (root === undefined || rest.length > 0 || !existsSync(root)) throw new StartError(USAGE)
  const folder = await openBackupFolder(root)
  const name = asked ?? (await folder.list()).at(-1)
  if (name === undefined) throw new StartError(`There is no backup in ${root}.`)
  const manifest = await folder.readManifest(name)
  await assertMigrationsKnown(manifest.migrations)
  const config = readConfig(process.env)
  await prepareDataDir(config.dataDir)
  await putKeyBack(config, root)
  await withStoppedDatabase(config, async (url) => {
    await emptyDatabase(url)
    await migrate(url, undefined, manifest.migrations.length)
    // First, since they can be put there again.
    await restoreFiles(folder, await openStorage(config.storage), manifest)
    const client = await connect(url)
    try {
      await restoreDatabase(client, folder, name, manifest)
    } finally {
      await client.end()
    }
    await migrate(url)
    await sayWhatIsNext(config, url, { name, files: manifest.files.length })
  })
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`)
  process.exitCode = 1
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'restore' })
  client.on('error', () => {}) // the running query rejects with the same error
  await client.connect()
  return client
}

/** Puts the saved secret where a server without SECRET_KEY looks for it. @throws StartError where none can be had */
async function putKeyBack({ secretKey, dataDir }: Config, root: string): Promise<void> {
  const file = path.join(dataDir, 'secret.key')
  if (secretKey !== null || existsSync(file)) return
  const secret = await readSavedKey(root, process.env['BACKUP_PASSPHRASE'] ?? '')
  if (secret === null)
    throw new StartError(
      `The backup needs the secret of the server that made it, which was not saved with it: put that server's secret.key into ${dataDir}, or set SECRET_KEY.`,
    )
  await mkdir(dataDir, { recursive: true })
  await writeFile(file, `${secret}\n`, { mode: 0o600, flush: true })
}

/** @throws StartError while a server uses it */
async function withStoppedDatabase(config: Config, run: (url: string) => Promise<void>): Promise<void> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config
  if (databaseUrl === null) {
    // It refuses a second owner.
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
      "select from pg_stat_activity where datname = current_database() and application_name like 'reelay%'",
    )
    if (rowCount !== 0) throw new StartError('A server uses this database: stop all its processes first.')
  } finally {
    await client.end()
  }
  await run(url)
}

/** A server that was started once has tables, perhaps of a later version. @throws StartError where there are users or other tables */
async function emptyDatabase(url: string): Promise<void> {
  const client = await connect(url)
  try {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'",
    )
    if (rows.length === 0) return
    const names = rows.map(({ name }) => name)
    if (!names.includes('schema_migrations') || !names.includes('users'))
      throw new StartError('The database has tables of something else: restore into an empty one.')
    const { rowCount } = await client.query('select from users limit 1')
    if (rowCount !== 0)
      throw new StartError('The database has users already: a backup is restored into an empty one only.')
    await client.query('drop schema public cascade')
    await client.query('create schema public')
  } finally {
    await client.end()
  }
}

async function sayWhatIsNext(
  config: Config,
  url: string,
  { name, files }: { readonly name: string; readonly files: number },
): Promise<void> {
  const db = openDb(url, { connections: 1 })
  try {
    await openEncrypter(config, db)
    const renewed = await db
      .selectFrom('accounts')
      .select(['platform', 'username', 'display_name'])
      .where('unlinked_at', 'is', null)
      .where('refresh_due_at', '<', new Date())
      .execute()
    say(`The backup ${name} is restored, with ${files} files.`)
    if (renewed.length > 0)
      say(
        `Access to ${renewed.length} accounts was due to be renewed since; platforms that give a new token each time ask to link them again: ${renewed
          .map(({ platform, username, display_name: shown }) => `${username ?? shown} (${platform})`)
          .join(', ')}.`,
      )
    say(
      'Start the server with npm start. It says how many posts are held, because they may have been posted since the backup.',
    )
  } finally {
    await db.destroy()
  }
}
