import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readlinkSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { StartError } from '#base/start-error.ts'
import { isAlive, systemCode } from '#base/system.ts'
import type { Account } from './embedded-account.ts'
import type { Binaries } from './embedded-binaries.ts'

/** Everything that is needed to start this database, to start it again, and to stop it. */
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
  // Helpers that would sit idle beside a database of this size: about 3 MB each.
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',
}
const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export const PATIENCE_MS = 30_000

/**
 * Answers with the port of a database that runs on this cluster, started by us or found running.
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
    `The database in ${cluster} did not answer within ${PATIENCE_MS / 1000} s: see ${logFile}.`,
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
    { ...runAs(account), detached: true, stdio: ['ignore', log.fd, log.fd] },
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
export async function readPidFile(cluster: string): Promise<PidFile | null> {
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

const ANSWER_MS = 5_000

export async function answers(port: number, password: string, cluster: string): Promise<boolean> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    // A frozen database accepts connections and says nothing.
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
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

// ---- stopping it ----

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

// Nothing of our environment goes along: it may hold secrets, and PostgreSQL reads variables of its own (PGPORT).
export function runAs(account: Account) {
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

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
