import { sql } from 'kysely'
import type { Logger } from 'pino'
import { refreshDue, type AccessDeps } from './accounts/access.ts'
import { askAboutDoubted } from './hooks/access-checks.ts'
import { forgetOldNotices } from './hooks/store.ts'
import type { Identity } from '#identity/identity.ts'
import { deleteOldWithdrawnKeys } from './posts/store.ts'
import type { Storage } from './storage/storage.ts'
import { forgetTheForgotten } from './users/erase-user.ts'
import { isKept } from './videos/store.ts'

type HouseDeps = AccessDeps & {
  readonly storage: Storage
  readonly identity: Pick<Identity, 'tend'>
  readonly log: Logger
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Each round renews the access of so many accounts; a server with more of them due takes more rounds. */
const REFRESHES_A_ROUND = 20
const DOUBTS_A_ROUND = 50
/** Answers to a consent page that a browser may still ask for again. */
const LINK_ATTEMPTS_KEPT_MS = 24 * HOUR_MS
/** A file that no row keeps after this long belongs to an upload that was cut off at its very end. */
const STRAY_AFTER_MS = 24 * HOUR_MS

/** What must be done now and then whether anybody posts or not. Safe in any number of processes at once. */
export function startHousekeeping(deps: HouseDeps): { stop(): Promise<void> } {
  const chores = [
    every(MINUTE_MS, deps.log, (stopping) => refreshDue(deps, REFRESHES_A_ROUND, stopping)),
    every(MINUTE_MS, deps.log, () => askAboutDoubted(deps, { limit: DOUBTS_A_ROUND })),
    every(HOUR_MS, deps.log, () => forgetTheExpired(deps)),
    every(HOUR_MS, deps.log, () => clearStorage(deps)),
    every(HOUR_MS, deps.log, async () => deps.identity.tend?.()),
  ]
  return {
    async stop() {
      await Promise.all(chores.map((chore) => chore.stop()))
    },
  }
}

/** Does it now and then again and again, never twice at a time: one that takes long leaves its next turns out. */
function every(
  ms: number,
  log: Logger,
  chore: (stopping: AbortSignal) => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let turn: Promise<void> | null = null
  const next = () => {
    turn ??= chore(stopping.signal)
      .catch((error: unknown) => {
        log.error({ err: error }, 'a chore stumbled; it comes round again')
      })
      .finally(() => {
        turn = null
      })
  }
  const timer = setInterval(next, ms)
  next()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await turn
    },
  }
}

async function forgetTheExpired(deps: HouseDeps): Promise<void> {
  const { db, now } = deps
  await deleteOldWithdrawnKeys(deps)
  // On the database's clock, as they were made.
  await db
    .deleteFrom('media_links')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
  const since = new Date(now() - LINK_ATTEMPTS_KEPT_MS)
  await db.deleteFrom('link_attempts').where('created_at', '<', since).execute()
  await forgetOldNotices(db)
  await forgetTheForgotten(deps)
}

/** What killed processes left behind: half-written files, and whole ones whose row was never made. */
export async function clearStorage({ db, storage, now }: HouseDeps): Promise<void> {
  await storage.sweep()
  for await (const { key, storedAt } of storage.list()) {
    if (now() - storedAt > STRAY_AFTER_MS && !(await isKept(db, key))) await storage.delete(key)
  }
}
