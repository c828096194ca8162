import path from 'node:path'
import type { Logger } from 'pino'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { createPlatforms } from '#platforms/registry.ts'
import { openBus, type Bus } from './db/bus.ts'
import { openClock, type Clock } from '#base/clock.ts'
import type { Config } from './runtime/config.ts'
import { type Databases, openDb } from '#base/db/open.ts'
import { createEmbeddedIdentity } from '#identity/embedded.ts'
import { createFirebaseIdentity } from '#identity/hosted.ts'
import type { Identity } from '#identity/identity.ts'
import type { HashCost } from '#identity/credentials/passwords.ts'
import { createMailer } from '#base/mail/create-mailer.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Encrypter } from '#base/encryption.ts'
import { openDisk } from './storage/disk.ts'
import type { Storage } from './storage/storage.ts'
import { markFolders } from './restore/marks.ts'
import { createRestoreGuard, type RestoreGuard } from './restore/restore-guard.ts'
import { openEncrypter } from './db/open-encrypter.ts'
import { createUploadLocks, type UploadLocks } from './uploads/locks.ts'
import { eraseUser } from './users/erase-user.ts'

/** The server's dependencies, opened once and passed to the features. */
export type Deps = {
  readonly config: Config
  readonly db: Databases['db']
  readonly screenDb: Databases['screenDb']
  readonly bus: Bus
  readonly storage: Storage
  readonly uploadLocks: UploadLocks
  readonly platforms: Record<PlatformId, Platform | null>
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

/** Replaced by tests; the product sets none of it. */
export type TestOverrides = {
  /** Epoch ms, derived from the clock that all processes share. */
  readonly timeOf?: ((clock: Clock) => number) | undefined
  readonly hashCost?: HashCost | undefined
}

/** Each statement on them keeps a processor of the database busy for a millisecond or two. */
const SCREEN_CONNECTIONS = 4

/** @param databaseUrl of a database with all migrations applied. */
export async function openDeps(
  config: Config,
  databaseUrl: string,
  log: Logger,
  { timeOf = (clock) => clock.now(), hashCost }: TestOverrides = {},
): Promise<Deps> {
  const storage = await openDisk(config.storage.dir)
  const { databaseDirectUrl } = config
  const pooled = databaseDirectUrl !== null
  const db = openDb(databaseUrl, { pooled })
  const screenDb = pooled ? db : openDb(databaseUrl, { connections: SCREEN_CONNECTIONS, onePlan: true })
  // What lives as long as its connection, which a pooler lends for a transaction only.
  const sessionUrl = databaseDirectUrl ?? databaseUrl
  const uploadLocks = createUploadLocks(sessionUrl, log)
  const clock = await openClock(db, log)
  const now = () => timeOf(clock)
  const encrypter = await openEncrypter(config, db)
  const mail = createMailer({ ...config, mailboxDir: mailboxDir(config) })
  const platforms = createPlatforms(config.platforms, now)
  const restoreGuard = createRestoreGuard({
    db,
    encrypter,
    overdueGraceMs: config.overdueGraceMs,
    now,
    log,
    folders: await markFolders(config),
    clusterFile:
      config.databaseUrl === null ? path.join(config.dataDir, 'postgres/cluster/global/pg_control') : null,
  })
  const erase = (uid: string) => eraseUser({ db, encrypter, platforms, storage, now, log }, uid)
  const [bus, identity] = await Promise.all([
    openBus(sessionUrl, log),
    openIdentity(config, { db, encrypter, mail, now, log, eraseUser: erase, hashCost }),
  ])
  return {
    config,
    db,
    screenDb,
    bus,
    storage,
    uploadLocks,
    platforms,
    encrypter,
    mail,
    identity,
    restoreGuard,
    now,
    log,
    async close() {
      clock.stop()
      await uploadLocks.close()
      await bus.close()
      if (screenDb !== db) await screenDb.destroy()
      await db.destroy()
    },
  }
}

type IdentityDeps = Pick<Deps, 'db' | 'mail' | 'now' | 'log'> &
  Pick<TestOverrides, 'hashCost'> & {
    readonly encrypter: Encrypter
    readonly eraseUser: (uid: string) => Promise<void>
  }

async function openIdentity(config: Config, deps: IdentityDeps): Promise<Identity> {
  const { publicUrl, signup } = config
  return config.identity.mode === 'firebase'
    ? createFirebaseIdentity({ ...config.identity, publicUrl, signup, now: deps.now })
    : createEmbeddedIdentity({
        ...deps,
        publicUrl,
        rules: { ...config.identity.rules, signup },
        keyDays: config.identity.keyDays,
      })
}
