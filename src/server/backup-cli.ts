// `npm run backup -- FOLDER`, beside a running server or without one.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openDb } from '#base/db/open.ts'
import { createEncrypter } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { backUp } from './backup/back-up.ts'
import { openBackupFolder } from './backup/backup-folder.ts'
import { saveKey } from './backup/saved-key.ts'
import { listSecrets } from './db/open-encrypter.ts'
import { withServerDatabase } from './db/with-server-database.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run backup -- FOLDER [--key]
       Backs up the database and the videos into a folder, or a bucket such as s3://bucket/prefix. FOLDER is BACKUP_DIR where it is
       left out; BACKUP_KEEP says how many stay.
       --key also saves the secret that decrypts accounts and sessions, encrypted by BACKUP_PASSPHRASE.`

await runCommand(async () => {
  const { values, positionals } = readArguments()
  const [named] = positionals
  const config = readConfig({ ...process.env, ...(named !== undefined && { BACKUP_DIR: named }) })
  const passphrase = process.env['BACKUP_PASSPHRASE'] ?? ''
  if (config.backupDir === null || positionals.length > 1) throw new StartError(USAGE)
  if (values.key && passphrase.length < 12)
    throw new StartError('BACKUP_PASSPHRASE must have 12 characters or more for --key.')
  const secret = await readSecret(config)
  const deps = {
    storage: await openStorage(config.storage),
    encrypter: createEncrypter(listSecrets(secret)),
    keep: config.backupKeep,
  }
  const folder = await openBackupFolder(config.backupDir)
  await withServerDatabase(config, say, async (url) => {
    const directUrl = config.databaseDirectUrl ?? url
    const db = openDb(directUrl, { connections: 1 })
    let made: Awaited<ReturnType<typeof backUp>>
    try {
      made = await backUp(folder, { ...deps, db, directUrl }, new Date())
    } finally {
      await db.destroy()
    }
    if (made === null)
      throw new StartError('Another process makes a backup now. Try again when it has ended.')
    const { name, rows, files, copiedBytes, changed } = made
    say(
      `Backup ${name} in ${folder.place}: ${rows} rows, ${files} files, ${copiedBytes} bytes copied. Its tables were read back.`,
    )
    if (changed.length > 0)
      throw new StartError(
        `These files are not what they were when they were backed up before; the backup keeps them as they were: ${changed.join(', ')}.`,
      )
  })
  if (values.key) {
    await saveKey(folder.documents, secret, passphrase)
    say('The secret key is saved beside it, encrypted.')
  }
})

async function readSecret({ secretKey, dataDir }: Config): Promise<string> {
  return secretKey ?? (await readFile(path.join(dataDir, 'secret.key'), 'utf8')).trim()
}

function readArguments() {
  try {
    return parseArgs({ options: { key: { type: 'boolean', default: false } }, allowPositionals: true })
  } catch {
    throw new StartError(USAGE)
  }
}
