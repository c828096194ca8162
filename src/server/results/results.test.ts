import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { REQUIRED_OPTIONS } from '#test/support/options.ts'
import { schedulePost, signUpToPost } from '#test/support/publish.ts'
import { linkAccount, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { deleteOldResults } from '../deliveries/result-rows.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

type Live = {
  readonly text: string
  readonly accountId: number
  readonly daysAgo: number
  /** Views by age in hours; 0 is the latest reading. */
  readonly views?: Readonly<Record<number, number>>
  readonly missing?: 'gone' | 'not_allowed' | null
}

async function owner() {
  const { person, brandId, tiktok, instagram, videoId } = await signUpToPost(testServer)
  const { account_id: youtube } = await linkAccount(person, { platform: 'youtube', brandId })
  const { db } = testServer.deps
  /** Makes posts that went live, each on one account, with what was read of them. */
  const live = async (posts: readonly Live[]) => {
    for (const { text, accountId, daysAgo, views = {}, missing = null } of posts) {
      const { post_id, deliveries } = await schedulePost(person, {
        videoId,
        text,
        accountIds: [accountId as never],
        inDays: 300,
        options: accountId === youtube ? REQUIRED_OPTIONS.youtube : {},
      })
      await addResult({
        postId: post_id,
        deliveryId: deliveries[0]?.delivery_id ?? 0,
        accountId,
        daysAgo,
        views,
        missing,
      })
    }
  }
  const addResult = async (result: Omit<Live, 'text'> & { postId: number; deliveryId: number }) => {
    const liveAt = Date.now() - result.daysAgo * DAY
    const latest = result.views?.[0]
    await sql`insert into results (delivery_id, post_id, user_id, account_id, brand_id, live_at, latest, read_at)
      select delivery_id, post_id, d.user_id, account_id, brand_id, ${new Date(liveAt)},
        ${latest === undefined ? '{}' : JSON.stringify({ views: latest })}::jsonb, ${latest === undefined ? null : new Date()}::timestamptz
      from deliveries d join accounts using (account_id) where delivery_id = ${result.deliveryId}`.execute(db)
    for (const [age, views] of Object.entries(result.views ?? {})) {
      if (age === '0') continue
      await sql`insert into result_marks (delivery_id, age_hours, account_id, read_at, numbers)
        values (${result.deliveryId}, ${Number(age)}, ${result.accountId}, ${new Date(liveAt + Number(age) * HOUR)}, ${JSON.stringify({ views })}::jsonb)`.execute(
        db,
      )
    }
    if (result.missing)
      await sql`insert into result_marks (delivery_id, age_hours, account_id, read_at, missing)
        values (${result.deliveryId}, 24, ${result.accountId}, now(), ${result.missing})`.execute(db)
  }
  type Query = NonNullable<Parameters<typeof person.call<'listResults'>>[1]>['query']
  const list = (query: Query = {}) => person.call('listResults', { query })
  const texts = async (query: Query = {}) => (await list(query)).rows.map(({ text }) => text)
  return { person, brandId, youtube, tiktok, instagram, videoId, live, list, texts, addResult }
}

it('compares each post with the others of its account at the same age', async () => {
  const { tiktok, instagram, live, list } = await owner()
  await live([
    ...[100, 100, 120, 80, 90].map((views, nth) => ({
      text: `usual ${nth}`,
      accountId: tiktok,
      daysAgo: 10 + nth,
      views: { 24: views, 0: 5000 },
    })),
    { text: 'hit', accountId: tiktok, daysAgo: 3, views: { 24: 300 } },
    { text: 'other', accountId: instagram, daysAgo: 2, views: { 24: 300 } },
    { text: 'gone', accountId: tiktok, daysAgo: 2, missing: 'gone' },
    { text: 'young', accountId: tiktok, daysAgo: 0.1, views: { 0: 7 } },
  ])
  const at = async (age: '24h' | 'now') =>
    new Map((await list({ age })).rows.map(({ text, cells }) => [text, cells[0]]))
  const day = await at('24h')
  expect(day.get('hit')).toMatchObject({ views: { value: 300 }, usual: 100, band: 'above' })
  expect(day.get('usual 3')).toMatchObject({ views: { value: 80 }, usual: 100, band: 'usual' })
  expect(day.get('other')).toMatchObject({ views: { value: 300 }, usual: null, band: null })
  expect(day.get('gone')).toMatchObject({ views: { value: null, missing: 'gone' }, usual: 100, band: null })
  expect(day.get('young')).toMatchObject({ views: { value: null, missing: 'not_yet' } })
  const now = await at('now')
  expect(now.get('young')).toMatchObject({ views: { value: 7 }, usual: null, band: null })
  // Instagram needs a permission that the account has not granted.
  expect(now.get('other')).toMatchObject({ views: { value: null } })
})

it('lists by time and by views, filtered, page by page', async () => {
  const { person, brandId, tiktok, instagram, live, list, texts } = await owner()
  await live([
    { text: 'a', accountId: tiktok, daysAgo: 4, views: { 24: 10, 168: 1 } },
    { text: 'b', accountId: instagram, daysAgo: 3, views: { 24: 30 } },
    { text: 'c', accountId: tiktok, daysAgo: 2, views: { 24: 20 } },
    { text: 'd', accountId: tiktok, daysAgo: 1.2 },
  ])
  expect(await texts()).toEqual(['d', 'c', 'b', 'a'])
  expect(await texts({ sort: 'views' })).toEqual(['b', 'c', 'a', 'd'])
  expect(await texts({ platform: 'instagram' })).toEqual(['b'])
  expect(await texts({ accountId: tiktok, sort: 'views' })).toEqual(['c', 'a', 'd'])
  expect(await texts({ brandId })).toHaveLength(4)
  expect(await texts({ from: day(3), to: day(2) })).toEqual(['c', 'b'])
  for (const sort of ['newest', 'views'] as const) {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ sort, limit: 1, ...(cursor && { cursor }) })
      found.push(...page.rows.map(({ text }) => text))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(found).toEqual(await texts({ sort }))
  }
  await expect(list({ cursor: 'newest x' })).rejects.toThrow('400')
  await expect(list({ cursor: 'views 1 1' })).rejects.toThrow('400')
  await expect(list({ cursor: 'newest -999999999999999 1' })).rejects.toThrow('400')
  expect((await list({ cursor: 'newest 999999999999999 1' })).rows).toHaveLength(4)
  const { brand_id: other } = await (
    await signUp(testServer)
  ).call('createBrand', { body: { title: 'Other' } })
  await expect(list({ brandId: other })).rejects.toThrow('404')
  expect((await list()).accounts.map(({ account_id }) => account_id)).toEqual([instagram, tiktok])
  expect(await (await signUp(testServer)).call('getResultsWeek')).toMatchObject({ live: 0 })
  expect(await person.call('getResultsWeek')).toEqual({
    live: 4,
    views: [
      { platform: 'tiktok', views: 30, counted: 2, of: 3 },
      { platform: 'instagram', views: 30, counted: 1, of: 1 },
    ],
    above: 0,
    compared: 0,
  })
})

