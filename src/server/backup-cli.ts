// `npm run backup -- FOLDER`, beside a running server or without one.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { StartError } from '#base/start-error.ts'
import { backUp } from './backup/back-up.ts'
import { saveKey } from './backup/saved-key.ts'
import { withDatabaseOf } from './db/with-database-of.ts'
import { readConfig } from './runtime/config.ts'
import { ConfigError } from './runtime/variables.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run backup -- FOLDER [--key]
       Backs up the database and the videos. FOLDER is BACKUP_DIR where it is left out; BACKUP_KEEP says how many stay.
       --key also saves the secret that decrypts accounts and sessions, encrypted by BACKUP_PASSPHRASE.`

const say = (line: string) => void process.stdout.write(`${line}\n`)

try {
  const { values, positionals } = readArguments()
  const config = readConfig(process.env)
  const root = positionals[0] ?? config.backupDir ?? undefined
  const passphrase = process.env['BACKUP_PASSPHRASE'] ?? ''
  if (root === undefined || positionals.length > 1) throw new StartError(USAGE)
  if (values.key && passphrase.length < 12)
    throw new StartError('BACKUP_PASSPHRASE must have 12 characters or more for --key.')
  const storage = await openStorage(config.storage)
  await withDatabaseOf(config, say, async (url) => {
    const databaseUrl = config.databaseDirectUrl ?? url
    const made = await backUp({ databaseUrl, storage, root, keep: config.backupKeep }, new Date())
    if (made === null)
      throw new StartError('Another process makes a backup now. Try again when it has ended.')
    say(
      `Backup ${made.name} in ${root}: ${made.rows} rows, ${made.files} files, ${made.copiedBytes} bytes copied. It was read back.`,
    )
    if (made.missing > 0) say(`${made.missing} files were deleted meanwhile.`)
  })
  if (values.key) {
    const secret =
      config.secretKey ?? (await readFile(path.join(config.dataDir, 'secret.key'), 'utf8')).trim()
    await saveKey(root, secret, passphrase)
    say('The secret key is saved beside it, encrypted.')
  }
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`)
  process.exitCode = 1
}

function readArguments() {
  try {
    return parseArgs({ options: { key: { type: 'boolean', default: false } }, allowPositionals: true })
  } catch {
    throw new StartError(USAGE)
  }
}
