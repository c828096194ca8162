import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { MadeBackup } from './make-backup.ts'

export type LastBackup = {
  /** `off`: no BACKUP_DIR, so only commands make backups. `failing`: the latest nightly try failed. `old`: a night was missed. */
  readonly status: 'ok' | 'off' | 'failing' | 'old'
  /** null: none was made yet. Its tables were read back and compared before it counted. */
  readonly made: {
    readonly name: string
    readonly place: string
    readonly at: Date
    readonly rows: number
    readonly files: number
    /** All that it needs, of which its folder shares most with earlier ones. */
    readonly bytes: number
  } | null
  /** Since the last one that was made. */
  readonly failure: { readonly at: Date; readonly message: string } | null
}

/** A night, and time for the backup itself. */
const OLD_AFTER_MS = 30 * 3_600_000

/** For operators: what is known of backups. @param nightly a worker makes one each night */
export async function findLastBackup(
  db: Db,
  { nightly, now }: { readonly nightly: boolean; readonly now: number },
): Promise<LastBackup> {
  const {
    name,
    place,
    made_at: at,
    rows,
    files,
    bytes,
    failed_at: failedAt,
    failure,
  } = await db.selectFrom('last_backup').selectAll().executeTakeFirstOrThrow()
  const made =
    name === null || place === null || at === null
      ? null
      : { name, place, at, rows: Number(rows), files: Number(files), bytes: Number(bytes) }
  const isOld = made === null || now - made.at.getTime() > OLD_AFTER_MS
  const missing = isOld ? ('old' as const) : ('ok' as const)
  return {
    status: !nightly ? 'off' : failedAt !== null ? 'failing' : missing,
    made,
    failure: failedAt === null || failure === null ? null : { at: failedAt, message: failure },
  }
}

export async function recordBackup(
  db: Db,
  place: string,
  { name, rows, files, bytes }: MadeBackup,
  now: Date,
): Promise<void> {
  // A command of a new version may back up the database of the earlier one before it is updated.
  const { rows: found } = await sql<{
    is_known: boolean
  }>`select to_regclass('last_backup') is not null as is_known`.execute(db)
  if (found[0]?.is_known !== true) return
  await db
    .updateTable('last_backup')
    .set({ name, place, made_at: now, rows, files, bytes, failed_at: null, failure: null })
    .execute()
}

const MESSAGE_MAX = 500

export async function recordFailedBackup(db: Db, error: unknown, now: Date): Promise<void> {
  const failure = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MAX)
  await db.updateTable('last_backup').set({ failed_at: now, failure }).execute()
}
