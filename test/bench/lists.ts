/**
 * Signed-in lists beside bare Fastify and pg over the same rows: requests per second of 10 clients, in turns.
 * `npm run bench -- lists [turns] [seconds of each]`
 */
import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { signUp } from '../support/test-server.ts'
import { type Measurement, report } from './report.ts'
import { DAY_MS, seedUser } from './seed.ts'
import { type Client, openClient, startFloor, startServer } from './servers.ts'

const CLIENTS = 10
/** Until code and plans are those of a server that has been up for a while. */
const WARM_S = 2
const LISTS = {
  accounts: '/accounts',
  brands: '/brands',
  videos: '/videos?limit=10',
  posts: '/posts',
  calendar: `/calendar?from=${new Date(Date.now() - 21 * DAY_MS).toISOString().slice(0, 10)}&days=42`,
  overview: '/overview',
}

const turns = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 2)

const server = await startServer()
const person = await signUp(server)
const { user_id: userId } = await person.call('getUser')
await seedUser(server.db, userId)
await sql`analyze`.execute(server.db) // as the database does by itself, later

const key = randomBytes(16).toString('hex')
const token = `bench.${createHmac('sha256', key).update('bench').digest('base64url')}`
const floor = await startFloor('./lists-floor.ts', [String(userId), key], { env: server.env })
const bodies: Record<string, unknown> = {}
for (const [name, address] of Object.entries(LISTS))
  bodies[name] = await (await person.request(address)).json()
floor.child.send(bodies)
for (const [name, body] of Object.entries(bodies)) {
  const [bare, ours] = [await openClient(`${floor.url}/${name}`, token).get(''), JSON.stringify(body)]
  if (bare.length < 0.9 * ours.length) throw new Error(`The floor answers less:\n${bare}\n${ours}`)
}

const rows: Measurement[] = []
for (const [name, address] of Object.entries(LISTS)) {
  const [bare, ours] = [
    measurer(`${floor.url}/${name}`, token),
    measurer(`${server.url}/api/v1${address}`, person.token),
  ]
  await bare.rate(WARM_S)
  await ours.rate(WARM_S)
  const rates = { floor: [] as number[], ours: [] as number[] }
  for (let i = 0; i < turns; i++) {
    rates.floor.push(await bare.rate(seconds))
    rates.ours.push(await ours.rate(seconds))
  }
  rows.push({ what: name, unit: 'requests/s', ...rates, promise: { atLeast: 0.5 } })
  bare.close()
  ours.close()
}
report({
  name: 'lists',
  about: `Signed-in lists, ${CLIENTS} clients, ${turns} turns of ${seconds} s after ${WARM_S} s: 10 accounts, 10 brands, 10 videos, 30 of 320 posts with the counts, a month of 320 posts, the overview. Floor: bare Fastify and pg with a check of the session, prepared statements, and the same answers.`,
  rows,
})
await floor.stop()
await server.stop()

/** Clients that ask again as soon as they have their answer. */
function measurer(address: string, bearer: string) {
  const clients: Client[] = Array.from({ length: CLIENTS }, () => openClient(address, bearer))
  return {
    async rate(forSeconds: number): Promise<number> {
      const began = performance.now()
      let done = 0
      const ask = async (client: Client) => {
        while (performance.now() - began < forSeconds * 1000) {
          await client.get('')
          done += 1
        }
      }
      await Promise.all(clients.map(ask))
      return (done * 1000) / (performance.now() - began)
    },
    close: () => clients.forEach((client) => client.close()),
  }
}
