import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { schedulePost, signUpToPost } from '#test/support/publish.ts'
import { resetPassword, signIn, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let testServer: TestServer
let ahead = 0
beforeAll(async () => {
  testServer = await startTestServer({ now: () => Date.now() + ahead })
})
afterAll(() => testServer.stop())

/** A user with posts of October and September 2026 on one account. */
async function agency() {
  const { person, brandId, tiktok, videoId } = await signUpToPost(testServer)
  const live = async (text: string, at: string, views: number | null) => {
    const { deliveries, post_id } = await schedulePost(person, {
      videoId,
      text,
      accountIds: [tiktok],
      inDays: 300,
    })
    const id = deliveries[0]?.delivery_id ?? 0
    await sql`insert into results (delivery_id, post_id, user_id, account_id, brand_id, live_at)
      select delivery_id, ${post_id}, d.user_id, account_id, brand_id, ${at}
      from deliveries d join accounts using (account_id) where delivery_id = ${id}`.execute(
      testServer.deps.db,
    )
    if (views !== null)
      await sql`insert into result_marks (delivery_id, age_hours, account_id, read_at, numbers)
        values (${id}, 168, ${tiktok}, ${new Date(Date.parse(at) + 7 * DAY)}, ${JSON.stringify({ views, likes: views / 10 })}::jsonb)`.execute(
        testServer.deps.db,
      )
  }
  for (const [text, at, views] of [
    ['August', '2026-08-31T22:59:00Z', 900],
    ['September one', '2026-08-31T23:00:00Z', 100],
    ['September two', '2026-09-20T10:00:00Z', 100],
    ['September three', '2026-09-21T10:00:00Z', 100],
    // The brand is in Lisbon, an hour ahead of UTC.
    ['First of October', '2026-09-30T23:30:00Z', 300],
    ['Usual', '2026-10-05T10:00:00Z', 110],
    ['Weak', '2026-10-20T10:00:00Z', 20],
    ['Not told', '2026-10-21T10:00:00Z', null],
    ['November', '2026-11-01T00:00:00Z', 500],
  ] as const)
    await live(text, at, views)
  const of = { params: { brandId, month: '2026-10' } }
  return { person, brandId, of, tiktok }
}

const shared = (url: string) => fetch(`${testServer.url}/api/v1/reports/${new URL(url).hash.slice(1)}`)

it("sums up a month of the brand's zone against the one before, with its best and weakest post", async () => {
  const { person, of } = await agency()
  const report = await person.call('getReport', of)
  expect(report).toMatchObject({
    brand_title: 'Northwind',
    month: '2026-10',
    timezone: 'Europe/Lisbon',
    note: '',
    link_expires_at: null,
    numbers: {
      videos: 1,
      live: 4,
      views: [{ platform: 'tiktok', value: 430, counted: 3, of: 4 }],
      likes: { value: 43, counted: 3, of: 4 },
      comments: { value: 0, counted: 0, of: 4 },
      // TikTok does not report it.
      followers_gained: [],
    },
    last_month: { live: 3, views: [{ value: 300, counted: 3, of: 3 }] },
    best: { text: 'First of October', views: { value: 300 }, usual: 100, band: 'above' },
    weakest: { text: 'Weak', views: { value: 20 }, band: 'below' },
  })
  const empty = await person.call('getReport', { params: { ...of.params, month: '2025-01' } })
  expect(empty).toMatchObject({ numbers: { live: 0, views: [] }, best: null, weakest: null })
})

it('a month stays that of its brand when the account moves to another', async () => {
  const { person, of, tiktok } = await agency()
  const before = await person.call('getReport', of)
  const { brand_id: other } = await person.call('createBrand', { body: { title: 'Alpine' } })
  await person.call('moveAccount', { params: { accountId: tiktok }, body: { brand_id: other } })
  expect(await person.call('getReport', of)).toEqual(before)
  const params = { brandId: other, month: of.params.month }
  expect((await person.call('getReport', { params })).numbers.live).toBe(0)
})

it('keeps the words of a month', async () => {
  const { person, of } = await agency()
  await person.call('setReportNote', { ...of, body: { note: 'A good month.\nThe tart did it.' } })
  expect((await person.call('getReport', of)).note).toBe('A good month.\nThe tart did it.')
  await expect(person.call('setReportNote', { ...of, body: { note: 'x'.repeat(5001) } })).rejects.toThrow(
    '422',
  )
  await expect(person.call('getReport', { params: { ...of.params, month: '2026-13' } })).rejects.toThrow(
    '400',
  )
})

it('is read by whoever has its address, and nothing else is', async () => {
  const { person, of } = await agency()
  await person.call('setReportNote', { ...of, body: { note: 'For you' } })
  const { url, expires_at } = await person.call('createReportLink', { ...of, body: { days: 30 } })
  expect(url.startsWith(`${testServer.config.publicUrl}/report#`)).toBe(true)
  const { link_expires_at, ...own } = await person.call('getReport', of)
  expect(link_expires_at).toBe(expires_at)
  const answer = await shared(url)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual(own)
  for (const other of ['x', 'A'.repeat(43)])
    expect((await shared(`https://reelay.example/report#${other}`)).status).toBe(404)
})

it('an address ends with its time, by its user, by a newer one, and with all sessions', async () => {
  const { person, of } = await agency()
  const make = async (who = person) => (await who.call('createReportLink', { ...of, body: { days: 7 } })).url
  const first = await make()
  const second = await make()
  expect([(await shared(first)).status, (await shared(second)).status]).toEqual([404, 200])
  await person.call('deleteReportLink', of)
  expect((await shared(second)).status).toBe(404)
  const third = await make()
  await resetPassword(testServer, person.email)
  expect((await shared(third)).status).toBe(404)
  ahead += 1000
  const again = await signIn(testServer, person.email)
  const fourth = await make(again)
  expect((await shared(fourth)).status).toBe(200)
  ahead += 7 * DAY
  expect((await shared(fourth)).status).toBe(404)
  expect(await (await signIn(testServer, person.email)).call('getReport', of)).toMatchObject({
    link_expires_at: null,
  })
})

it('is not shown to another user, nor once its brand is deleted', async () => {
  const { person, brandId, of } = await agency()
  const stranger = await signUp(testServer)
  await expect(stranger.call('getReport', of)).rejects.toThrow('404')
  await expect(stranger.call('setReportNote', { ...of, body: { note: 'x' } })).rejects.toThrow('404')
  await expect(stranger.call('createReportLink', { ...of, body: { days: 1 } })).rejects.toThrow('404')
  const { url } = await person.call('createReportLink', { ...of, body: { days: 1 } })
  const waiting = await person.call('getBrandWaiting', { params: { brandId } })
  await person.call('deleteBrand', { params: { brandId }, query: { cancel_posts: waiting.posts } })
  expect((await shared(url)).status).toBe(404)
})
