import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { countComparisons, countReads } from '#test/support/database/explain.ts'
import { waiting, whileLocked } from '#test/support/lock-waits.ts'
import { describe as describeState } from '#domain/delivery/view.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { createEncrypter } from '#base/encryption.ts'
import {
  anyDueQuery,
  claimDue,
  dueCallsQuery,
  dueUploadsQuery,
  freeLane,
  nextWakeAt,
  type Claimed,
  type ClaimRequest,
} from './claim-due.ts'
import { fromColumns } from '../record.ts'
import { createTurns } from './turns.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const encrypter = createEncrypter(['a test key'])
const MB = 1_000_000
const REQUEST: ClaimRequest = {
  now: NOW,
  leaseMs: 30_000,
  push: ['tiktok'],
  pull: ['instagram'],
  calls: { lanes: 8, usedBy: [], turns: [] },
  uploads: {
    lanes: 8,
    turns: [],
    running: [],
    uplink: { bytesPerS: 100 * MB, isMeasured: true, lifeS: 3600 },
  },
}

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(() => sql`truncate users, accounts, deliveries cascade`.execute(db))

type Backlog = {
  readonly user: number
  readonly platform: 'tiktok' | 'instagram'
  readonly accounts: number
  readonly posts: number
  readonly state?: 'scheduled' | 'processing'
  /** Seconds before now; negative: yet to come. */
  readonly dueS?: number
  readonly bytes?: number
}

/** Posts of one user to each of so many accounts of theirs. */
async function fill({
  user,
  platform,
  accounts,
  posts,
  state = 'scheduled',
  dueS = 60,
  bytes = MB,
}: Backlog) {
  const name = `${user}-${platform}`
  await sql`
    with u as (insert into users (user_id, uid, email, nickname, timezone) overriding system value
        values (${user}, ${`u${user}`}, 'a@example.com', 'Ada', 'UTC')
        on conflict (user_id) do update set nickname = excluded.nickname returning user_id),
      b as (insert into brands (user_id, title) select user_id, 'Northwind' from u returning brand_id),
      v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
        select user_id, gen_random_uuid(), 'v.mp4', 'video/mp4', ${bytes}::bigint, repeat('0', 64), '{}' from u returning video_id),
      p as (insert into posts (user_id, video_id, text)
        select user_id, video_id, 'Hello' from u, v, generate_series(1, ${posts}::int) returning post_id, user_id),
      a as (insert into accounts (user_id, brand_id, platform, external_id, display_name, scopes, can_publish, tokens)
        select user_id, brand_id, ${platform}, ${name} || n, 'Nova', '{}', true, '' from u, b, generate_series(1, ${accounts}::int) n
        returning account_id)
    insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, session, wake_at)
    select post_id, user_id, account_id, ${platform}, 'Hello', '{}', ${state}, '{"attempt": 1, "dueAt": 0, "reason": null, "earlier": null}',
      case when ${state} = 'processing' then ''::bytea end,
      to_timestamp(${NOW / 1000}) - ${dueS} * interval '1 second' + row_number() over () * interval '1 millisecond'
    from p, a`.execute(db)
}

const claim = async (change: Partial<ClaimRequest> = {}) =>
  (await Array.fromAsync(claimDue({ db, encrypter }, () => ({ ...REQUEST, ...change })))).flat()
const usersOf = (claimed: readonly Claimed[]) => claimed.map(({ row }) => row.user_id)
const reasons = async () => {
  const rows = await db.selectFrom('deliveries').selectAll().where('reason_code', 'is not', null).execute()
  const shown = rows.map((row) => describeState(fromColumns(row, encrypter)))
  return [...Map.groupBy(shown, (line) => line)].map(([message, { length: count }]) => ({ message, count }))
}

const versions = () => db.selectFrom('deliveries').select('version').orderBy('delivery_id').execute()

