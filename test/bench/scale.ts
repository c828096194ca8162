/**
 * What the screens and the worker ask, with many rows in the database beside the same user with the rows that are shown and
 * nothing else: an empty account would show nothing, which is no comparison. `npm run bench -- scale [past] [waiting] [turns]`
 *
 * Half of what waits is one user's, half that of a thousand others.
 */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { openDb } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import {
  createTestDatabase,
  startTestDatabases,
  type TestDatabase,
} from '../support/database/test-database.ts'
import { measureClaims } from './claims.ts'
import { type Measurement, report } from './report.ts'
import { RARE_WORD, seedOthers, seedUser } from './seed.ts'
import { type BenchServer, logIn, openClient, overDatabase, signUp, startServer } from './servers.ts'

const PROMISE = { atMost: 1.25 }
const REQUESTS = 60
const OTHERS = 1000
const DAY_MS = 86_400_000

const past = Number(process.argv[2] ?? 100_000)
const waiting = Number(process.argv[3] ?? 1_000_000)
const turns = Number(process.argv[4] ?? 5)
/** Of each, who has many posts in the large database. */
const WHOSE = ['past', 'waiting'] as const
type Whose = (typeof WHOSE)[number]

type Side = {
  readonly database: TestDatabase
  readonly db: Kysely<DB>
  readonly server: BenchServer
  readonly tokens: ReadonlyMap<Whose, string>
  readonly brandId: number
  readonly encryptionKey: string
}

const now = Date.now()
const stopDatabases = await startTestDatabases()
const sides: Side[] = []
try {
  const began = performance.now()
  for (const isLarge of [false, true]) sides.push(await prepare(isLarge))
  console.log(`Tables built in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  await measure()
} finally {
  for (const side of sides) await close(side)
  await stopDatabases()
}

async function prepare(isLarge: boolean): Promise<Side> {
  const database = await createTestDatabase()
  const encryptionKey = randomBytes(32).toString('hex')
  const server = await startServer({ ...overDatabase(database.url), SECRET_KEY: encryptionKey })
  const db = openDb(database.url)
  let brandId = 0
  for (const whose of WHOSE) {
    await signUp(server.port, `${whose}@example.com`)
    const { user_id: userId } = await db
      .selectFrom('users')
      .select('user_id')
      .where('email', '=', `${whose}@example.com`)
      .executeTakeFirstOrThrow()
    const more = whose === 'past' ? { past } : { waiting: Math.ceil(waiting / 2) }
    const owner = await seedUser(db, userId, now, isLarge ? more : {})
    if (whose === 'past') brandId = owner.brandId
  }
  if (isLarge) await seedOthers(db, OTHERS, Math.ceil(waiting / 2 / OTHERS), now)
  await sql`vacuum analyze`.execute(db)
  const tokens = new Map<Whose, string>()
  for (const whose of WHOSE) tokens.set(whose, await logIn(server.port, `${whose}@example.com`))
  return { database, db, server, tokens, brandId, encryptionKey }
}

async function close({ db, server, database }: Side): Promise<void> {
  await server.stop()
  await db.destroy()
  await database.drop()
}

async function measure(): Promise<void> {
  const month = new Date(now - 21 * DAY_MS).toISOString().slice(0, 10)
  const lists: Readonly<Record<string, string>> = {
    upcoming: '/posts?status=upcoming',
    past: '/posts?status=past',
    'all, with its counts': '/posts',
    'a rare word': `/posts?search=${RARE_WORD}`,
    'calendar month': `/calendar?from=${month}&days=42`,
    overview: '/overview',
    accounts: '/accounts',
    videos: '/videos?limit=10',
  }
  const asked = WHOSE.flatMap((whose) => {
    const own = whose === 'past' ? { ...lists, 'one brand': '/posts?status=past&brandId=' } : lists
    return Object.entries(own).map(([what, address]) => ({ whose, what, address }))
  })
  const rows = await measureLists(asked)
  const [small, large] = sides
  if (!small || !large) throw new Error('There must be two databases.')
  rows.push(...(await measureClaims(small, large, { turns, promise: PROMISE })))
  const about = `${past} past posts of one user, ${waiting / 2} that wait of another, and ${waiting / 2} that wait of ${OTHERS} others, beside (floor) the same two users with the month of 320 posts that is shown, alone in a database. Requests in turns, one at a time; the fastest of ${REQUESTS} in each of ${turns} turns, since other work on the machine only adds.`
  report({ name: 'scale', about, rows })
}

type Asked = { readonly whose: Whose; readonly what: string; readonly address: string }

/** Each list once in every turn, so that a bad second of the machine is in one turn of a list and not in all of them. */
async function measureLists(lists: readonly Asked[]): Promise<Measurement[]> {
  const fastest = lists.map(() => sides.map((): number[] => []))
  for (let turn = -1; turn < turns; turn++)
    for (const [at, list] of lists.entries()) {
      const times = await fastestOf(list)
      // The first turn brings code, plans and pages into memory.
      if (turn >= 0) for (const [side, time] of times.entries()) fastest[at]?.[side]?.push(time)
    }
  return lists.map(({ what, whose }, at) => {
    const [floor = [], ours = []] = fastest[at] ?? []
    return { what: `${what}, many ${whose}`, unit: 'ms', floor, ours, promise: PROMISE }
  })
}

/** @returns of each side, in ms */
async function fastestOf({ whose, address }: Asked): Promise<number[]> {
  const clients = await Promise.all(
    sides.map(async ({ server, tokens, brandId }) => {
      const client = await openClient(server.port, tokens.get(whose) ?? '')
      const path = `/api/v1${address}${address.endsWith('=') ? brandId : ''}`
      return { get: () => client.get(path), close: () => client.close() }
    }),
  )
  const fastest = clients.map(() => Infinity)
  for (let i = 0; i < REQUESTS; i++) {
    // Now the one first, now the other: work after an answer slows the next one.
    const order = [...clients.entries()]
    for (const [side, client] of i % 2 === 0 ? order : order.toReversed()) {
      const began = performance.now()
      await client.get()
      fastest[side] = Math.min(fastest[side] ?? Infinity, performance.now() - began)
    }
  }
  for (const client of clients) client.close()
  return fastest
}
