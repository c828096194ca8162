import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, readlinkSync } from 'node:fs'
import {
  chown,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { StartError } from '../start-error.ts'
import { isAlive, ownSecret, systemCode } from '../system.ts'
import { canEnter, findAccount } from './embedded-account.ts'
import type { Account } from './embedded-account.ts'
import { findBinaries } from './embedded-binaries.ts'
import type { Binaries } from './embedded-binaries.ts'
import { announceOwner, becomeOwner, retakeLock, type OwnerSession } from './embedded-owner.ts'
import { RESTART_DELAYS_MS, superviseDatabase, type DatabaseLog } from './embedded-supervisor.ts'

export type EmbeddedPostgres = {
  /** The database `reelay`, as a role that owns it and may do nothing else. */
  url: string
  /** The database `postgres`, as superuser: for tests, which make databases of their own. */
  adminUrl: string
  /** Fast shutdown: open transactions are rolled back, and the promise settles when every process has ended. */
  stop: () => Promise<void>
  /** Why the database does not run any more, where it ended and could not be started again; `null` otherwise. */
  problem: () => string | null
}

type Options = {
  /** Where the database lives, for example `DATA_DIR/postgres`. Made when missing; its parent must exist. */
  dir: string
  /** What the person at the terminal should know: one line each, few. */
  say: (line: string) => void
  /** False gives up durability for speed. For tests only. */
  durable?: boolean
  /** Where people reach this server: told to a second start on the same data. */
  address?: string
  /** What happens to the database while it runs. Without it `say` is told. */
  log?: DatabaseLog
  /** Another server took the database over: this process must end. */
  onLost?: (reason: string) => void
  /** Pauses between attempts to start a database again that ended. */
  restartDelaysMs?: readonly number[]
}

/**
 * Starts the PostgreSQL that npm installed, or takes over the one that a killed server left running, and becomes its one
 * owner until `stop`. See `docs/decisions/0002-embedded-postgresql.md`.
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
 * The address of the database in this folder while it runs, for a command beside the server that owns it. `null`: it does not run, or
 * there is none.
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
      await run(place, { port, stopping })
      return retakeLock(adminUrl)
    },
    delaysMs: options.restartDelaysMs ?? RESTART_DELAYS_MS,
    log: options.log ?? { warn: say, error: say },
    onLost: options.onLost ?? say,
  })
  const stop = async () => {
    const owned = await supervisor.stop()
    // The lock and the port are kept until the database is down: no other server may take one that is about to end.
    if (owned !== null) await shutDown(place, owned.client)
    await announced.close()
  }
  let stopping: Promise<void> | undefined
  return { url, adminUrl, stop: () => (stopping ??= stop()), problem: () => supervisor.problem() }
}

/** Everything that is needed to start this database, and to start it again. */
type Place = {
  dir: string
  account: Account
  binaries: Binaries
  cluster: string
  password: string
  durable: boolean
}

/** The database of a server that is just ending answers and then goes: it is started anew until it is ours. */
async function claim(place: Place): Promise<{ port: number; session: OwnerSession }> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const port = await run(place)
    try {
      const session = await becomeOwner(addressOf(port, 'postgres', place.password, 'postgres'), place.dir)
      return { port, session }
    } catch (error) {
      if (error instanceof StartError || Date.now() > deadline) throw error
    }
  }
}

// ---- where it lives ----

/** For root: whom a cluster that is already there belongs to. PostgreSQL runs as no other. */
async function findOwner(dir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const found = await stat(path.join(dir, 'cluster')).catch(() => null)
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null
}

// Root's own place for what the database's account must be able to reach, when it cannot enter the data folder.
const rootHome = '/var/lib/reelay'

/**
 * The folder of the cluster, as an absolute path without links: `dir/cluster`, or, where the database's account cannot
 * enter `dir`, a folder under /var/lib/reelay that `dir/cluster` is a link to. Made when missing.
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
      const draft = `${place}.${process.pid}`
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
      `The database is gone: ${place} leads nowhere. Put it back, or remove ${dir} to begin anew.`,
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

// A link that leads nowhere is there: a new, empty database in its place would hide that the old one is missing.
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
  await rm(cluster, { recursive: true, force: true }) // of a start that was killed here and had our process id
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
      // The same order and case rules on every machine, whatever locales it has.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...as(account), encoding: 'utf8' },
  )
  await rm(passwordFile)
  if (made.status !== 0) {
    await rm(cluster, { recursive: true, force: true })
    const reason = made.error?.message ?? lastLine(made.stderr)
    throw new StartError(`The database could not be made in ${cluster}: ${reason}`)
  }
}

// ---- running it ----

const memory = {
  shared_buffers: '24MB',
  max_connections: '50',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  jit: 'off',
  // Helpers that would sit idle beside a database of this size: about 3 MB each.
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',
}
const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const patienceMs = 30_000

/**
 * Answers with the port of a database that runs on this cluster, started by us or found running.
 * @param again where it ran before: whoever is connected finds it there or nowhere.
 */
