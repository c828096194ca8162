// `npm run backup -- FOLDER`, beside a running server or without one.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createEncrypter } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { backUp } from './backup/back-up.ts'
import { saveKey } from './backup/saved-key.ts'
import { listSecrets } from './db/open-encrypter.ts'
import { withServerDatabase } from './db/with-server-database.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run backup -- FOLDER [--key]
       Backs up the database and the videos. FOLDER is BACKUP_DIR where it is left out; BACKUP_KEEP says how many stay.
       --key also saves the secret that decrypts accounts and sessions, encrypted by BACKUP_PASSPHRASE.`

await runCommand(async () => {
  const { values, positionals } = readArguments()
  const config = readConfig(process.env)
  const root = positionals[0] ?? config.backupDir ?? undefined
  const passphrase = process.env['BACKUP_PASSPHRASE'] ?? ''
  if (root === undefined || positionals.length > 1) throw new StartError(USAGE)
  if (values.key && passphrase.length < 12)
    throw new StartError('BACKUP_PASSPHRASE must have 12 characters or more for --key.')
  const secret = await readSecret(config)
  const deps = {
    storage: await openStorage(config.storage),
    encrypter: createEncrypter(listSecrets(secret)),
    root,
    keep: config.backupKeep,
  }
  await withServerDatabase(config, say, async (url) => {
    const made = await backUp({ ...deps, databaseUrl: config.databaseDirectUrl ?? url }, new Date())
    if (made === null)
      throw new StartError('Another process makes a backup now. Try again when it has ended.')
    const { name, rows, files, copiedBytes, changed } = made
    say(
      `Backup ${name} in ${root}: ${rows} rows, ${files} files, ${copiedBytes} bytes copied. Its tables were read back.`,
    )
    if (changed.length > 0)
      throw new StartError(
        `These files are not what they were when they were backed up before; the backup keeps them as they were: ${changed.join(', ')}.`,
      )
  })
  if (values.key) {
    await saveKey(root, secret, passphrase)
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
