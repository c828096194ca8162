import type { ServerFacts } from '#contract/operator.ts'
import type { Db } from '#base/db/open.ts'
import type { DoctorDeps } from '../doctor/check.ts'
import { readDatabase, readDue, readGrowth, readMails } from '../doctor/checks.ts'
import { findLastBackup } from '../backup/last-backup.ts'
import { listProcesses, VERSION } from './processes.ts'

/** Reads whole tables once, such as the sizes of all videos: for operators only, and over the background's connections. */
export async function readServer(
  deps: Pick<DoctorDeps, 'db' | 'config' | 'storage' | 'now'>,
): Promise<ServerFacts> {
  const { db, config, storage, now } = deps
  const [
    due,
    running,
    processes,
    database,
    videos,
    growth,
    room,
    mails,
    heldAfterRestore,
    users,
    lastBackup,
  ] = await Promise.all([
    readDue(db, now()),
    countRunning(db, now()),
    listProcesses(db),
    readDatabase(db),
    readVideos(db),
    readGrowth(deps),
    storage.room(),
    readMails(db),
    countHeldAfterRestore(db),
    countUsers(db),
    findLastBackup(db, { nightly: config.backupDir !== null, now: now() }),
  ])
  return {
    version: VERSION,
    queue: { waiting: due.waiting, oldest_at: due.oldest?.toISOString() ?? null, running },
    processes,
    database,
    videos: {
      ...videos,
      bytes_in_30_days: growth,
      room_bytes: room === Infinity ? null : Math.max(0, Math.round(room)),
    },
    mails: {
      server: config.smtpUrl !== null,
      waiting: mails.waiting,
      failing: mails.failing,
      oldest_failing_at: mails.oldest?.toISOString() ?? null,
    },
    backups: { on: config.backupDir !== null, last_at: lastBackup.made?.at.toISOString() ?? null },
    held_after_restore: heldAfterRestore,
    users,
  }
}

async function countHeldAfterRestore(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'blocked')
    .where('cause', '=', 'restored')
    .executeTakeFirstOrThrow()
  return count
}

async function countRunning(db: Db, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('leased_until', '>', new Date(now))
    .executeTakeFirstOrThrow()
  return count
}

async function readVideos(db: Db): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await db
    .selectFrom('videos')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<string | null>('size').as('bytes')])
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { count, bytes: Number(bytes ?? 0) }
}

async function countUsers(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
