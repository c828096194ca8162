import { Client } from 'pg'
import type { Logger } from 'pino'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { StorageConfig } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { describePlace, nameAt, openBackupFolder, type BackupFolder } from './backup-folder.ts'
import { recordBackup, recordFailedBackup } from './last-backup.ts'
import { deleteOldBackups, makeBackup, type MadeBackup } from './make-backup.ts'

export type BackUpDeps = {
  readonly db: Db
  /** The same database past a pooler: a backup is one long transaction. */
  readonly directUrl: string
  readonly storage: Storage
  readonly encrypter: Pick<Encrypter, 'mark'>
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
export async function backUp(folder: BackupFolder, deps: BackUpDeps, now: Date): Promise<MadeBackup | null> {
  const client = new Client({
    connectionString: deps.directUrl,
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
    await recordBackup(deps.db, folder.place, made, now)
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
export async function isBackupDue(folder: Pick<BackupFolder, 'list'>, now: Date): Promise<boolean> {
  const due = new Date(now)
  due.setHours(NIGHTLY_HOUR, 0, 0, 0)
  if (due > now) due.setDate(due.getDate() - 1)
  const made = (await folder.list()).filter((name) => name <= nameAt(now))
  return !made.some((name) => name >= nameAt(due))
}

/** Makes the night's backup if it is missing. A failure is logged and recorded, and the next call tries again. */
export async function backUpNightly(
  place: StorageConfig,
  deps: BackUpDeps & { readonly log: Pick<Logger, 'info' | 'error'> },
  now: Date,
): Promise<void> {
  const { db, log, stopping } = deps
  try {
    const folder = await openBackupFolder(place, { create: false })
    if (!(await isBackupDue(folder, now))) return
    const made = await backUp(folder, deps, now)
    if (made === null) return
    const { name, rows, files, bytes, changed } = made
    log.info({ backup: name, rows, files, bytes }, 'a backup was made')
    if (changed.length > 0)
      log.error(
        { files: changed },
        'these files are not what they were when they were backed up: the disk may be damaged',
      )
  } catch (error) {
    if (stopping?.aborted) return
    log.error(
      { err: error, folder: describePlace(place) },
      'the nightly backup failed; it is tried again in an hour',
    )
    await recordFailedBackup(db, error, now)
  }
}
