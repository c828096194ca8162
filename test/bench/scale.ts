/**
 * Measures what the screens and the worker ask, with many rows in the database beside the same users with the month that is shown and nothing
 * else: an empty account would be no comparison. Half of what waits is one user's, half that of a thousand others.
 * `npm run bench -- scale [past] [waiting] [turns]`
 */
import { sql } from 'kysely'
import { createEncrypter } from '#base/encryption.ts'
import { type ClaimRequest, claimDue, nextWakeAt } from '#server/deliveries/claim/claim-due.ts'
import { WORKER_SETTINGS } from '#server/deliveries/worker/worker.ts'
import { signUp } from '../support/test-server.ts'
import { type Measurement, report } from './report.ts'
import { DAY_MS, RARE_WORD, seedOthers, seedUser } from './seed.ts'
import { type BenchServer, openClient, startServer } from './servers.ts'

const PROMISE = { atMost: 1.5 }
const REQUESTS = 60
const CLAIMS = 10
const OTHERS = 1000

const past = Number(process.argv[2] ?? 100_000)
const waiting = Number(process.argv[3] ?? 1_000_000)
const turns = Number(process.argv[4] ?? 5)

type Side = {
  readonly server: BenchServer
  readonly tokens: { readonly past: string; readonly waiting: string }
  readonly brandId: number
}

const floor = await prepare({ past: 0, waiting: 0 })
const large = await prepare({ past, waiting: Math.ceil(waiting / 2) })
await seedOthers(large.server.db, OTHERS, Math.ceil(waiting / 2 / OTHERS))
for (const { server } of [floor, large]) await sql`vacuum analyze`.execute(server.db)
report({
  name: 'scale',
  about: `${past} past posts of one user, ${waiting / 2} that wait of another, and ${waiting / 2} that wait of ${OTHERS} others, beside (floor) the same two users with the month of 320 posts that is shown, alone in a database. Requests in turns, one at a time; the fastest of ${REQUESTS} (claims: ${CLAIMS}) in each of ${turns} turns, since other work on the machine only adds.`,
  rows: [...(await measureLists()), await measureClaims()],
})
for (const { server } of [floor, large]) await server.stop()

async function prepare(more: { readonly past: number; readonly waiting: number }): Promise<Side> {
  const server = await startServer()
  const [one, two] = [await signUp(server, 'past'), await signUp(server, 'waiting')]
  const owner = await seedUser(server.db, (await one.call('getUser')).user_id, { past: more.past })
  await seedUser(server.db, (await two.call('getUser')).user_id, { waiting: more.waiting })
  return { server, tokens: { past: one.token, waiting: two.token }, brandId: owner.brandId }
}

async function measureLists(): Promise<Measurement[]> {
  const month = new Date(Date.now() - 21 * DAY_MS).toISOString().slice(0, 10)
  const lists = {
    upcoming: '/posts?status=upcoming',
    past: '/posts?status=past',
    'all, with its counts': '/posts',
    'a rare word': `/posts?search=${RARE_WORD}`,
    'calendar month': `/calendar?from=${month}&days=42`,
    overview: '/overview',
    accounts: '/accounts',
    videos: '/videos?limit=10',
    results: '/results',
    'week in numbers': '/results/week',
  }
  const asked = [
    ...Object.entries(lists).map(([what, address]) => ({ what, address, whose: 'past' as const })),
    { what: 'one brand', address: '/posts?status=past&brandId=', whose: 'past' as const },
    ...Object.entries(lists).map(([what, address]) => ({ what, address, whose: 'waiting' as const })),
  ].map((one) => ({ ...one, floor: [] as number[], ours: [] as number[] }))
  // Each list once in every turn, so that a bad second of the machine is in one turn of a list and not in all of them. The first turn
  // brings code, plans and pages into memory.
  for (let turn = -1; turn < turns; turn++)
    for (const list of asked) {
      const times = await fastestOf(list)
      if (turn < 0) continue
      list.floor.push(times.floor)
      list.ours.push(times.ours)
    }
  return asked.map(({ what, whose, ...times }) => ({
    what: `${what}, many ${whose}`,
    unit: 'ms',
    floor: times.floor,
    ours: times.ours,
    promise: PROMISE,
  }))
}

/** In ms. */
async function fastestOf({ whose, address }: { whose: 'past' | 'waiting'; address: string }) {
  const [bare, ours] = [floor, large].map(({ server, tokens, brandId }) => {
    const path = `/api/v1${address}${address.endsWith('=') ? brandId : ''}`
    return { client: openClient(server.url + path, tokens[whose]), fastest: Infinity }
  }) as [Asker, Asker]
  for (let i = 0; i < REQUESTS; i++)
    // Now the one first, now the other: work after an answer slows the next one.
    for (const side of i % 2 === 0 ? [bare, ours] : [ours, bare]) {
      const began = performance.now()
      await side.client.get('')
      side.fastest = Math.min(side.fastest, performance.now() - began)
    }
  for (const { client } of [bare, ours]) client.close()
  return { floor: bare.fastest, ours: ours.fastest }
}
type Asker = { readonly client: ReturnType<typeof openClient>; fastest: number }

/** The worker's own claim of one due delivery among all that wait. */
async function measureClaims(): Promise<Measurement> {
  const times: { readonly floor: number[]; readonly ours: number[] } = { floor: [], ours: [] }
  for (let turn = -1; turn < turns; turn++) {
    const measured = { floor: await fastestClaim(floor), ours: await fastestClaim(large) }
    if (turn < 0) continue
    times.floor.push(measured.floor)
    times.ours.push(measured.ours)
  }
  return { what: 'claim of a due delivery', unit: 'ms', ...times, promise: PROMISE }
}

async function fastestClaim({ server: { db, env } }: Side): Promise<number> {
  const deps = { db, encrypter: createEncrypter([env['SECRET_KEY'] ?? '']) }
  let fastest = Infinity
  for (let i = 0; i < CLAIMS; i++) {
    const due = await seedOthers(db, 1, 1, true)
    const began = performance.now()
    let claimed = 0
    for await (const batch of claimDue(deps, request)) claimed += batch.length
    await nextWakeAt(db, request())
    fastest = Math.min(fastest, performance.now() - began)
    if (claimed !== 1) throw new Error(`${claimed} of 1 due delivery was claimed.`)
    for (const table of ['posts', 'accounts', 'users'] as const)
      await db.deleteFrom(table).where('user_id', 'in', due).execute()
  }
  return fastest
}

function request(): ClaimRequest {
  const { leaseMs, lanes } = WORKER_SETTINGS
  const uplink = { bytesPerS: 100_000_000, isMeasured: true, lifeS: 3600 }
  return {
    now: Date.now(),
    leaseMs,
    push: ['tiktok'],
    pull: ['instagram'],
    calls: { lanes: lanes.calls, usedBy: [], turns: [] },
    uploads: { lanes: lanes.uploads, running: [], turns: [], uplink },
  }
}
