import { randomBytes } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { StartError } from '#base/start-error.ts'
import { isAlive } from '#base/system.ts'

// One server owns an embedded database: by an advisory lock, which decides between concurrent starts, and by a loopback port,
// which still answers while the lock's connection is lost and the owner retakes the lock.

const OWNER_LOCK = 7_335_393
const PATIENCE_MS = 5000
const ANSWER_MS = 2000

/** The connection that holds the lock. `ended` settles when it is lost, whatever the reason. */
export type OwnerSession = { client: Client; ended: Promise<void> }

/** Another server holds the lock: this one must stop using the database. */
export class OwnershipLost extends Error {}

/**
 * Makes this process the owner; a server that is shutting down gets a few seconds to finish.
 * @throws StartError when another server owns the database; the error of the connection when that breaks.
 */
export async function becomeOwner(adminUrl: string, dir: string): Promise<OwnerSession> {
  const session = await openSession(adminUrl)
  try {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      // Checked before taking the lock, so that it is free when the owner retakes it, and again under it.
      const other = await findLiveOwner(dir)
      if (other === null && (await tryLock(session))) {
        if ((await findLiveOwner(dir)) === null) return session
        await session.client.query('select pg_advisory_unlock($1)', [OWNER_LOCK])
      }
      if (Date.now() > deadline) {
        throw other === null ? await usedFromElsewhere(session, dir) : ownedBy(path.dirname(dir), other)
      }
      await sleep(50)
    }
  } catch (error) {
    await session.client.end().catch(() => {})
    throw error
  }
}

/**
 * Takes the lock again after its connection was lost.
 * @throws OwnershipLost when another server holds it.
 */
export async function retakeLock(adminUrl: string): Promise<OwnerSession> {
  const session = await openSession(adminUrl)
  try {
    // A second start may hold it briefly while it finds this server; or the old connection has not ended yet.
    const deadline = Date.now() + PATIENCE_MS
    while (!(await tryLock(session))) {
      if (Date.now() > deadline) {
        const holder = await lockHolder(session)
        throw new OwnershipLost(holder === null ? 'another session' : `process ${holder}`)
      }
      await sleep(50)
    }
    return session
  } catch (error) {
    await session.client.end().catch(() => {})
    throw error
  }
}

async function openSession(adminUrl: string): Promise<OwnerSession> {
  const client = new Client({
    connectionString: adminUrl,
    application_name: `reelay ${process.pid}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => {}) // `end` follows
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  await client.connect()
  return { client, ended }
}

async function tryLock({ client }: OwnerSession): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [
    OWNER_LOCK,
  ])
  return rows[0]?.got === true
}

async function lockHolder({ client }: OwnerSession): Promise<number | null> {
  const { rows } = await client.query<{ application_name: string }>(
    "select application_name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objid = $1 and granted",
    [OWNER_LOCK],
  )
  const pid = Number(rows[0]?.application_name.split(' ')[1])
  return pid > 0 ? pid : null
}

function ownedBy(dataDir: string, { pid, address }: Note) {
  const about = [`process ${pid}`, ...(address === null ? [] : [address])]
  const stop = process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill ${pid}`
  return new StartError(
    `Another Reelay server (${about.join(', ')}) is using ${dataDir}: ` +
      `stop it with "${stop}", or give this one another DATA_DIR.`,
  )
}

/** The owner announced itself in another folder, so it may be the server that this folder was copied from: never say how to stop it. */
async function usedFromElsewhere(session: OwnerSession, dir: string): Promise<StartError> {
  const pid = await lockHolder(session)
  const cluster = await realpath(path.join(dir, 'cluster'))
  return new StartError(
    `The database of ${path.dirname(dir)}, which is in ${cluster}, is in use by another Reelay server${pid === null ? '' : ` (process ${pid})`} ` +
      `with another DATA_DIR: if this folder is a copy, the database was not copied with it. Give this server another DATA_DIR.`,
  )
}

const Note = z.object({
  /** A copy of the file in another folder is not about that folder. */
  folder: z.string(),
  pid: z.int(),
  port: z.int(),
  token: z.string(),
  address: z.string().nullable(),
})
type Note = z.infer<typeof Note>

const noteFile = (dir: string) => path.join(dir, 'owner.json')

/**
 * Answers on a loopback port while this process lives. The kernel closes the port with the process, which is more reliable than
 * a process id. `address`: the public address of this server.
 */
export async function announceOwner(
  dir: string,
  address: string | null,
): Promise<{ close(): Promise<void> }> {
  const token = randomBytes(16).toString('hex')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(token)
  })
  server.unref()
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0)
    })
  })
  const note: Note = { folder: await identifyFolder(dir), pid: process.pid, port, token, address }
  const draft = `${noteFile(dir)}.${process.pid}`
  await writeFile(draft, JSON.stringify(note), { mode: 0o600 })
  await rename(draft, noteFile(dir))
  return {
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
      if ((await readNote(dir))?.token === token) await rm(noteFile(dir), { force: true })
    },
  }
}

async function findLiveOwner(dir: string): Promise<Note | null> {
  const note = await readNote(dir)
  if (note === null || note.folder !== (await identifyFolder(dir))) return null
  const answer = await ask(note.port)
  // A stopped (SIGSTOP) owner accepts the connection and does not answer.
  const isOwner = answer === null ? false : answer === note.token || (answer === '' && isAlive(note.pid))
  return isOwner ? note : null
}

/** The same after a move or through another path, another one for a copy. */
async function identifyFolder(dir: string): Promise<string> {
  const { dev, ino } = await stat(dir, { bigint: true })
  return `${dev} ${ino}`
}

async function readNote(dir: string): Promise<Note | null> {
  const text = await readFile(noteFile(dir), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return Note.parse(JSON.parse(text))
  } catch {
    return null // not written by us: it is replaced
  }
}

/** The text that the port answers, '' after a time-out; `null`: nothing listens there. */
function ask(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect({ port, host: '127.0.0.1' })
    const finish = (answer: string | null) => {
      resolve(answer)
      socket.destroy()
    }
    socket.setTimeout(ANSWER_MS, () => finish(said))
    socket.once('error', () => finish(null))
    socket.on('data', (chunk) => (said += chunk.toString()))
    socket.once('end', () => finish(said))
  })
}
