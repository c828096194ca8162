import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { StartError } from '#base/start-error.ts'
import { readOrCreateSecret } from '#base/secret.ts'
import { systemCode } from '#base/system-error.ts'
import { type Cluster, openCluster } from './embedded-cluster.ts'
import {
  findCause,
  findPostmaster,
  logFile,
  readLogSize,
  startPostmaster,
  stopPostmaster,
} from './embedded-postmaster.ts'

export type EmbeddedPostgres = {
  /** The database `reelay`, as a role that owns only this database. */
  url: string
  /** The database `postgres`, as superuser: tests create databases with it. */
  adminUrl: string
  /** Rolls open transactions back, and resolves when all processes of the database have ended. */
  stop: () => Promise<void>
  /** Resolves with a line for the operator if the database ends or another server takes it over. */
  ended: Promise<string>
}

type Options = {
  dir: string
  say: (line: string) => void
  durable?: boolean
  /** This server's public address, shown by a second start on the same data. */
  address?: string
  /** A server that has just been killed may hold the owner's lock for so long. */
  lockPatienceMs?: number
}

type Claimant = { readonly address: string | null; readonly lockPatienceMs: number }

/**
 * Starts the PostgreSQL that npm installed, or takes over the one of a killed server, and owns it until `stop`. See
 * `docs/decisions/0002-embedded-postgresql-by-default.md`. @throws StartError when it cannot, or when another running
 * server owns it
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { dir, say, durable = true, address = null, lockPatienceMs = 5_000 } = options
  const claimant = { address, lockPatienceMs }
  try {
    const cluster = await openCluster(dir, durable, say)
    const owner = await startOwned(cluster, claimant)
    await createDatabase(owner.client, cluster.password)
    return keepOwning(cluster, owner, claimant)
  } catch (error) {
    if (error instanceof Error && systemCode(error) !== null && 'syscall' in error) {
      throw new StartError(`The database in ${dir} cannot be used: ${error.message}.`, { cause: error })
    }
    throw error
  }
}

/** URL of this folder's database, for commands beside a running server. `null`: it is not running or does not exist. */
export async function findEmbeddedPostgres(dir: string): Promise<string | null> {
  const folder = await realpath(path.join(dir, 'cluster')).catch(() => null)
  const running = folder === null ? null : await findPostmaster(folder)
  if (!running?.isReady) return null
  return databaseUrl(running.port, 'reelay', await readOrCreateSecret(path.join(dir, 'password')), 'reelay')
}

const databaseUrl = (port: number, user: string, password: string, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

type Owner = {
  client: Client
  port: number
  lost: Promise<void>
  /** Offset in the log file. If PostgreSQL dies, the lines after it are searched for a reason. */
  logStart: number
}

const OWNER_LOCK = 7_335_393
const ANSWER_PATIENCE_MS = 60_000

/** PostgreSQL's message while processes of its killed predecessor still run. */
const MEMORY_IN_USE = 'pre-existing shared memory block'

async function startOwned(cluster: Cluster, claimant: Claimant): Promise<Owner> {
  const deadline = performance.now() + ANSWER_PATIENCE_MS
  for (;;) {
    const running = await takeOwnership(cluster, claimant, deadline)
    if (running) return running
    const logStart = await startPostmaster(cluster)
    const started = await takeOwnership(cluster, claimant, deadline)
    if (started) return started
    const cause = await findCause(cluster, logStart)
    if (!cause.includes(MEMORY_IN_USE) || performance.now() > deadline) {
      throw new StartError(`The database did not start: ${cause} (${logFile(cluster)})`)
    }
    await sleep(100)
  }
}

/**
 * Waits for the running database to answer, and takes the owner's lock. @returns null: it does not run @throws StartError:
 * another server owns it, or it does not answer before the deadline
 */
async function takeOwnership(
  cluster: Cluster,
  claimant: Claimant,
  deadline = Infinity,
): Promise<Owner | null> {
  let reason = 'it is starting or stopping'
  for (;;) {
    const running = await findPostmaster(cluster.folder)
    if (running === null) return null
    if (running.isReady) {
      try {
        return await connectAsOwner(cluster, running.port, claimant)
      } catch (error) {
        if (error instanceof StartError) throw error
        reason = errorText(error)
      }
    }
    if (performance.now() > deadline) {
      throw new StartError(
        `The database in ${cluster.folder} does not answer: ${reason} (${logFile(cluster)})`,
      )
    }
    await sleep(50)
  }
}

async function connectAsOwner(cluster: Cluster, port: number, claimant: Claimant): Promise<Owner> {
  const client = new Client({
    connectionString: databaseUrl(port, 'postgres', cluster.password, 'postgres'),
    application_name: nameOwner(claimant.address),
    connectionTimeoutMillis: 5_000,
    lock_timeout: claimant.lockPatienceMs,
  })
  client.on('error', () => {}) // `end` follows
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()))
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [OWNER_LOCK])
    return { client, port, lost, logStart: readLogSize(cluster) }
  } catch (error) {
    const isTaken = error instanceof DatabaseError && error.code === '55P03'
    const cause = isTaken ? await describeHolder(client, cluster) : error
    await client.end().catch(() => {})
    throw cause
  }
}

