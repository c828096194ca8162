import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OVERVIEW_COUNTED_MAX, OVERVIEW_SHOWN } from '#contract/limits.ts'
import type { Overview } from '#contract/overview.ts'
import type { AccountId } from '#contract/ids.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { explainScans, sumRows, withRecordedQueries } from '#test/support/database/explain.ts'
import { makeState, REFUSED, setState } from '#test/support/delivery-states.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { signUpToPost, uploadVideo } from '#test/support/publish.ts'
import { readOverview } from './store.ts'

/** The day after Lisbon's clocks were set back. */
const NOW = Date.parse('2026-10-26T10:00:00Z')
const at = (time: string) => Date.parse(`${time}:00Z`)

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
})
afterAll(() => testServer.stop())

async function owner() {
  const { person, tiktok, instagram, videoId: video_id } = await signUpToPost(testServer)
  const post = (text: string, accounts: AccountId[] = [tiktok], local?: string) =>
    person.call('createPost', {
      body: {
        video_id,
        text,
        targets: accounts.map((account_id) => ({ account_id })),
        ...(local !== undefined && { publish_at: { local, timezone: 'Europe/Lisbon' } }),
      },
    })
  const posted = async (text: string, state: DeliveryState) => {
    const made = await post(text)
    await setState(testServer, { post_id: made.post_id }, state)
    return made
  }
  return { person, tiktok, instagram, post, posted }
}

const published = (time: number) => makeState('published', time)
const failed = (time: number) => makeState('failed', time)

const look = (person: Person): Promise<Overview> => person.call('getOverview')
const texts = (posts: Overview['published']) => posts.map(({ text }) => text)
const busy = ({ days }: Overview) => days.filter((day) => day.published + day.failed > 0)

describe('the first steps', () => {
  it('are derived from what exists', async () => {
    const person = await signUp(testServer)
    const steps = async () => {
      const { first_steps: done } = await look(person)
      return Object.entries(done).flatMap(([step, isDone]) => (isDone ? [step] : []))
    }
    expect(await look(person)).toMatchObject({
      attention: { posts: [], total: 0 },
      next: { posts: [], total: 0 },
      published: [],
    })
    expect(await steps()).toEqual([])
    const { brand_id } = await person.call('createBrand', { body: { title: 'Northwind' } })
    expect(await steps()).toEqual(['brand'])
    const { account_id } = await linkAccount(person, { platform: 'tiktok', brandId: brand_id })
    expect(await steps()).toEqual(['brand', 'account'])
    const { video_id } = await uploadVideo(person)
    expect(await steps()).toEqual(['brand', 'account', 'video'])
    await person.call('createPost', { body: { video_id, text: 'First', targets: [{ account_id }] } })
    expect(await steps()).toEqual(['brand', 'account', 'video', 'post'])
    await person.call('cancelDelivery', {
      params: { deliveryId: Number((await look(person)).next.posts[0]?.deliveries[0]?.delivery_id) },
    })
    await person.request(`/brands/${brand_id}`, { method: 'DELETE' })
    expect(await steps()).toEqual(['video', 'post'])
  })
})

describe('what needs attention', () => {
  it('lists recent failures, blocked and unconfirmed posts, latest first, with the total', async () => {
    const { person, posted } = await owner()
    await posted('failed long ago', failed(at('2026-10-12T22:59')))
    await posted('failed two weeks ago', failed(at('2026-10-12T23:00')))
    await posted('unconfirmed', makeState('unconfirmed', at('2026-10-20T10:00')))
    await posted('failed today', failed(at('2026-10-26T09:00')))
    await posted('live', published(at('2026-10-26T09:30')))
    const { attention } = await look(person)
    expect(texts(attention.posts)).toEqual(['failed today', 'unconfirmed', 'failed two weeks ago'])
    expect(attention.total).toBe(3)
    expect(attention.posts[0]?.deliveries).toMatchObject([
      { status: 'failed', reason: REFUSED, actions: ['retry', 'dismiss'] },
    ])

    for (const text of ['a', 'b', 'c'])
      await posted(text, {
        kind: 'blocked',
        attempt: 1,
        repeats: 0,
        cause: 'limit',
        until: null,
        dueAt: null,
        reason: REFUSED,
        earlier: null,
      })
    const more = (await look(person)).attention
    expect(more.posts).toHaveLength(5)
    expect(more.total).toBe(6)
  })
})

it('upcoming posts list those in progress first, then by time', async () => {
  const { person, post, posted, tiktok, instagram } = await owner()
  await post('tomorrow', [tiktok], '2026-10-27T09:00')
  await post('tonight', [tiktok, instagram], '2026-10-26T20:00')
  await posted('processing', {
    kind: 'processing',
    attempt: 1,
    repeats: 0,
    since: NOW,
    checks: 0,
    commits: 1,
    session: {},
    reason: null,
  })
  for (const day of [1, 2, 3, 4]) await post(`november ${day}`, [tiktok], `2026-11-0${day}T09:00`)
  const { next } = await look(person)
  expect(texts(next.posts)).toEqual(['processing', 'tonight', 'tomorrow', 'november 1', 'november 2'])
  expect(next.total).toBe(7)
  expect(next.posts[1]?.deliveries).toHaveLength(2)
})

it('posts to come are counted up to a hundred', async () => {
  const { person, post } = await owner()
  const { post_id: first } = await post('first', undefined, '2026-11-01T09:00')
  await sql`
    with made as (
      insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
      select user_id, video_id, text, publish_at, publish_local, timezone
      from posts, generate_series(1, ${OVERVIEW_COUNTED_MAX}::int) where post_id = ${first}
      returning post_id)
    insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
    select made.post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at
    from made, deliveries d where d.post_id = ${first}`.execute(testServer.deps.db)
  const { next } = await look(person)
  expect(next.posts).toHaveLength(OVERVIEW_SHOWN)
  expect(next.total).toBe(OVERVIEW_COUNTED_MAX)
})

