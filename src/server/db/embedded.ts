import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chown,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { type Client, DatabaseError } from 'pg'
import { StartError } from '#base/start-error.ts'
import { isAlive, ownSecret, systemCode } from '#base/system.ts'
import { canEnter, findAccount } from './embedded-account.ts'
import type { Account } from './embedded-account.ts'
import { findBinaries } from './embedded-binaries.ts'
import type { Binaries } from './embedded-binaries.ts'
import { announceOwner, becomeOwner, retakeLock, type OwnerSession } from './embedded-owner.ts'
import {
  answers,
  findCause,
  PATIENCE_MS,
  type Place,
  readPidFile,
  runAs,
  runDatabase,
  stopDatabase,
} from './embedded-process.ts'
import { RESTART_DELAYS_MS, superviseDatabase, type DatabaseLog } from './embedded-supervisor.ts'

export type EmbeddedPostgres = {
  /** The database `reelay`, as a role that owns only this database. */
  url: string
  /** The database `postgres`, as superuser: for tests, which create databases. */
  adminUrl: string
  /** Fast shutdown: open transactions are rolled back, and the promise settles when every process has ended. */
  stop: () => Promise<void>
  /** Says that the database could not be restarted so far, or is another server's; `null` otherwise. */
  problem: () => string | null
}

type Options = {
  /** Folder of the database, for example `DATA_DIR/postgres`. Created if missing; its parent must exist. */
  dir: string
  /** Prints a line for the person at the terminal. */
  say: (line: string) => void
  /** False trades durability for speed. For tests only. */
  durable?: boolean
  /** Public address of this server: shown by a second start on the same data. */
  address?: string
  /** Logs what happens to the database while it runs; `say` by default. */
  log?: DatabaseLog
  /** Called when another server took over the database: this process must end. */
  onLost?: (reason: string) => void
  /** Pauses between attempts to restart the database; the last one is repeated. */
  restartDelaysMs?: readonly number[]
}

/**
 * Starts the PostgreSQL that npm installed, or takes over the one that a killed server left running, and owns it until `stop`.
 * See `docs/decisions/0002-embedded-postgresql.md`.
 * @throws StartError when it cannot, or when another live server owns it.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    if (error instanceof Error && systemCode(error) !== null && 'syscall' in error) {
      throw new StartError(`The database in ${options.dir} cannot be used: ${error.message}.`, {
        cause: error,
      })
    }
    throw error
  }
}

/**
 * Connection URL of the database in this folder, for commands that run beside its server. `null`: it is not running or does
 * not exist.
 */
export async function findEmbeddedPostgres(dir: string): Promise<string | null> {
  const cluster = await realpath(path.join(dir, 'cluster')).catch(() => null)
  const running = cluster === null ? null : await readPidFile(cluster)
  if (cluster === null || running?.status !== 'ready' || !isAlive(running.pid)) return null
  const password = await ownSecret(path.join(dir, 'password'))
  return (await answers(running.port, password, cluster))
    ? addressOf(running.port, 'reelay', password, 'reelay')
    : null
}

const addressOf = (port: number, user: string, password: string, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

async function start(options: Options): Promise<EmbeddedPostgres> {
  const { dir, say, durable = true, address = null } = options
  await mkdir(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  const account = (await findOwner(dir)) ?? findAccount(say)
  const binaries = await findBinaries(account, account ? rootHome : dir)
  const password = await ownSecret(path.join(dir, 'password'))
  const cluster = await findCluster(dir, account, binaries, password, durable, say)
  const place: Place = { dir, account, binaries, cluster, password, durable }

  const { port, session } = await claim(place)
  const adminUrl = addressOf(port, 'postgres', password, 'postgres')
  const url = addressOf(port, 'reelay', password, 'reelay')
  const announced = await announceOwner(dir, address)
  await createDatabase(session.client, password)

  const supervisor = superviseDatabase({
    session,
    restore: async (stopping) => {
      await runDatabase(place, { port, stopping })
      return retakeLock(adminUrl)
    },
    delaysMs: options.restartDelaysMs ?? RESTART_DELAYS_MS,
    log: options.log ?? { warn: say, error: say },
    onLost: options.onLost ?? say,
  })
  const stop = async () => {
    const owned = await supervisor.stop()
    // Keep lock and port until the database is down, so that no other server takes over one that is stopping.
    if (owned !== null) await stopDatabase(place, owned.client)
    await announced.close()
  }
  let stopping: Promise<void> | undefined
  return { url, adminUrl, stop: () => (stopping ??= stop()), problem: () => supervisor.problem() }
}

/** A database of a server that is stopping may answer and then end: retry until this server owns it. */
async function claim(place: Place): Promise<{ port: number; session: OwnerSession }> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const port = await runDatabase(place)
    try {
      const session = await becomeOwner(addressOf(port, 'postgres', place.password, 'postgres'), place.dir)
      return { port, session }
    } catch (error) {
      if (error instanceof StartError || Date.now() > deadline) throw error
    }
  }
}

