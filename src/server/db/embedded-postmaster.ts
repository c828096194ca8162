import { spawn, spawnSync } from 'node:child_process'
import { readlinkSync, statSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessAlive } from '#base/process-info.ts'
import { systemCode } from '#base/system-error.ts'
import { probeDisk } from '../storage/probe-disk.ts'
import type { Cluster } from './embedded-cluster.ts'
import { parseCause, processOptions, runProgram } from './embedded-programs.ts'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Small, because the server runs on the same machine.
  shared_buffers: '24MB',
  io_method: 'sync',
  jit: 'off',
  // Parallel queries use shared memory, and a container has only 64 MB.
  max_parallel_workers: '0',
}
/** For tests, where several servers share one database. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

export type Postmaster = { port: number; isReady: boolean }

export async function findPostmaster(folder: string): Promise<Postmaster | null> {
  const [pid, , , port, , , , status] = await readPidFile(folder)
  return isPostmaster(Number(pid), folder)
    ? { port: Number(port), isReady: status?.trim() === 'ready' }
    : null
}

/** Lines: pid, data folder, start time, port, socket folder, address, key of the shared memory, status. */
async function readPidFile(folder: string): Promise<string[]> {
  const text = await readFile(path.join(folder, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return ''
    throw error
  })
  return text.split('\n')
}

/** False if another process has the pid now, as after a restart of the container or in a copied folder. */
function isPostmaster(pid: number, folder: string): boolean {
  if (pid === 0 || pid === process.pid || !isProcessAlive(pid)) return false
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder // a postmaster works in its data folder
    } catch {
      return false // it has ended, or belongs to another user
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(folder)
}

/** Starts PostgreSQL and waits until postmaster.pid shows it, or it ended. @returns where its lines begin in the log */
export async function startPostmaster(cluster: Cluster): Promise<number> {
  const { folder, programs, durable } = cluster
  await disownPidFile(folder)
  const settings = { ...SETTINGS, port: await choosePort(cluster.dir), ...(durable ? {} : FAST) }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const size = readLogSize(cluster)
  const isLong = size > 1024 * 1024
  const log = await open(logFile(cluster), isLong ? 'w' : 'a', 0o600)
  const child = spawn(path.join(programs.bin, 'postgres'), ['-D', folder, ...args], {
    ...processOptions(programs.account),
    stdio: ['ignore', log.fd, log.fd],
  })
  const end: { error?: Error; ended?: true } = {}
  child.once('exit', () => (end.ended = true))
  child.once('error', (error) => (end.error = error))
  child.unref()
  await log.close() // only now: PostgreSQL may have ended before it is closed
  while (!end.ended && (await findPostmaster(folder)) === null) {
    if (end.error) throw end.error
    await sleep(10)
  }
  return isLong ? 0 : size
}

/**
 * PostgreSQL refuses to start while the pid in the file is alive, unless it is its parent's, ours. The rest of the file
 * stays: PostgreSQL needs it to find users of the cluster's shared memory.
 */
async function disownPidFile(folder: string): Promise<void> {
  const [line = '', ...rest] = await readPidFile(folder)
  const pid = Number(line)
  if (pid === 0 || !isProcessAlive(pid) || isPostmaster(pid, folder)) return
  const text = [String(process.pid).padEnd(line.length), ...rest].join('\n')
  // `r+` overwrites the old bytes: on a full disk a new file would stay empty, and PostgreSQL would never start.
  await writeFile(path.join(folder, 'postmaster.pid'), text, { flag: 'r+' })
}

/** Keeps the port of the last start if it is free, for people who connect with psql. */
async function choosePort(dir: string): Promise<string> {
  const file = path.join(dir, 'port')
  const known = Number(await readFile(file, 'utf8').catch(() => '0'))
  const port = (await findFreePort(known)) ?? (await findFreePort(0)) ?? 0
  if (port !== known) await writeFile(file, `${port}\n`, { mode: 0o600 })
  return String(port)
}

function findFreePort(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ port: wanted, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

/** Rolls open transactions back and waits until every process has ended; kills them after 20 s. */
export async function stopPostmaster({ folder, programs }: Cluster): Promise<void> {
  if ((await findPostmaster(folder)) === null) return
  const stop = (mode: string) =>
    runProgram(programs, 'pg_ctl', ['stop', '-D', folder, '-m', mode, '-t', '20'])
  if (!(await stop('fast')).succeeded) await stop('immediate')
}

export const logFile = ({ dir }: Cluster): string => path.join(dir, 'postgres.log')

export const readLogSize = (cluster: Cluster): number =>
  statSync(logFile(cluster), { throwIfNoEntry: false })?.size ?? 0

export async function findCause(cluster: Cluster, logStart: number): Promise<string> {
  const full = await findDiskProblem(path.dirname(cluster.folder)) // a full disk also prevents logging
  const said = (await readFile(logFile(cluster))).subarray(logStart).toString()
  return full ?? (parseCause(said) || 'it wrote no reason')
}

const findDiskProblem = (folder: string): Promise<string | null> =>
  probeDisk(folder).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
