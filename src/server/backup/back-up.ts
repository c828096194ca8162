import { Client } from 'pg'
import type { Storage } from '../storage/storage.ts'
import { openBackupFolder } from './backup-folder.ts'
import { deleteOldBackups, makeBackup, type MadeBackup } from './make-backup.ts'
import { proveBackup } from './restore-backup.ts'

export type BackUpDeps = {
  /** Past a pooler: a backup is one long transaction. */
  readonly databaseUrl: string
  readonly storage: Storage
  readonly root: string
  /** How many backups stay. */
  readonly keep: number
}

/** One process at a time backs up. */
const LOCK = 7_335_393

/**
 * Makes a backup, reads it back, and deletes the oldest. null: another process makes one now.
 * @throws StartError where the folder cannot be used or what was read back differs
 */
export async function backUp(
  { databaseUrl, storage, root, keep }: BackUpDeps,
  now: Date,
): Promise<MadeBackup | null> {
  const folder = await openBackupFolder(root)
  const client = new Client({ connectionString: databaseUrl, application_name: 'reelay backup' })
  client.on('error', () => {}) // the running query rejects with the same error
  await client.connect()
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCK,
    ])
    if (rows[0]?.locked !== true) return null
    const made = await makeBackup({ client, storage, folder, now })
    await proveBackup(client, folder, made.name)
    await deleteOldBackups(folder, keep)
    return made
  } finally {
    await client.end()
  }
}

/** On the server's clock. */
const NIGHTLY_HOUR = 3

/** Whether none was made since the last time that one is made by itself. */
export async function isBackupDue(root: string, now: Date): Promise<boolean> {
  const due = new Date(now)
  due.setHours(NIGHTLY_HOUR, 0, 0, 0)
  if (due > now) due.setDate(due.getDate() - 1)
  const latest = (await (await openBackupFolder(root)).list()).at(-1)
  return latest === undefined || latest < due.toISOString().slice(0, 19).replaceAll(':', '-')
}
