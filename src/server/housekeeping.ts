import { sql } from 'kysely'
import type { Logger } from 'pino'
import { refreshDue, type AccessDeps } from './accounts/access.ts'
import { refreshProfiles } from './accounts/refresh-profiles.ts'
import { runAccessChecks } from './platform-webhooks/access-checks.ts'
import { backUpNightly } from './backup/back-up.ts'
import { deleteOldImports } from './csv/store.ts'
import { deleteOldDrafts } from './drafts/store.ts'
import { deleteOldNotices } from './platform-webhooks/store.ts'
import type { Identity } from '#identity/identity.ts'
import { deleteEndedVideos } from './library/delete-ended-videos.ts'
import { enqueueEndingAccess } from './notifications/notifier.ts'
import { deleteOldGrants } from './oauth/store.ts'
import { deleteOldNotifications } from './notifications/store.ts'
import { deleteOldPictures } from './pictures/delete-old-pictures.ts'
import { endDuePauses } from './pauses/set-pause.ts'
import { deleteOldResults } from './deliveries/result-rows.ts'
import type { Config } from './runtime/config.ts'
import { applyZoneRules } from './schedules/apply-zone-rules.ts'
import type { Storage } from './storage/storage.ts'
import { deleteExpiredUploads } from './uploads/delete-expired-uploads.ts'
import { deleteOldErasures } from './users/erase-user.ts'
import { deleteEndedInvitations } from './users/sign-up.ts'
import { isKept } from './videos/store.ts'
import { deleteOldMessages } from './webhooks/messages.ts'

type HousekeepingDeps = AccessDeps & {
  readonly config: Pick<Config, 'mediaRetentionDays' | 'overdueGraceMs' | 'backupDir' | 'backupKeep'>
  /** Past a pooler. */
  readonly directUrl: string
  readonly storage: Storage
  readonly identity: Pick<Identity, 'runMaintenance'>
  readonly log: Logger
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Access tokens refreshed per run; the rest waits for the next one. */
const REFRESHES_A_ROUND = 20
const ACCESS_CHECKS_PER_ROUND = 50
/** Results of finished links are kept for browsers that repeat their request. */
const LINK_ATTEMPTS_KEPT_MS = 24 * HOUR_MS
/** A file without a row for this long belongs to an interrupted upload. */
const STRAY_AFTER_MS = 24 * HOUR_MS

/** Periodic jobs. Safe in any number of concurrent processes. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  const chores = [
    every(MINUTE_MS, deps.log, (stopping) => refreshDue(deps, REFRESHES_A_ROUND, stopping)),
    every(MINUTE_MS, deps.log, () => endDuePauses(deps)),
    every(MINUTE_MS, deps.log, () => runAccessChecks(deps, { limit: ACCESS_CHECKS_PER_ROUND })),
    every(HOUR_MS, deps.log, () => enqueueEndingAccess(deps)),
    every(HOUR_MS, deps.log, () => deleteExpired(deps)),
    every(HOUR_MS, deps.log, () => deleteOldPictures(deps)),
    every(HOUR_MS, deps.log, () => deleteExpiredUploads(deps)),
    every(HOUR_MS, deps.log, (stopping) =>
      deleteEndedVideos({ ...deps, retentionDays: deps.config.mediaRetentionDays }, stopping),
    ),
    every(DAY_MS, deps.log, (stopping) => applyZoneRules(deps, stopping)),
    every(DAY_MS, deps.log, (stopping) => refreshProfiles(deps, stopping)),
    every(HOUR_MS, deps.log, () => clearStorage(deps)),
    every(HOUR_MS, deps.log, (stopping) => backUp(deps, stopping)),
    every(HOUR_MS, deps.log, async () => deps.identity.runMaintenance?.()),
  ]
  return {
    async stop() {
      await Promise.all(chores.map((chore) => chore.stop()))
    },
  }
}

/** Skips runs while one is still going. */
function every(
  ms: number,
  log: Logger,
  job: (stopping: AbortSignal) => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let run: Promise<void> | null = null
  const next = () => {
    run ??= job(stopping.signal)
      .catch((error: unknown) => {
        log.error({ err: error }, 'a periodic job failed; it runs again at its next interval')
      })
      .finally(() => {
        run = null
      })
  }
  const timer = setInterval(next, ms)
  next()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await run
    },
  }
}

async function backUp(deps: HousekeepingDeps, stopping: AbortSignal): Promise<void> {
  const { backupDir, backupKeep: keep } = deps.config
  if (backupDir !== null) await backUpNightly(backupDir, { ...deps, keep, stopping }, new Date(deps.now()))
}

async function deleteExpired(deps: HousekeepingDeps): Promise<void> {
  const { db, now } = deps
  // Compared by the database's clock, which also set their times.
  await db
    .deleteFrom('media_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
  const since = new Date(now() - LINK_ATTEMPTS_KEPT_MS)
  await db.deleteFrom('link_attempts').where('created_at', '<', since).execute()
  await deleteOldNotices(db)
  await deleteOldNotifications(db, now())
  await deleteOldErasures(deps)
  await deleteEndedInvitations(db, now())
  await deleteOldDrafts(deps)
  await deleteOldImports(deps)
  await deleteOldResults(db, now())
  await deleteOldMessages(db, now())
  await deleteOldGrants(db, now())
}

/** Deletes remains of killed processes: partial files, and complete ones without a row. */
export async function clearStorage({ db, storage, now }: HousekeepingDeps): Promise<void> {
  await storage.sweep()
  const { noticed_at: restoredAt } = await db
    .selectFrom('restore_check')
    .select('noticed_at')
    .executeTakeFirstOrThrow()
  for await (const { key, storedAt } of storage.list()) {
    // Restored or copied data do not know the other copy's files, which may be in use.
    const isStray = storedAt > (restoredAt?.getTime() ?? 0) && now() - storedAt > STRAY_AFTER_MS
    if (isStray && !(await isKept(db, key))) await storage.delete(key)
  }
}
