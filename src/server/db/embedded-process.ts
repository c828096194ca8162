import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readlinkSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { StartError } from '#base/start-error.ts'
import { isAlive, systemCode } from '#base/system.ts'
import { probeDisk } from '../storage/probe-disk.ts'
import type { Account } from './embedded-account.ts'
import type { Binaries } from './embedded-binaries.ts'

/** What starting, restarting and stopping the database needs. */
export type Place = {
  dir: string
  account: Account
  binaries: Binaries
  cluster: string
  password: string
  durable: boolean
}

const memory = {
  shared_buffers: '24MB',
  max_connections: '50',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  jit: 'off',
  // Background workers that a database of this size does not need: about 3 MB each.
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',
}
/** For tests, of which several servers share one database. */
const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

export const PATIENCE_MS = 30_000

/** What PostgreSQL says last where processes of the database before still use its memory (`CreateLockFile`, miscinit.c). */
const OTHERS_LEFT = 'Terminate any old server processes associated with data directory'

/**
 * Returns the port of the database on this cluster, started now or found running.
 * @param again the port at which it ran before: connection pools reconnect to that one only.
 */
export async function runDatabase(
  place: Place,
  again?: { port: number; stopping: AbortSignal },
): Promise<number> {
  const { dir, cluster, password } = place
  const deadline = Date.now() + PATIENCE_MS
  const logFile = path.join(dir, 'postgres.log')
  let launched = false
  let ended = false
  let logStart = 0
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
            throw new StartError(`It runs at port ${running.port} instead of ${again.port}.`)
          return running.port
        }
        // It is starting or stopping; if this lasts, its password was changed. Each refusal is a line of its log.
        await sleep(100)
      }
    } else if (ended) {
      const said = (await readFile(logFile)).subarray(logStart).toString()
      if (!said.includes(OTHERS_LEFT)) {
        const reason = findCause(said) || (await probeDisk(dir).catch(messageOf)) || 'it wrote no reason'
        throw new StartError(`The database did not start: ${reason} (${logFile})`)
      }
      // The processes of a database that was killed end a moment after it.
      launched = ended = false
      await sleep(100)
    } else if (!launched) {
      launched = true
      const port = again === undefined ? await choosePort(dir) : await samePort(again.port)
      // Losing a race against another start also ends our process; then the winner's pid file exists.
      logStart = await launch(place, port, logFile, () => (ended = true))
    }
    await sleep(10)
  }
  throw new StartError(
    `The database in ${cluster} did not answer within ${PATIENCE_MS / 1000} s: see ${logFile}.`,
  )
}

/** @returns where its lines begin in the log */
async function launch(place: Place, port: number, logFile: string, onEnd: () => void): Promise<number> {
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
  const isLong = size > 1024 * 1024
  const log = await open(logFile, isLong ? 'w' : 'a', 0o600)
  // `detached`: the database must outlive the server's last transactions.
  const child = spawn(
    binaries.postgres,
    ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...runAs(account), detached: true, stdio: ['ignore', log.fd, log.fd] },
  )
  child.unref()
  child.once('error', (error) => {
    try {
      appendFileSync(logFile, `${error.message}\n`)
    } finally {
      onEnd()
    }
  })
  child.once('exit', onEnd)
  await log.close()
  return isLong ? 0 : size
}

// Keep the port between starts while it is free, for people who connect with psql.
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

type PidFile = { pid: number; port: number; status: string }

// postmaster.pid has these lines: pid, data folder, start time, port, socket folder, address, shared memory key, status.
// https://www.postgresql.org/docs/18/storage-file-layout.html (postmaster.pid)
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  const lines = text?.split('\n').map((line) => line.trim()) ?? []
  const pid = Number(lines[0])
  return pid > 0 ? { pid, port: Number(lines[3]), status: lines[7] ?? '' } : null
}

/** False when the pid now belongs to another process, as after a restart of the machine or container. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (process.platform === 'win32') return true
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster // a postmaster's working folder is its cluster
    } catch {
      return false // ended, or of another user: not our database
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster)
}

// PostgreSQL refuses to start while the pid in the file is alive, except for its parent's. Writing our pid keeps the rest of
// the file, and with it PostgreSQL's check that no process still uses the cluster's shared memory.
async function disown(cluster: string): Promise<void> {
  const file = await open(path.join(cluster, 'postmaster.pid'), 'r+')
  try {
    const [, ...rest] = (await file.readFile('utf8')).split('\n')
    const text = [process.pid, ...rest].join('\n')
    // Over the old bytes: a full disk would leave an empty file, with which PostgreSQL never starts.
    await file.write(text, 0)
    await file.truncate(Buffer.byteLength(text))
  } finally {
    await file.close()
  }
}

const ANSWER_MS = 5_000

export async function answers(port: number, password: string, cluster: string): Promise<boolean> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    // A stopped (SIGSTOP) database accepts connections and does not answer.
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
  client.on('error', () => {}) // the query rejects with the same error
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

export async function stopDatabase({ account, binaries, cluster }: Place, owner: Client): Promise<void> {
  const ctl = async (mode: 'fast' | 'immediate') => {
    const child = spawn(binaries.pgCtl, ['stop', '-D', cluster, '-m', mode, '-w', '-t', '20'], {
      ...runAs(account),
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

// Do not pass our environment: it may hold secrets, and PostgreSQL reads variables such as PGPORT.
export function runAs(account: Account) {
  const env = {
    PATH: process.env['PATH'],
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(process.platform === 'win32'
      ? { SystemRoot: process.env['SystemRoot'], TEMP: process.env['TEMP'] }
      : {}),
  }
  // In a process group of its own: Ctrl-C signals a terminal's whole group, and must not end what makes or stops the database.
  const detached = process.platform !== 'win32'
  return { cwd: '/', env, detached, ...(account ? { uid: account.uid, gid: account.gid } : {}) }
}

/** What every start and every client of a database that starts or stops leads to. */
const NO_CAUSE = /the database system is|aborting startup|removing contents|startup process .* was terminated/

/**
 * The reason in what PostgreSQL or initdb said: its last line only says that it ended.
 * @returns '' where it said nothing
 */
export function findCause(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^\S+ \S+ \w+ \[\d+\] /, '').trim())
    .filter((line) => line !== '' && !NO_CAUSE.test(line))
  for (const severity of [/^PANIC: +/, /^FATAL: +/, /^(initdb: )?error: +/i]) {
    const found = lines.find((line) => severity.test(line))
    if (found !== undefined) return found.replace(severity, '')
  }
  // Before its log works it writes plain sentences.
  const plain = lines.filter((line) => !/^[A-Z]+: /.test(line))
  return plain.length > 0 ? plain.slice(0, 3).join(' ') : (lines.at(-1) ?? '')
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
