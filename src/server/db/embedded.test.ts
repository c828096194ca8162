import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { copyCluster } from '#test/support/database/cluster.ts'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { startDatabaseServer } from '#test/support/database/test-database.ts'
import { parseCause } from './embedded-programs.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

const isRoot = process.getuid?.() === 0
let base: string
let dir: string
let undo: (() => Promise<unknown>)[]
let said: string[]

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'reelay-embedded '))
  await chmod(base, 0o711)
  dir = path.join(base, 'postgres')
  undo = [() => rm(base, { recursive: true })]
  said = []
})

afterEach(async () => {
  for (const step of undo.toReversed()) await step()
})

test('starts empty, keeps its data and its port over a restart', async () => {
  const first = await startEmpty()
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED')

  const second = await start()
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('is UTF-8, on loopback, password protected, and used without superuser rights', async () => {
  const { url, adminUrl } = await start()
  expect(await query(url, 'select usesuper, usecreatedb from pg_user where usename = current_user')).toEqual([
    { usesuper: false, usecreatedb: false },
  ])
  expect(await query(url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
  expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
  expect(await query(adminUrl, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }])
  expect((await stat(path.join(dir, 'password'))).mode & 0o777).toBe(0o600)
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
})

test('commands beside the server find its database, and none once it has stopped', async () => {
  expect(await findEmbeddedPostgres(dir)).toBeNull()
  const { url, stop } = await start()
  expect(await findEmbeddedPostgres(dir)).toBe(url)
  await stop()
  expect(await findEmbeddedPostgres(dir)).toBeNull()
})

test('is durable by default', async () => {
  const { url } = await start({ durable: true })
  expect(
    await query(
      url,
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync, current_setting('full_page_writes') as pages",
    ),
  ).toEqual([{ fsync: 'on', sync: 'on', pages: 'on' }])
})

test('a database left running by a killed server is taken over', async () => {
  const owner = await startOwner()
  const pid = await postmasterPid()
  owner.child.kill('SIGKILL')
  await once(owner.child, 'exit')

  const next = await start()
  expect(next.url).toBe(owner.url)
  expect(await postmasterPid()).toBe(pid)
})

test('a second server on the same folder is refused in one line without side effects', async () => {
  const owner = await startOwner()
  const { pid } = owner.child
  await expect(start(IMPATIENT)).rejects.toThrow(
    `Another Reelay server (process ${pid}) is using ${base}: stop it with "kill ${pid}", or give this one another DATA_DIR.`,
  )
  expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }])
  owner.child.kill('SIGKILL')
  await once(owner.child, 'exit')
  await start()
})

test('of two concurrent first starts one is refused, and leaves nothing behind', async () => {
  const settled = await Promise.allSettled([startEmpty(IMPATIENT), startEmpty(IMPATIENT)])
  const [winner] = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(refused).toEqual([expect.stringContaining(`Another Reelay server (process ${process.pid})`)])
  expect(await query(winner?.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await readdir(dir)).toSorted()).toEqual(['cluster', 'password', 'port', 'postgres.log'])
})

test('a pid file with the pid of another process is ignored', async () => {
  const first = await start()
  const file = path.join(await realpath(path.join(dir, 'cluster')), 'postmaster.pid')
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
  await first.stop()
  const { uid, gid } = await stat(path.dirname(file))
  const other = spawn('sleep', ['60'], {
    uid,
    gid,
    cwd: '/',
    stdio: 'ignore',
  })
  undo.push(async () => other.kill('SIGKILL'))
  await once(other, 'spawn')
  await writeFile(file, [other.pid, ...rest].join('\n'))
  await start()
})

test('committed data survives a crash of database and server', async () => {
  const first = await start({ durable: true })
  await query(first.url, 'create table kept as select 42 as answer')
  process.kill(await postmasterPid(), 'SIGKILL')
  await first.stop()

  const second = await start({ durable: true })
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a second server is told the address of the first', async () => {
  await start({ address: 'http://localhost:4400' })
  await expect(start(IMPATIENT)).rejects.toThrow(`(process ${process.pid}, http://localhost:4400)`)
})

test('an owner that lost its connection takes the lock again', async () => {
  const first = await start()
  const before = await findOwners(first.adminUrl)
  await query(first.adminUrl, CUT_OWNER)
  await expectNewOwner(first.adminUrl, before)
})