it('a post to several accounts is one row, where it went live last', async () => {
  const { person, tiktok, instagram, videoId, list, live, addResult } = await owner()
  const { post_id, deliveries } = await schedulePost(person, {
    videoId,
    text: 'both',
    accountIds: [tiktok, instagram] as never,
    inDays: 300,
  })
  for (const [nth, { delivery_id, account_id }] of deliveries.entries())
    await addResult({
      postId: post_id,
      deliveryId: delivery_id,
      accountId: account_id,
      daysAgo: 5 - nth,
      missing: null,
    })
  await live([{ text: 'between', accountId: tiktok, daysAgo: 4.5 }])
  expect((await list({ limit: 1 })).rows).toMatchObject([
    { text: 'both', cells: [{ account_id: instagram }, { account_id: tiktok }] },
  ])
  const ofTikTok = await list({ platform: 'tiktok' })
  expect(ofTikTok.rows.map(({ text, cells }) => [text, cells.length])).toEqual([
    ['between', 1],
    ['both', 1],
  ])
})

it('the file says why a number is missing, and no cell is a formula', async () => {
  const { person, tiktok, live } = await owner()
  await live([
    { text: '=1+1', accountId: tiktok, daysAgo: 1.9, views: { 24: 12 } },
    { text: 'gone', accountId: tiktok, daysAgo: 2, missing: 'gone' },
  ])
  const answer = await person.request('/results/export?age=24h', {})
  expect(answer.headers.get('content-disposition')).toContain('reelay-results-')
  const lines = (await answer.text()).trim().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toContain('"views","likes"')
  expect(lines[1]).toContain('"\'=1+1"')
  expect(lines[1]).toContain('"12","","",')
  expect(lines[1]).toContain('likes: not_offered')
  expect(lines[2]).toContain('views: gone')
  expect((await person.request('/results/export?brandId=999999', {})).status).toBe(404)
})

it('numbers that may be kept for 30 days are deleted then, or when the account is unlinked', async () => {
  const { person, youtube, tiktok, live } = await owner()
  await live([
    { text: 'old', accountId: youtube, daysAgo: 40, views: { 24: 5, 672: 9 } },
    { text: 'tiktok', accountId: tiktok, daysAgo: 40, views: { 24: 5 } },
    { text: 'new', accountId: youtube, daysAgo: 5, views: { 24: 6, 0: 7 } },
  ])
  const viewsOf = async (age: '24h' | '28d' | 'now') =>
    new Map(
      (await person.call('listResults', { query: { age } })).rows.map(({ text, cells }) => [
        text,
        cells[0]?.views,
      ]),
    )
  await deleteOldResults(testServer.deps.db, Date.now())
  expect(Object.fromEntries(await viewsOf('24h'))).toEqual({
    old: { value: null, missing: 'not_kept' },
    tiktok: { value: 5, missing: null },
    new: { value: 6, missing: null },
  })
  expect((await viewsOf('28d')).get('old')).toEqual({ value: 9, missing: null })
  expect((await viewsOf('now')).get('new')).toEqual({ value: 7, missing: null })
  const waiting = await person.call('getAccountWaiting', { params: { accountId: youtube } })
  await person.call('unlinkAccount', {
    params: { accountId: youtube },
    query: { cancel_posts: waiting.posts },
  })
  expect((await viewsOf('now')).get('new')).toEqual({ value: null, missing: 'unlinked' })
  expect((await viewsOf('24h')).get('new')).toEqual({ value: null, missing: 'unlinked' })
  expect((await viewsOf('24h')).get('tiktok')?.value).toBe(5)
})

it('the numbers of a post that is deleted here are deleted with it', async () => {
  const { person, tiktok, live, list } = await owner()
  await live([{ text: 'one', accountId: tiktok, daysAgo: 2, views: { 24: 5 } }])
  const [row] = (await list()).rows
  const postId = row?.post_id ?? 0
  await person.call('deletePost', { params: { postId } })
  expect((await list()).rows).toEqual([])
  await expect(person.call('getPostResults', { params: { postId } })).rejects.toThrow('404')
})

const day = (daysAgo: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Lisbon' }).format(Date.now() - daysAgo * DAY)
