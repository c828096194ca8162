/**
 * Many deliveries that are due in the same minute, against the practice platforms: how long until the last has started, what a second
 * worker brings where platforms make it wait, and how long one user's post waits behind another's thousands.
 * `npm run bench -- burst [accounts] [backlog]`
 */
import { sql } from 'kysely'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { freePort } from '../support/ports/free-port.ts'
import { uploadVideo } from '../support/publish.ts'
import { control, linkAccount, type Person, signUp, until } from '../support/test-server.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { report } from './report.ts'
import { makeFolder, startProcess, startServer } from './servers.ts'

const ACCOUNTS_OF_EACH = 10
const MINUTE_MS = 60_000
/** Until posts that were just made are due. */
const LEAD_MS = 5000
const PATIENCE_MS = 600_000
/** A second worker helps where platforms take so long for a call. */
const ANSWER_MS = 1000
/** The calls of a publication, as the practice platforms name them. */
const CALLS: Readonly<Record<PlatformId, readonly string[]>> = {
  tiktok: ['creator_info', 'init', 'final_chunk', 'status'],
  instagram: ['quota', 'create', 'container', 'publish', 'media'],
  youtube: ['initiate', 'final_chunk', 'videos'],
}

const accounts = Number(process.argv[2] ?? 1000)
const backlog = Number(process.argv[3] ?? 10_000)

type User = { readonly person: Person; readonly videoId: number; readonly accountIds: readonly number[] }

const practicePort = await freePort()
const practiceUrl = `http://127.0.0.1:${practicePort}`
const server = await startServer({
  env: {
    ROLE: 'all',
    PRACTICE: 'on',
    PRACTICE_PORT: String(practicePort),
    STORAGE_URL: `file://${await makeFolder()}`,
  },
})
const users: User[] = []
while (users.length * ACCOUNTS_OF_EACH < accounts) users.push(await makeUser(ACCOUNTS_OF_EACH))
const [busy, late] = [await makeUser(ACCOUNTS_OF_EACH), await makeUser(PLATFORM_IDS.length)]

const fast = await startedAfterS(await publish(users))
await slowDown()
const alone = await startedAfterS(await publish(users))
const second = await startProcess({
  ...server.env,
  ROLE: 'worker',
  PRACTICE: 'shared',
  PORT: String(await freePort()),
  PUBLIC_URL: server.url.replace('127.0.0.1', 'localhost'),
})
const together = await startedAfterS(await publish(users))
await second.stop()
await control(practiceUrl, 'DELETE', '/_control/faults')
const queued = await publish(Array.from({ length: Math.ceil(backlog / ACCOUNTS_OF_EACH) }, () => busy))
const behind = await startedAfterS(await publish([late], queued.dueAt))
report({
  name: 'burst',
  about: `${users.length * ACCOUNTS_OF_EACH} deliveries to as many accounts of ${users.length} users, half of them on each platform, due at once; videos of 150 kB. Server, worker, database and practice platforms run on the same processors. Floor: the same with one worker. The database does not sync.`,
  rows: [
    { what: 'last one starts', unit: 's', ours: [fast], promise: { atMost: 60 } },
    {
      what: `last one starts, calls of ${ANSWER_MS} ms, with a second worker`,
      unit: 's',
      floor: [alone],
      ours: [together],
      promise: { atMost: 0.65 },
    },
    {
      what: `posts behind ${backlog} of another user`,
      unit: 's late',
      ours: [behind],
      promise: { atMost: 10 },
    },
  ],
})
await server.stop()

async function makeUser(count: number): Promise<User> {
  const person = await signUp(server)
  const brand = await person.call('createBrand', { body: { title: 'Bench' } })
  const { video_id: videoId } = await uploadVideo(person)
  const accountIds: number[] = []
  for (let i = 0; i < count; i++) {
    const platform = platformOf(i)
    const creator = `bench${users.length}x${i}${count}`
    await control(practiceUrl, 'POST', '/_control/accounts', { platform, username: creator })
    const account = await linkAccount(person, { platform, brandId: brand.brand_id, creator })
    accountIds.push(account.account_id)
  }
  return { person, videoId, accountIds }
}

const platformOf = (place: number): PlatformId => PLATFORM_IDS[place % PLATFORM_IDS.length] ?? 'tiktok'

type Published = { readonly dueAt: number; readonly postIds: readonly number[] }

/** A post for each, to all accounts of the user, at a full minute. */
async function publish(to: readonly User[], dueAt = nextMinute(to.length)): Promise<Published> {
  const local = new Date(dueAt).toISOString().slice(0, 16)
  const postIds: number[] = []
  for (const [i, { person, videoId, accountIds }] of to.entries()) {
    const targets = accountIds.map((account_id, at) => ({
      account_id,
      options: { ...REQUIRED_OPTIONS[platformOf(at)] },
    }))
    const publish_at = { local, timezone: 'UTC' }
    const body = { video_id: videoId, text: `Post ${dueAt} ${i}`, targets, publish_at }
    postIds.push((await person.call('createPost', { body })).post_id)
  }
  return { dueAt, postIds }
}

/** The first before which so many posts can be made. */
function nextMinute(posts: number): number {
  return Math.ceil((Date.now() + LEAD_MS + posts * 100) / MINUTE_MS) * MINUTE_MS
}

/** When the last of them started, in seconds after it was due; waits until all are live and their links were looked up. */
async function startedAfterS({ dueAt, postIds }: Published): Promise<number> {
  const { db } = server
  await until(
    'all posts to be live',
    async () => {
      const { rest } = await db
        .selectFrom('deliveries')
        .select((eb) => eb.fn.countAll<number>().as('rest'))
        .where('post_id', 'in', postIds)
        .where('state', '!=', 'published')
        .executeTakeFirstOrThrow()
      return rest === 0
    },
    PATIENCE_MS,
  )
  const { rows } = await sql<{ at: Date }>`
    select min(at) as at from delivery_events join deliveries using (delivery_id)
    where post_id = any(${[...postIds]}::bigint[]) and delivery_events.state = 'preparing'
    group by delivery_id order by at desc limit 1`.execute(db)
  await until(
    'the links to be looked up',
    async () => {
      const { rest } = await db
        .selectFrom('follow_ups')
        .select((eb) => eb.fn.countAll<number>().as('rest'))
        .where('wake_at', '<', new Date(Date.now() + 2 * MINUTE_MS))
        .executeTakeFirstOrThrow()
      return rest === 0
    },
    PATIENCE_MS,
  )
  return ((rows[0]?.at.getTime() ?? NaN) - dueAt) / 1000
}

/** The platforms then take as long for each call of a publication as real ones may. */
async function slowDown(): Promise<void> {
  for (const [platform, calls] of Object.entries(CALLS))
    for (const call of calls) {
      const fault = { platform, call, fault: 'slow', times: 1_000_000, ms: ANSWER_MS }
      await control(practiceUrl, 'POST', '/_control/faults', fault)
    }
}