describe('fairness between users', () => {
  it.each([
    ['uploads', 'tiktok', 'scheduled'],
    ['calls', 'instagram', 'processing'],
    ['posts that a platform fetches', 'instagram', 'scheduled'],
  ] as const)(
    'one due delivery is not behind the thousand of another user: %s',
    async (_, platform, state) => {
      await fill({ user: 1, platform, state, accounts: 1200, posts: 1, dueS: 3600 })
      const first = usersOf(await claim())
      expect(first.filter((user) => user === 1)).toHaveLength(4)
      await fill({ user: 2, platform, state, accounts: 1, posts: 1 })
      const held = {
        calls: { lanes: 8, usedBy: [1, 1, 1, 1], turns: [] },
        uploads: {
          ...REQUEST.uploads,
          running: [1, 1, 1, 1].map((userId) => ({ userId, bytesLeft: MB, elapsedS: 0 })),
        },
      }
      expect(usersOf(await claim(held))).toEqual([2])
    },
  )

  it('an account is not behind what another of its user has due in many minutes before', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 2, posts: 20 })
    await sql`delete from deliveries where account_id = (select max(account_id) from accounts)
      and delivery_id <> (select max(delivery_id) from deliveries)`.execute(db)
    await sql`update deliveries set wake_at = wake_at - nth * interval '1 minute'
      from (select delivery_id, row_number() over (order by account_id desc, delivery_id) as nth from deliveries) as numbered
      where numbered.delivery_id = deliveries.delivery_id`.execute(db)
    expect(new Set((await claim()).map(({ row }) => row.account_id)).size).toBe(2)
  })

  it('an upload is not behind the open ones of a user without a free lane', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 70, posts: 1, dueS: 3600 })
    await db.updateTable('deliveries').set({ state: 'preparing', session: Buffer.of() }).execute()
    await fill({ user: 2, platform: 'tiktok', accounts: 1, posts: 1 })
    const running = [1, 1, 1, 1].map((userId) => ({ userId, bytesLeft: MB, elapsedS: 0 }))
    expect(usersOf(await claim({ uploads: { ...REQUEST.uploads, running } }))).toEqual([2])
  })

  it('users are served round-robin even if one has much earlier deliveries', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 10, posts: 1, dueS: 3600 })
    await fill({ user: 2, platform: 'tiktok', accounts: 10, posts: 1 })
    const lanes = { ...REQUEST.uploads, lanes: 2 }
    expect(usersOf(await claim({ uploads: lanes }))).toEqual([1, 2])
  })

  it.each([
    ['uploads', 'tiktok'],
    ['calls', 'instagram'],
  ] as const)(
    'who never had a turn is next, however old the backlogs of all others: %s',
    async (_, platform) => {
      const others = [1, 2, 3, 4, 5, 6, 7, 8]
      for (const user of others) await fill({ user, platform, accounts: 4, posts: 5, dueS: 3600 })
      await fill({ user: 9, platform, accounts: 1, posts: 1, dueS: 1 })
      const busy = others.slice(1)
      const claimed = await claim({
        calls: { lanes: 8, usedBy: busy, turns: others },
        uploads: {
          ...REQUEST.uploads,
          turns: others,
          running: busy.map((userId) => ({ userId, bytesLeft: MB, elapsedS: 0 })),
        },
      })
      expect(usersOf(claimed)).toEqual([9])
    },
  )

  it('each of 250 users with a backlog has a turn before one of them has a second', async () => {
    for (let user = 1; user <= 250; user++)
      await fill({ user, platform: 'instagram', accounts: 2, posts: 2, dueS: 3600 })
    const turns = createTurns()
    const served: number[] = []
    while (served.length < 500) {
      const calls = { lanes: 10, usedBy: [], turns: turns.users() }
      for (const { row } of await claim({ calls })) {
        served.push(row.user_id)
        turns.take(row.user_id)
      }
    }
    expect(new Set(served.slice(0, 250)).size).toBe(250)
    expect(new Set(served.slice(250)).size).toBe(250)
  })

  it('uploads that wait for bandwidth do not hide those of other users', async () => {
    const uploads = { ...REQUEST.uploads, uplink: { bytesPerS: MB / 2, isMeasured: true, lifeS: 3600 } }
    await fill({ user: 1, platform: 'tiktok', accounts: 1200, posts: 1, dueS: 3600, bytes: 500 * MB })
    expect(usersOf(await claim({ uploads }))).toEqual([1])
    await fill({ user: 2, platform: 'tiktok', accounts: 1, posts: 1 })
    const running = [{ userId: 1, bytesLeft: 500 * MB, elapsedS: 0 }]
    expect(usersOf(await claim({ uploads: { ...uploads, running } }))).toEqual([2])
  })

  it('a user without a running upload comes before one who has one', async () => {
    const uploads = { ...REQUEST.uploads, uplink: { bytesPerS: 1.25 * MB, isMeasured: true, lifeS: 3600 } }
    await fill({ user: 1, platform: 'tiktok', accounts: 10, posts: 1, dueS: 3600, bytes: 500 * MB })
    const [ended] = await claim({ uploads })
    if (ended) await freeLane(db, ended.row)
    await fill({ user: 2, platform: 'tiktok', accounts: 1, posts: 1, bytes: 500 * MB })
    const running = Array.from({ length: 3 }, () => ({ userId: 1, bytesLeft: 500 * MB, elapsedS: 0 }))
    expect(usersOf(await claim({ uploads: { ...uploads, running } }))).toEqual([2])
  })

  it('an account whose upload runs hides no other account behind its backlog', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 1, posts: 1200, dueS: 3600 })
    expect(await claim()).toHaveLength(1)
    await fill({ user: 2, platform: 'tiktok', accounts: 1, posts: 1 })
    expect(usersOf(await claim())).toEqual([2])
  })
})

