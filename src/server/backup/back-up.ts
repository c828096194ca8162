import { Client } from 'pg'
import type { Encrypter } from '#base/encryption.ts'
import type { Storage } from '../storage/storage.ts'
import { nameAt, openBackupFolder } from './backup-folder.ts'
import { deleteOldBackups, makeBackup, type MadeBackup } from './make-backup.ts'

export type BackUpDeps = {
  /** Past a pooler: a backup is one long transaction. */
  readonly databaseUrl: string
  readonly storage: Storage
  readonly encrypter: Pick<Encrypter, 'mark'>
  readonly root: string
  /** How many backups stay. */
  readonly keep: number
  readonly stopping?: AbortSignal
}

/** One process at a time backs up. */
const LOCK = 7_335_394

/**
 * Makes a backup, reads its tables back, and deletes the oldest. null: another process makes one now.
 * @throws where the folder cannot be used or what was read back differs; then none was made
 */
export async function backUp(deps: BackUpDeps, now: Date): Promise<MadeBackup | null> {
  const folder = await openBackupFolder(deps.root)
  const client = new Client({
    connectionString: deps.databaseUrl,
    application_name: 'reelay backup',
    keepAlive: true,
  })
  client.on('error', () => {}) // the running query rejects with the same error
  await client.connect()
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCK,
    ])
    if (rows[0]?.locked !== true) return null
    const keyMark = deps.encrypter.mark.toString('hex')
    const made = await makeBackup({ ...deps, client, folder, keyMark, now })
    await deleteOldBackups(folder, made.name, deps.keep)
    return made
  } finally {
    // It also ends a copy that broke off.
    await client.end()
  }
}

/** On the server's clock. */
const NIGHTLY_HOUR = 3

/** Says whether a nightly backup is missing. One of a clock that was ahead does not count. */
export async function isBackupDue(root: string, now: Date): Promise<boolean> {
  const due = new Date(now)
  due.setHours(NIGHTLY_HOUR, 0, 0, 0)
  if (due > now) due.setDate(due.getDate() - 1)
  const made = (await (await openBackupFolder(root)).list()).filter((name) => name <= nameAt(now))
  return !made.some((name) => name >= nameAt(due))
}