/** For root: the owner of an existing cluster. PostgreSQL runs under no other account. */
async function findOwner(dir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const found = await stat(path.join(dir, 'cluster')).catch(() => null)
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null
}

// Used by root when the database's account cannot enter the data folder.
const rootHome = '/var/lib/reelay'

/**
 * The cluster's folder, as an absolute path without links: `dir/cluster`, or, where the database's account cannot enter `dir`,
 * a folder under /var/lib/reelay that `dir/cluster` links to. Created if missing.
 */
async function findCluster(
  dir: string,
  account: Account,
  binaries: Binaries,
  password: string,
  durable: boolean,
  say: (line: string) => void,
): Promise<string> {
  const place = path.join(dir, 'cluster')
  if (!(await isThere(place))) {
    if (canEnter(account, dir)) {
      const draft = `${place}.${randomBytes(4).toString('hex')}`
      await initialise(draft, account, binaries, password, durable)
      await firstWins(() => rename(draft, place), draft)
    } else {
      const name = randomBytes(4).toString('hex')
      await mkdir(rootHome, { recursive: true, mode: 0o755 })
      const home = path.join(rootHome, name)
      await initialise(home, account, binaries, password, durable)
      await firstWins(() => symlink(home, place), home)
      say(`The database is in ${await realpath(place)}: its account cannot enter ${dir}.`)
    }
  }
  const cluster = await realpath(place).catch((cause: unknown) => {
    throw new StartError(
      `The database is gone: ${place} leads nowhere. Restore it, or remove ${dir} to start with an empty one.`,
      { cause },
    )
  })
  const version = Number((await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim())
  if (version !== binaries.majorVersion) {
    throw new StartError(
      `The database in ${place} was made by PostgreSQL ${version} and this is ${binaries.majorVersion}: move it with pg_dump and pg_restore of those versions.`,
    )
  }
  return cluster
}

// Refuse a dangling link: a new, empty database would hide that the old one is missing.
function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  )
}

async function firstWins(publish: () => Promise<void>, draft: string): Promise<void> {
  await publish().catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error
  })
}

async function initialise(
  cluster: string,
  account: Account,
  binaries: Binaries,
  password: string,
  durable: boolean,
): Promise<void> {
  const passwordFile = `${cluster}.password`
  await mkdir(cluster, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account) {
    await chown(cluster, account.uid, account.gid)
    await chown(passwordFile, account.uid, account.gid)
  }
  const made = spawnSync(
    binaries.initdb,
    [
      `--pgdata=${cluster}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same sorting and case rules on every machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      // Small log files, because tests copy the cluster.
      ...(durable ? [] : ['--no-sync', '--wal-segsize=1']),
    ],
    { ...runAs(account), encoding: 'utf8' },
  )
  await rm(passwordFile)
  if (made.status !== 0) {
    await rm(cluster, { recursive: true, force: true })
    const reason = made.error?.message ?? findCause(made.stderr)
    throw new StartError(`The database could not be created in ${cluster}: ${reason}`)
  }
}

async function createDatabase(admin: Client, password: string): Promise<void> {
  const { rows } = await admin.query("select 1 from pg_database where datname = 'reelay'")
  if (rows.length > 0) return
  const literal = admin.escapeLiteral(password)
  await admin.query(`create role reelay login password ${literal}`).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.code !== '42710') throw error // created by an earlier start that was killed
  })
  await admin.query('create database reelay owner reelay')
}
