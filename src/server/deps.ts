import path from 'node:path'
import type { Logger } from 'pino'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { openBus, type Bus } from './db/bus.ts'
import { openClock, type Clock } from '#base/clock.ts'
import type { Config } from './runtime/config.ts'
import { type Db, openDb } from '#base/db/open.ts'
import { createEmbeddedIdentity } from '#identity/embedded.ts'
import { createFirebaseIdentity } from '#identity/hosted.ts'
import type { Identity } from '#identity/identity.ts'
import type { HashCost } from '#identity/credentials/passwords.ts'
import { createMailer } from '#base/mail/create-mailer.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Encrypter } from '#base/encryption.ts'
import { openPlatforms } from './platform-keys/live-platforms.ts'
import { openStorage } from './storage/open-storage.ts'
import type { Storage } from './storage/storage.ts'
import { markFolders } from './restore/marks.ts'
import { createRestoreGuard, type RestoreGuard } from './restore/restore-guard.ts'
import { openEncrypter } from './db/open-encrypter.ts'
import { createUploadLocks, type UploadLocks } from './uploads/locks.ts'
import { eraseUser } from './users/erase-user.ts'
import { createProviderLogin } from './operator/provider-login.ts'
import { createAdmit } from './users/sign-up.ts'

export type Deps = {
  readonly config: Config
  /** Separate connection pools, so that none of these waits for another's statements. */
  readonly db: Db
  readonly workerDb: Db
  readonly backgroundDb: Db
  readonly bus: Bus
  /** The database's address past a pooler. */
  readonly directUrl: string
  readonly storage: Storage
  readonly uploadLocks: UploadLocks
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  /** Takes the keys that operators have entered. */
  refreshPlatforms(): Promise<void>
  readonly encrypter: Encrypter
  readonly mail: Mailer
  readonly identity: Identity
  readonly restoreGuard: RestoreGuard
  /** Epoch ms. */
  readonly now: () => number
  readonly log: Logger
  close(): Promise<void>
}

export const mailboxDir = (config: Config) => path.join(config.dataDir, 'mailbox')

export type TestOverrides = {
  /** Epoch ms, derived from the clock that all processes share. */
  readonly readTime?: ((clock: Clock) => number) | undefined
  readonly hashCost?: HashCost | undefined
  /** Applies to the API's connections. */
  readonly statementTimeoutMs?: number | undefined
}

/** Connections per process, opened on demand. Two more listen and lock uploads. */
export const POOLS = {
  /** Screens and the API: one user's calls (`CALLS_PER_USER`) use at most three of them. */
  api: 12,
  worker: 4,
  logIn: 3,
  /** Notifications, housekeeping, webhooks and deletion of users, whose statements may take long. */
  background: 3,
}
/** A longer statement of the API is cancelled, and the call answered 503. */
const STATEMENT_TIMEOUT_MS = 10_000

/** @param databaseUrl a database with all migrations applied */
export async function openDeps(
  given: Config,
  databaseUrl: string,
  log: Logger,
  {
    readTime = (clock) => clock.now(),
    hashCost,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: TestOverrides = {},
): Promise<Deps> {
  const storage = await openStorage(given.storage)
  const { databaseDirectUrl } = given
  const pooled = databaseDirectUrl !== null
  const db = openDb(databaseUrl, { pooled, connections: POOLS.api, statementTimeoutMs })
  const workerDb = openDb(databaseUrl, { pooled, connections: POOLS.worker })
  const identityDb = openDb(databaseUrl, { pooled, connections: POOLS.logIn })
  const backgroundDb = openDb(databaseUrl, { pooled, connections: POOLS.background })
  // For session state, which a transaction pooler would lose.
  const directUrl = databaseDirectUrl ?? databaseUrl
  const uploadLocks = createUploadLocks(directUrl, log)
  const clock = await openClock(backgroundDb, log)
  const now = () => readTime(clock)
  const encrypter = await openEncrypter(given, db)
  const live = await openPlatforms({ config: given, db: backgroundDb, encrypter, now, log })
  const config = { ...given, platforms: live.settings }
  const mail = createMailer({ ...config, mailboxDir: mailboxDir(config) })
  const platforms = live.adapters
  const restoreGuard = createRestoreGuard({
    // The restore guard runs before each claim.
    db: workerDb,
    encrypter,
    overdueGraceMs: config.overdueGraceMs,
    now,
    log,
    folders: await markFolders(config),
    clusterFile:
      config.databaseUrl === null ? path.join(config.dataDir, 'postgres/cluster/global/pg_control') : null,
  })
  const erase = (uid: string) => eraseUser({ db: backgroundDb, encrypter, platforms, storage, now, log }, uid)
  const [bus, identity] = await Promise.all([
    openBus(directUrl, log),
    openIdentity(config, { db: identityDb, encrypter, mail, now, log, eraseUser: erase, hashCost }),
  ])
  return {
    config,
    db,
    workerDb,
    backgroundDb,
    bus,
    directUrl,
    storage,
    uploadLocks,
    platforms,
    refreshPlatforms: () => live.refresh(),
    encrypter,
    mail,
    identity,
    restoreGuard,
    now,
    log,
    async close() {
      clock.stop()
      live.stop()
      await uploadLocks.close()
      await bus.close()
      for (const pool of [db, workerDb, identityDb, backgroundDb]) await pool.destroy()
    },
  }
}

type IdentityDeps = Pick<Deps, 'db' | 'mail' | 'now' | 'log'> &
  Pick<TestOverrides, 'hashCost'> & {
    readonly encrypter: Encrypter
    readonly eraseUser: (uid: string) => Promise<void>
  }

async function openIdentity(config: Config, deps: IdentityDeps): Promise<Identity> {
  const { publicUrl } = config
  return config.identity.mode === 'firebase'
    ? createFirebaseIdentity({ ...config.identity, publicUrl, now: deps.now })
    : createEmbeddedIdentity({
        ...deps,
        publicUrl,
        admit: createAdmit({ config, now: deps.now }),
        recordProviderLogin: createProviderLogin({ ...deps, config }),
        providers: config.identity.providers,
        rules: config.identity.rules,
        keyDays: config.identity.keyDays,
      })
}