it('published posts are listed once, latest first', async () => {
  const { person, post, posted, tiktok, instagram } = await owner()
  const both = await post('to both', [tiktok, instagram])
  for (const [i, { delivery_id }] of both.deliveries.entries())
    await setState(testServer, { delivery_id }, published(at('2026-10-26T09:00') + i))
  for (const day of [20, 25, 21, 22, 23])
    await posted(`on the ${day}th`, published(at(`2026-10-${day}T12:00`)))
  const { published: last } = await look(person)
  expect(texts(last)).toEqual(['to both', 'on the 25th', 'on the 23th', 'on the 22th', 'on the 21th'])
})

describe('the last two weeks', () => {
  it('count by days of the user’s zone, even with 25 hours', async () => {
    const { person, posted } = await owner()
    const times = ['10-12T22:59', '10-12T23:00', '10-24T22:59', '10-24T23:00', '10-25T23:59', '10-26T00:00']
    for (const time of times) await posted(time, published(at(`2026-${time}`)))
    await posted('failed', failed(at('2026-10-25T12:00')))
    const overview = await look(person)
    expect(overview.timezone).toBe('Europe/Lisbon')
    expect(overview.days).toHaveLength(14)
    expect([overview.days[0]?.day, overview.days[13]?.day]).toEqual(['2026-10-13', '2026-10-26'])
    expect(busy(overview)).toEqual([
      { day: '2026-10-13', published: 1, failed: 0 },
      { day: '2026-10-24', published: 1, failed: 0 },
      { day: '2026-10-25', published: 2, failed: 1 },
      { day: '2026-10-26', published: 1, failed: 0 },
    ])

    await person.call('setTimezone', { body: { timezone: 'Asia/Tokyo' } })
    const there = await look(person)
    expect(there.days[13]?.day).toBe('2026-10-26')
    expect(busy(there).map(({ day, published: live }) => [day, live])).toEqual([
      ['2026-10-13', 2],
      ['2026-10-25', 2],
      ['2026-10-26', 2],
    ])
  })

  it('fall back to UTC for an unknown zone', async () => {
    const { person, posted } = await owner()
    await posted('late', published(at('2026-10-25T23:30')))
    await testServer.deps.db
      .updateTable('users')
      .set({ timezone: 'America/Coyhaique_of_2030' })
      .where('email', '=', person.email)
      .execute()
    const overview = await look(person)
    expect(overview.timezone).toBe('UTC')
    expect(busy(overview)).toEqual([{ day: '2026-10-25', published: 1, failed: 0 }])
  })

  it('do not count failures that were retried', async () => {
    const { person, posted } = await owner()
    const { deliveries } = await posted('failed', failed(at('2026-10-25T12:00')))
    expect(busy(await look(person))).toEqual([{ day: '2026-10-25', published: 0, failed: 1 }])
    await person.call('retryDelivery', { params: { deliveryId: Number(deliveries[0]?.delivery_id) } })
    const tried = await look(person)
    expect(busy(tried)).toEqual([])
    expect(tried.attention.total).toBe(0)
    expect(texts(tried.next.posts)).toEqual(['failed'])
  })
})

it('shows only the user’s own data', async () => {
  const { posted } = await owner()
  await posted('live', published(NOW - 1000))
  await posted('failed', failed(NOW - 1000))
  const stranger = await look(await signUp(testServer, 'Eve'))
  expect(stranger).toMatchObject({
    first_steps: { brand: false, account: false, video: false, post: false },
    attention: { total: 0 },
    next: { total: 0 },
    published: [],
  })
  expect(busy(stranger)).toEqual([])
})

it('beside five thousand old posts, no statement reads more than it shows and counts', async () => {
  const MANY = 5000
  const { person, posted } = await owner()
  const { post_id: first } = await posted('live', published(NOW - 1000))
  const { user_id } = await person.call('getUser')
  // One per hour, the last of them 20 days ago.
  await sql`
    with made as (
      insert into posts (user_id, video_id, text, created_at)
      select user_id, video_id, text, ${new Date(NOW)}::timestamptz - i * interval '1 hour'
      from posts, generate_series(20 * 24, 20 * 24 + ${MANY}::int) i where post_id = ${first}
      returning post_id, created_at as at)
    insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, goes_out_at)
    select made.post_id, d.user_id, account_id, platform, text, options, state,
      d.data || jsonb_build_object('at', floor(extract(epoch from at) * 1000)), at
    from made, deliveries d where d.post_id = ${first}`.execute(testServer.deps.db)
  await sql`analyze posts, deliveries`.execute(testServer.deps.db)
  await withRecordedQueries(testServer.env['DATABASE_URL'], 'deliveries', async (db, statements) => {
    const overview = await readOverview(db, { user_id, timezone: 'Europe/Lisbon' }, NOW)
    expect(busy(overview).map(({ day }) => day)).toEqual(['2026-10-26'])
    expect(statements).toHaveLength(1)
    for (const query of statements.splice(0)) {
      const scans = await explainScans(db, query)
      for (const table of ['deliveries', 'posts'])
        expect(scans, query.sql).not.toContainEqual(expect.objectContaining({ kind: 'Seq Scan', table }))
      expect(sumRows(scans), query.sql).toBeLessThan(800)
    }
  })
})