test('a second server is refused while the owner is frozen', async () => {
  const owner = await startOwner()
  owner.child.kill('SIGSTOP')
  await expect(start(IMPATIENT)).rejects.toThrow(`Another Reelay server (process ${owner.child.pid})`)
})

test('an owner that lost its lock to another session leaves the database running', async () => {
  const first = await start(IMPATIENT)
  const other = new Client({ connectionString: first.adminUrl, application_name: 'process 4711' })
  other.on('error', () => {})
  await other.connect()
  // It waits for the lock, and so gets it before the owner reconnects.
  await other.query(`${CUT_OWNER}; select pg_advisory_lock(7335393)`)
  expect(await first.ended).toContain('Another Reelay server (process 4711)')
  await first.stop()
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await other.end()
  await start() // and its stop ends the database
})

test('a backend that crashes ends its connections only', async () => {
  const first = await start({ durable: true })
  await query(first.url, 'create table kept as select 42 as answer')
  const postmaster = await postmasterPid()
  const before = await findOwners(first.adminUrl)
  const client = new Client({ connectionString: first.url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await expectNewOwner(first.adminUrl, before)
  expect(await query(first.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(await postmasterPid()).toBe(postmaster)
  const pending = Promise.resolve('the database goes on')
  expect(await Promise.race([first.ended, pending])).toBe('the database goes on')
})

test('a database that dies says so in one line', async () => {
  const first = await start()
  process.kill(await postmasterPid(), 'SIGKILL')
  const log = path.join(dir, 'postgres.log')
  expect(await first.ended).toBe(
    `The database ended: terminating connection due to unexpected postmaster exit (${log}). The next start recovers it.`,
  )
})

test('what keeps the database from starting is named', async () => {
  await (await start()).stop()
  await rm(path.join(dir, 'cluster', 'global', 'pg_control'))
  await expect(start()).rejects.toThrow(
    /^The database did not start: .*could not find.*pg_control.*postgres.log/,
  )
})

const disk = mountSmallDisk(100)
afterAll(() => disk?.remove())
test.runIf(disk !== null)('a full disk is named as the cause, and the next start recovers', async () => {
  if (disk === null) return
  dir = path.join(disk.dir, 'postgres')
  const first = await start({ durable: true })
  await query(first.url, 'create table kept as select 42 as answer')
  disk.fill()
  // The moment of a crash is uncertain: PostgreSQL recovers as long as the freed space suffices.
  process.kill(await postmasterPid(), 'SIGKILL')
  expect(await first.ended).toMatch(/^The database ended: .*no space left on device/i)

  disk.free()
  const again = await start({ durable: true })
  expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a copy of the folder of a running server is a database of its own', async () => {
  await startOwner()
  dir = path.join(base, 'copy')
  await promisify(execFile)('cp', ['-a', path.join(base, 'postgres'), dir])
  const copy = await start()
  expect(await query(copy.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a copy whose link leads to the original database never says how to stop its server', async () => {
  await startOwner()
  const original = dir
  dir = path.join(base, 'copy', 'postgres')
  await mkdir(dir, { recursive: true, mode: 0o711 })
  await chmod(path.dirname(dir), 0o711)
  for (const name of ['password', 'port']) await copyFile(path.join(original, name), path.join(dir, name))
  await symlink(path.join(original, 'cluster'), path.join(dir, 'cluster'))
  const refused = await startEmpty(IMPATIENT).catch((error: unknown) => error)
  expect(String(refused)).toContain(
    `is using ${path.join(original, 'cluster')}, the database of ${path.dirname(dir)}`,
  )
  expect(String(refused)).not.toContain('kill')
})

test('a database of another major version is refused in one line', async () => {
  await (await start()).stop()
  await writeFile(path.join(dir, 'cluster', 'PG_VERSION'), '14\n')
  await expect(start()).rejects.toThrow(/was made by PostgreSQL 14 and this is 18/)
})

test.runIf(isRoot)(
  'root in a folder that nobody else can enter: the data is elsewhere, and that is said',
  async () => {
    const home = await mkdtemp(path.join(homedir(), 'reelay-embedded-'))
    dir = path.join(home, 'postgres')
    const started = await startEmpty()
    const cluster = await realpath(path.join(dir, 'cluster'))
    undo.unshift(
      () => rm(home, { recursive: true }),
      () => rm(cluster, { recursive: true }),
    )
    expect(cluster).toMatch(/^\/var\/lib\/reelay\/[0-9a-f]{8}$/)
    expect(said).toEqual([`The database is in ${cluster}: its account cannot enter ${dir}.`])
    await query(started.url, 'create table kept as select 42 as answer')
    await started.stop()

    said = []
    const again = await start()
    expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(said).toEqual([])
  },
)

test.runIf(isRoot)("root takes over an ordinary user's database and leaves it that user's", async () => {
  await (await start()).stop()
  const cluster = path.join(dir, 'cluster')
  const other = { uid: 64_999, gid: 64_999 }
  for (const name of ['.', ...(await readdir(cluster, { recursive: true }))]) {
    await chown(path.join(cluster, name), other.uid, other.gid)
  }
  await start()
  expect(await stat(path.join(cluster, 'postmaster.pid'))).toMatchObject(other)
})

const logOf = (...lines: string[]) =>
  lines.map((line) => `2026-11-21 10:00:00.123 UTC [77] ${line}\n`).join('')

test.each([
  [
    'a full disk that ends the recovery',
    logOf(
      'LOG:  database system was interrupted; last known up at 2026-11-21 09:59:00 UTC',
      'FATAL:  the database system is starting up',
      'PANIC:  could not write to file "pg_wal/xlogtemp.30": No space left on device',
      'LOG:  startup process (PID 30) was terminated by signal 6: Aborted',
      'LOG:  aborting startup due to startup process failure',
      'LOG:  database system is shut down',
    ),
    'could not write to file "pg_wal/xlogtemp.30": No space left on device',
  ],
  [
    'a lock file',
    logOf(
      'FATAL:  lock file "postmaster.pid" already exists',
      'HINT:  Is another postmaster (PID 12) running in data directory "/data/cluster"?',
    ),
    'lock file "postmaster.pid" already exists',
  ],
  [
    'permissions',
    logOf(
      'FATAL:  data directory "/data/cluster" has invalid permissions',
      'DETAIL:  Permissions should be u=rwx (0700) or u=rwx,g=rx (0750).',
    ),
    'data directory "/data/cluster" has invalid permissions',
  ],
  [
    'plain sentences, before its log works',
    'postgres: could not find the database system\nExpected to find it in the directory "/d", but could not open file "/d/global/pg_control": No such file or directory\n',
    'postgres: could not find the database system Expected to find it in the directory "/d", but could not open file "/d/global/pg_control": No such file or directory',
  ],
  [
    'initdb on a full disk',
    'initdb: error: could not write file "/d/PG_VERSION": No space left on device\ninitdb: removing contents of data directory "/d"\n',
    'could not write file "/d/PG_VERSION": No space left on device',
  ],
  ['nothing', '', ''],
])('the cause is found: %s', (_, lines, cause) => expect(parseCause(lines)).toBe(cause))

/** Where another server holds the lock for good. */
const IMPATIENT = { lockPatienceMs: 100 }

type Options = Partial<Parameters<typeof startEmbeddedPostgres>[0]>

/** Uses the existing database, or a copy of an empty one. */
async function start(more: Options = {}) {
  await copyCluster(dir)
  return startEmpty(more)
}

async function startEmpty(more: Options = {}) {
  const started = await startEmbeddedPostgres({
    dir,
    say: (line) => said.push(line),
    durable: false,
    ...more,
  })
  undo.push(started.stop)
  return started
}

async function startOwner() {
  const owner = await startDatabaseServer(base)
  undo.push(async () => {
    owner.child.kill('SIGCONT')
    await owner.stop()
  })
  return owner
}

async function postmasterPid(): Promise<number> {
  return Number.parseInt(await readFile(path.join(dir, 'cluster', 'postmaster.pid'), 'utf8'), 10)
}

const WAIT = { timeout: 300_000, interval: 50 }
const CUT_OWNER =
  "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 7335393 and granted"

const findOwners = (adminUrl: string) =>
  query(adminUrl, "select pid from pg_locks where locktype = 'advisory' and objid = 7335393 and granted")

const expectNewOwner = (adminUrl: string, before: unknown[]) =>
  vi.waitFor(async () => {
    const now = await findOwners(adminUrl)
    expect(now).toHaveLength(1)
    expect(now).not.toEqual(before)
  }, WAIT)

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // the query rejects with the same error
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
