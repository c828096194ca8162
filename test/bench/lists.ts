/**
 * Signed-in lists beside bare Fastify and pg over the same rows: requests per second of 10 clients, in turns.
 * `npm run bench -- lists [turns] [seconds of each]`
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDb } from '#base/db/open.ts'
import { createTestDatabase, startTestDatabases } from '../support/database/test-database.ts'
import { type Measurement, report } from './report.ts'
import { seedUser } from './seed.ts'
import { type Client, logIn, openClient, overDatabase, signUp, startServer } from './servers.ts'

const PROMISE = { atLeast: 0.5 }
const CLIENTS = 10
const EMAIL = 'bench@example.com'
const DAY_MS = 86_400_000
/** Until code and plans are those of a server that has been up for a while. */
const WARM_S = 2

const turns = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 2)

const stopDatabases = await startTestDatabases()
const database = await createTestDatabase()
const server = await startServer(overDatabase(database.url))
try {
  await measure()
} finally {
  await server.stop()
  await database.drop()
  await stopDatabases()
}

async function measure(): Promise<void> {
  const now = Date.now()
  await signUp(server.port, EMAIL)
  const uid = await seed(now)
  const token = await logIn(server.port, EMAIL)
  const floor = await startFloor(uid)
  const month = new Date(now - 21 * DAY_MS).toISOString().slice(0, 10)
  const lists = {
    accounts: '/accounts',
    brands: '/brands',
    videos: '/videos?limit=10',
    posts: '/posts',
    calendar: `/calendar?from=${month}&days=42`,
    overview: '/overview',
  }
  for (const [what, address] of Object.entries(lists))
    assert.deepEqual(
      await bodyOf(floor.port, floorPath(what, address), floor.token),
      await bodyOf(server.port, `/api/v1${address}`, token),
    )
  const ours = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(server.port, token)))
  const bare = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(floor.port, floor.token)))
  const rows: Measurement[] = []
  for (const [what, address] of Object.entries(lists)) {
    const rates = { floor: [] as number[], ours: [] as number[] }
    const both = [
      { clients: bare, address: floorPath(what, address), to: rates.floor },
      { clients: ours, address: `/api/v1${address}`, to: rates.ours },
    ]
    for (const { clients, address: path } of both) await rateOf(clients, path, WARM_S)
    for (let i = 0; i < turns; i++) {
      for (const { clients, address: path, to } of both) to.push(await rateOf(clients, path, seconds))
    }
    rows.push({ what, unit: 'requests/s', ...rates, promise: PROMISE })
  }
  for (const client of [...ours, ...bare]) client.close()
  floor.stop()
  const about = `Signed-in lists, ${CLIENTS} clients, ${turns} turns of ${seconds} s after ${WARM_S} s: 10 accounts, 10 brands, 10 videos, 30 of 320 posts with the counts, a month of 320 posts, the overview. Floor: bare Fastify and pg with a check of the session, prepared statements, and the same answers.`
  report({ name: 'lists', about, rows })
}

/** With the query of ours. */
function floorPath(what: string, address: string): string {
  return `/${what}${new URL(address, 'http://localhost').search}`
}

async function bodyOf(port: number, address: string, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`http://127.0.0.1:${port}${address}`, { headers })).json()
}

async function seed(now: number): Promise<string> {
  const db = openDb(database.url)
  try {
    const { user_id: userId, uid } = await db
      .selectFrom('users')
      .select(['user_id', 'uid'])
      .executeTakeFirstOrThrow()
    await seedUser(db, userId, now)
    await sql`analyze`.execute(db) // as the database does by itself, later
    return uid
  } finally {
    await db.destroy()
  }
}

async function startFloor(uid: string): Promise<{ port: number; token: string; stop(): void }> {
  const key = randomBytes(16).toString('hex')
  const child = fork(fileURLToPath(new URL('floors/lists.ts', import.meta.url)), {
    env: { ...process.env, DATABASE_URL: database.url, USER_UID: uid, TOKEN_KEY: key },
  })
  const [port] = (await once(child, 'message')) as [number] // what it sends once it listens
  const signed = 'e30.e30'
  const token = `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  return { port, token, stop: () => child.disconnect() }
}

/** Each client asks again as soon as it has its answer. */
async function rateOf(clients: readonly Client[], address: string, forSeconds: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const ask = async (client: Client) => {
    while (performance.now() - began < forSeconds * 1000) {
      await client.get(address)
      done += 1
    }
  }
  await Promise.all(clients.map(ask))
  return (done * 1000) / (performance.now() - began)
}