// PostgreSQL truncates longer names, and half an address would mislead.
function nameOwner(address: string | null): string {
  const name = `process ${process.pid}`
  const full = `${name}, ${address}`
  return address === null || full.length > 63 ? name : full
}

async function describeHolder(client: Client, { dir, folder }: Cluster): Promise<Error> {
  const { rows } = await client.query<{ name: string }>(
    "select application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = $1 and granted",
    [OWNER_LOCK],
  )
  const [holder] = rows
  if (holder === undefined) return new Error('its owner has just ended')
  const another = `Another Reelay server (${holder.name}) is using`
  const dataDir = path.dirname(dir)
  if (folder !== path.join(await realpath(dir), 'cluster')) {
    // A copied folder may link to the original's database: never explain how to stop the original's server.
    return new StartError(
      `${another} ${folder}, the database of ${dataDir}: if this folder is a copy, the database was not copied with it. Give this server another DATA_DIR.`,
    )
  }
  const pid = /\d+/.exec(holder.name)?.[0]
  return new StartError(
    `${another} ${dataDir}: stop it with "kill ${pid}", or give this one another DATA_DIR.`,
  )
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

function keepOwning(cluster: Cluster, first: Owner, claimant: Claimant): EmbeddedPostgres {
  let owner = first
  let isStopping = false
  let isOwnedByOther = false
  const ended = Promise.withResolvers<string>()

  const watch = async () => {
    let next: Owner | null = first
    while (next !== null) {
      owner = next
      await owner.lost
      // PostgreSQL restarts by itself after one of its backends crashed.
      next = isStopping ? null : await takeOwnership(cluster, claimant)
    }
    if (!isStopping) ended.resolve(await describeEnd(cluster, owner.logStart))
  }
  const watching = watch().catch((error: unknown) => {
    isOwnedByOther = error instanceof StartError
    ended.resolve(errorText(error))
  })
  const stop = async () => {
    isStopping = true
    if (!isOwnedByOther) await stopPostmaster(cluster)
    await owner.client.end().catch(() => {})
    await watching
  }
  let stopping: Promise<void> | undefined
  return {
    url: databaseUrl(first.port, 'reelay', cluster.password, 'reelay'),
    adminUrl: databaseUrl(first.port, 'postgres', cluster.password, 'postgres'),
    stop: () => (stopping ??= stop()),
    ended: ended.promise,
  }
}

async function describeEnd(cluster: Cluster, logStart: number): Promise<string> {
  return `The database ended: ${await findCause(cluster, logStart)} (${logFile(cluster)}). The next start recovers it.`
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