describe('upload lanes', () => {
  it('a waiting upload reports its reason once, and checks do not wait for it', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 6, posts: 1 })
    await fill({ user: 2, platform: 'instagram', accounts: 1, posts: 1, state: 'processing' })
    const claimed = await claim()
    expect(claimed.filter(({ lane }) => lane === 'upload')).toHaveLength(4)
    expect(claimed.filter(({ lane }) => lane === 'call')).toHaveLength(1)
    const told = [{ message: 'Waiting for other uploads: 4 uploads are running.', count: 2 }]
    expect(await reasons()).toEqual(told)
    const before = await versions()
    await claim({ uploads: { ...REQUEST.uploads, lanes: 0 } })
    expect(await versions()).toEqual(before)
  })

  it('a slow uplink starts few uploads and gives the others a reason', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 10, posts: 1, bytes: 500 * MB })
    const uplink = { bytesPerS: 0.5 * MB, isMeasured: true, lifeS: 3600 }
    expect(await claim({ uploads: { ...REQUEST.uploads, uplink } })).toHaveLength(1)
    expect((await reasons()).map(({ message }) => message)).toContain(
      'Waiting for bandwidth: 1 upload is running, and one more would slow them down too much to finish in time. Should start in about 20 minutes.',
    )
  })

  it("a dead worker's lanes are free after its leases, a failing one's at once", async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 1, posts: 2 })
    const [dead] = await claim()
    expect(await claim()).toEqual([])
    await db
      .updateTable('deliveries')
      .set({ leased_until: new Date(Date.now() - 1000) })
      .where('fence', '>', 0)
      .execute()
    const [heir] = await claim()
    expect(heir?.row).toMatchObject({ delivery_id: dead?.row.delivery_id, fence: 2, lane: 'upload' })
    if (!heir) throw new Error('nothing was claimed')
    await freeLane(db, heir.row)
    const [next] = await claim()
    expect(next?.row.delivery_id).not.toBe(heir.row.delivery_id)
  })

  it('many workers that claim at once keep to the limits', async () => {
    await fill({ user: 1, platform: 'tiktok', accounts: 20, posts: 2 })
    const claimed = (await Promise.all(Array.from({ length: 6 }, () => claim()))).flat()
    expect(claimed).toHaveLength(8)
    expect(new Set(claimed.map(({ row }) => row.account_id)).size).toBe(8)
  })
})

it('a lease is as long as asked, however long its claim waited for a lock', async () => {
  await fill({ user: 1, platform: 'tiktok', accounts: 1, posts: 1 })
  const { claiming, waitedUntil } = await whileLocked(
    db,
    sql`lock table deliveries in share mode`,
    async () => {
      const begun = claim()
      await waiting(db, 'update%')
      const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
      return { claiming: begun, waitedUntil: rows[0]?.at.getTime() ?? NaN }
    },
  )
  const [one] = await claiming
  expect((one?.row.leased_until?.getTime() ?? 0) - waitedUntil).toBeGreaterThanOrEqual(REQUEST.leaseMs)
})

it('a single post is in the next batch beside ten thousand of another user', async () => {
  await fill({ user: 1, platform: 'tiktok', accounts: 10, posts: 1000, dueS: 3600 })
  await fill({ user: 1, platform: 'instagram', accounts: 10, posts: 1000, dueS: 3600 })
  await fill({ user: 2, platform: 'tiktok', accounts: 1, posts: 1, dueS: 0.1 })
  await fill({ user: 3, platform: 'instagram', accounts: 1, posts: 1, dueS: 0.1 })
  expect(new Set(usersOf(await claim()))).toEqual(new Set([1, 2, 3]))
})

const NONE_FULL = { users: [], accounts: [] }

it('due deliveries are not compared with each other where the planner knows nothing of them', async () => {
  await fill({ user: 1, platform: 'tiktok', accounts: 500, posts: 1 })
  await fill({ user: 2, platform: 'instagram', accounts: 500, posts: 1 })
  expect(await countComparisons(db, dueUploadsQuery(REQUEST, 'tiktok', NONE_FULL, []))).toBeLessThan(1000)
  expect(await countComparisons(db, dueCallsQuery(REQUEST, [], 8))).toBeLessThan(1000)
})

it('claiming among 50,000 waiting deliveries reads little more than what is due', async () => {
  await fill({ user: 1, platform: 'tiktok', accounts: 50, posts: 500, dueS: -3600 })
  await fill({ user: 2, platform: 'instagram', accounts: 50, posts: 500, dueS: -3600 })
  await fill({ user: 3, platform: 'tiktok', accounts: 100, posts: 1 })
  await fill({ user: 3, platform: 'instagram', accounts: 100, posts: 1, state: 'processing' })
  await sql`analyze`.execute(db)
  const reads = (query: RawBuilder<unknown>) => countReads(db, 'deliveries', query, { hasGenericPlan: true })
  expect(await reads(dueUploadsQuery(REQUEST, 'tiktok', NONE_FULL, []))).toBeLessThan(500)
  expect(await reads(dueCallsQuery(REQUEST, [], 8))).toBeLessThan(500)
  expect(await nextWakeAt(db, REQUEST)).toBe(NOW + 3_600_001)
  const anyDue = CompiledQuery.raw(`explain (generic_plan) ${anyDueQuery(REQUEST, 'tiktok').compile(db).sql}`)
  expect(JSON.stringify((await db.executeQuery(anyDue)).rows)).toContain('Index Scan')
})