async function run(place: Place, again?: { port: number; stopping: AbortSignal }): Promise<number> {
  const { dir, cluster, password } = place
  const deadline = Date.now() + patienceMs
  const logFile = path.join(dir, 'postgres.log')
  let launched = false
  let ended = false
  while (Date.now() < deadline && again?.stopping.aborted !== true) {
    const running = await readPidFile(cluster)
    if (running && running.pid !== process.pid && isAlive(running.pid)) {
      if (!isPostmasterOf(running.pid, cluster)) {
        await disown(cluster)
        continue
      }
      if (running.status === 'ready') {
        if (await answers(running.port, password, cluster)) {
          if (again !== undefined && running.port !== again.port)
            throw new StartError(`It runs at port ${running.port} now, and not at ${again.port}.`)
          return running.port
        }
        // Between its "ready" and its end; or, if it stays so, someone changed its password.
      }
    } else if (ended) {
      throw new StartError(
        `The database did not start: ${lastLine(await readFile(logFile, 'utf8'))} (${logFile})`,
      )
    } else if (!launched) {
      launched = true
      const port = again === undefined ? await choosePort(dir) : await samePort(again.port)
      // Losing a race against another start ends our process too, and is no failure: the winner's pid file is there then.
      await launch(place, port, logFile, () => (ended = true))
    }
    await sleep(10)
  }
  throw new StartError(
    `The database in ${cluster} did not answer within ${patienceMs / 1000} s: see ${logFile}.`,
  )
}

async function launch(place: Place, port: number, logFile: string, onEnd: () => void): Promise<void> {
  const { account, binaries, cluster, durable } = place
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...memory,
    ...(durable ? {} : fast),
  }
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  const log = await open(logFile, size > 1024 * 1024 ? 'w' : 'a', 0o600)
  // `detached`: Ctrl-C in a terminal goes to its whole process group, and the database must outlive the server's last
  // transactions.
  const child = spawn(
    binaries.postgres,
    ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...as(account), detached: true, stdio: ['ignore', log.fd, log.fd] },
  )
  child.unref()
  child.once('error', (error) => {
    appendFileSync(logFile, `${error.message}\n`)
    onEnd()
  })
  child.once('exit', onEnd)
  await log.close()
}

// The address stays the same from start to start, for whoever looks into the database with psql, while the port is free.
async function choosePort(dir: string): Promise<number> {
  const file = path.join(dir, 'port')
  const known = Number(await readFile(file, 'utf8').catch(() => '0'))
  const port = (await freePort(known)) ?? (await freePort(0)) ?? 0
  if (port !== known) await writeFile(file, `${port}\n`, { mode: 0o600 })
  return port
}

async function samePort(port: number): Promise<number> {
  if ((await freePort(port)) === null) throw new StartError(`Its port ${port} is taken by another program.`)
  return port
}

function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

// ---- the one that is running ----

type PidFile = { pid: number; port: number; status: string }

// Its lines: pid, data folder, start time, port, socket folder, address, shared memory key, status.
// https://www.postgresql.org/docs/18/storage-file-layout.html (postmaster.pid)
async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  const lines = text?.split('\n').map((line) => line.trim()) ?? []
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7] ?? '' } : null
}

/** False when the number in the pid file now belongs to something else, as after a restart of a machine or a container. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (process.platform === 'win32') return true
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster // a postmaster's working folder is its cluster
    } catch {
      return false // gone, or another user's: neither is our database
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster)
}

// PostgreSQL refuses to start while the pid in the file is alive, but takes its parent's to be stale. With ours in it the
// rest of the file stays, and with it PostgreSQL's own check that no process still uses the cluster's shared memory.
async function disown(cluster: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid')
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
  await writeFile(file, [process.pid, ...rest].join('\n'))
}

async function answers(port: number, password: string, cluster: string): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
  client.on('error', () => {}) // what ends the connection also fails the query
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return rows[0]?.data_directory === cluster
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

// ---- making and stopping it ----

async function createDatabase(admin: Client, password: string): Promise<void> {
  const { rows } = await admin.query("select 1 from pg_database where datname = 'reelay'")
  if (rows.length > 0) return
  const literal = admin.escapeLiteral(password)
  await admin.query(`create role reelay login password ${literal}`).catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.code !== '42710') throw error // made by a start that was killed here
  })
  await admin.query('create database reelay owner reelay')
}

async function shutDown({ account, binaries, cluster }: Place, owner: Client): Promise<void> {
  const ctl = async (mode: 'fast' | 'immediate') => {
    const child = spawn(binaries.pgCtl, ['stop', '-D', cluster, '-m', mode, '-w', '-t', '20'], {
      ...as(account),
      stdio: 'ignore',
    })
    return new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false))
      child.once('exit', (code) => resolve(code === 0))
    })
  }
  if (await readPidFile(cluster)) {
    if (!(await ctl('fast'))) await ctl('immediate')
  }
  await owner.end().catch(() => {})
}

// Nothing of our environment goes along: it may hold secrets, and PostgreSQL reads variables of its own (PGPORT).
function as(account: Account) {
  const env = {
    PATH: process.env['PATH'],
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(process.platform === 'win32'
      ? { SystemRoot: process.env['SystemRoot'], TEMP: process.env['TEMP'] }
      : {}),
  }
  return { cwd: '/', env, ...(account ? { uid: account.uid, gid: account.gid } : {}) }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
