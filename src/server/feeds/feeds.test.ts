import ICAL from 'ical.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { FEED_DELIVERIES_MAX, POST_TARGETS_MAX } from '#contract/limits.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  resetPassword,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { feedPostsQuery } from './store.ts'

const START = Date.parse('2026-10-20T12:00:00Z')
const DAY_MS = 86_400_000
let now = START

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => now })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  now = START
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind, Oslo' } })).brand_id
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  video = (await uploadVideo(ada)).video_id
})

const post = (text: string, local: string, accounts = [tiktok]) =>
  ada.call('createPost', {
    body: {
      video_id: video,
      text,
      targets: accounts.map((account_id) => ({ account_id })),
      publish_at: { local, timezone: 'Europe/Lisbon' },
    },
  })

const params = () => ({ params: { brandId } })
async function makeFeed(): Promise<string> {
  const { url } = await ada.call('createFeed', params())
  expect(url).toMatch(new RegExp(`^${testServer.config.publicUrl}/feeds/[\\w-]{43}\\.ics$`))
  return url.replace(testServer.config.publicUrl, testServer.url)
}
async function read(url: string) {
  const answer = await fetch(url)
  const calendar = ICAL.Component.fromString(await answer.text())
  return calendar.getAllSubcomponents('vevent').map((event) => {
    const { uid, summary, description, startDate } = new ICAL.Event(event)
    return { uid, summary, description, at: startDate.toJSDate().toISOString() }
  })
}

async function statusesOf(times: number, url: string, how: RequestInit = {}) {
  const answers = await Promise.all(Array.from({ length: times }, () => fetch(url, how)))
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, those]) => [status, those.length]),
  )
}

describe("a brand's calendar feed", () => {
  it.each<[string, () => Promise<unknown>]>([
    ['log out everywhere', () => ada.call('signOutEverywhere')],
    ['reset the password', () => resetPassword(testServer, ada.email)],
  ])('ends once its user has %s, and so does a playback address', async (_what, endSessions) => {
    const url = await makeFeed()
    const playback = await ada.call('createPlayback', { params: { videoId: video } })
    const media = new URL(playback.url, testServer.url)
    expect([(await fetch(url)).status, (await fetch(media)).status]).toEqual([200, 200])
    await endSessions()
    expect([(await fetch(url)).status, (await fetch(media)).status]).toEqual([404, 404])
    // Tokens of the same second are void.
    now += 1000
    ada = await signIn(testServer, ada.email)
    expect(await ada.call('getFeed', params())).toEqual({ created_at: null })
    const next = await ada.call('createPlayback', { params: { videoId: video } })
    expect((await fetch(new URL(next.url, testServer.url))).status).toBe(200)
    expect((await fetch(await makeFeed())).status).toBe(200)
  })

  it('has the posts of its accounts with what becomes of them', async () => {
    const other = (await ada.call('createBrand', { body: { title: 'Alpine' } })).brand_id
    const luna = await linkAccount(ada, { platform: 'tiktok', brandId: other, creator: 'atlas' })
    const both = await post('Lemon; tart\nWarm, "with" cream', '2026-12-24T18:30', [tiktok, luna.account_id])
    await post('Not ours', '2026-12-24T19:30', [luna.account_id])
    const cancelled = await post('Cancelled', '2026-12-24T20:30')
    await ada.call('cancelDelivery', { params: { deliveryId: cancelled.deliveries[0]?.delivery_id ?? 0 } })
    const gone = await post('Deleted', '2026-12-24T21:30')
    await ada.call('deletePost', { params: { postId: gone.post_id } })
    await post('', '2026-12-25T08:00')

    const url = await makeFeed()
    const { filename } = both.video
    const { host } = new URL(testServer.config.publicUrl)
    expect(await read(url)).toEqual([
      {
        uid: `post-${both.post_id}@${host}`,
        summary: 'Lemon; tart',
        description: 'Lemon; tart\nWarm, "with" cream\n\nTikTok @nova: Scheduled',
        at: '2026-12-24T18:30:00.000Z',
      },
      expect.objectContaining({ summary: filename, description: 'TikTok @nova: Scheduled' }),
    ])
    const answer = await fetch(url)
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(await answer.text()).toContain('X-WR-CALNAME:Northwind\\, Oslo (Reelay)\r\n')
  })

  it('goes from 30 days ago to a year ahead', async () => {
    await post('Soon', '2026-10-20T14:00')
    await post('Late', '2027-10-19T12:00')
    const url = await makeFeed()
    const summaries = async () => (await read(url)).map(({ summary }) => summary)
    expect(await summaries()).toEqual(['Soon', 'Late'])
    now = START + 20 * DAY_MS
    expect(await summaries()).toEqual(['Soon', 'Late'])
    now = START + 31 * DAY_MS
    expect(await summaries()).toEqual(['Late'])
    now = START - 40 * DAY_MS
    expect(await summaries()).toEqual(['Soon'])
  })

  it('is not sent again to who has it already', async () => {
    const url = await makeFeed()
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const again = (tags = etag) => fetch(url, { headers: { 'if-none-match': tags } })
    // A proxy that compresses makes the tag weak.
    for (const tags of [etag, `W/${etag}`, `"other", W/${etag}`, '*'])
      expect([tags, (await again(tags)).status]).toEqual([tags, 304])
    await post('New', '2026-12-24T18:30')
    expect((await again()).status).toBe(200)
  })

  it('has the captions that go out to its accounts, each with these accounts', async () => {
    const atlas = await linkAccount(ada, { platform: 'instagram', brandId, creator: 'atlas' })
    const other = (await ada.call('createBrand', { body: { title: 'Alpine' } })).brand_id
    const theirs = await linkAccount(ada, { platform: 'tiktok', brandId: other, creator: 'atlas' })
    await ada.call('createPost', {
      body: {
        video_id: video,
        text: 'Nobody gets this',
        targets: [
          { account_id: tiktok, text: '' },
          { account_id: atlas.account_id, text: 'Tart\twith cream' },
          { account_id: theirs.account_id, text: 'For another brand' },
        ],
        publish_at: { local: '2026-12-24T18:30', timezone: 'Europe/Lisbon' },
      },
    })
    const [event] = await read(await makeFeed())
    expect(event).toMatchObject({
      summary: 'Tart\twith cream',
      description: 'TikTok @nova: Scheduled\n\nTart\twith cream\n\nInstagram @atlas: Scheduled',
    })
  })

  it('lasts until the last of its accounts has it, and says how much later each gets it', async () => {
    const { account_id: instagram } = await linkAccount(ada, { platform: 'instagram', brandId })
    await ada.call('createPost', {
      body: {
        video_id: video,
        text: 'Spread',
        targets: [{ account_id: tiktok }, { account_id: instagram, after_minutes: 45 }],
        publish_at: { local: '2026-12-24T18:30', timezone: 'Europe/Lisbon' },
      },
    })
    const feed = await makeFeed()
    expect(await (await fetch(feed)).text()).toContain('DTSTART:20261224T183000Z\r\nDTEND:20261224T193000Z')
    const [event] = await read(feed)
    expect(event?.description).toBe(
      'Spread\n\nTikTok @nova: Scheduled\nInstagram @nova: Scheduled, 45 min later',
    )
  })

  it('ends with its address: by a new one, by its user, and with its brand', async () => {
    expect(await ada.call('getFeed', params())).toEqual({ created_at: null })
    const first = await makeFeed()
    expect(await ada.call('getFeed', params())).toEqual({ created_at: new Date(START).toISOString() })
    const second = await makeFeed()
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200])
    await ada.call('deleteFeed', params())
    expect((await fetch(second)).status).toBe(404)
    expect(await ada.call('getFeed', params())).toEqual({ created_at: null })
    await ada.call('deleteFeed', params())

    const third = await makeFeed()
    await ada.call('deleteBrand', { params: { brandId }, query: { cancel_posts: 0 } })
    expect((await fetch(third)).status).toBe(404)
  })

  it('is found by no guess, and its address is nowhere in the database', async () => {
    const url = await makeFeed()
    const token = /([\w-]{43})\.ics$/.exec(url)?.[1] ?? ''
    const { rows } = await sql<{ row: string }>`select to_json(f)::text as row from calendar_feeds f`.execute(
      testServer.deps.db,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain(token)
    const wrong = [
      `${'A'.repeat(43)}.ics`,
      'x.ics',
      token,
      `${token}.icsx`,
      `${token.slice(1)}.ics`,
      '%00.ics',
    ]
    for (const name of wrong) {
      const answer = await fetch(`${testServer.url}/feeds/${name}`)
      expect([name, answer.headers.get('content-type')?.includes('text/calendar')]).toEqual([name, false])
    }
  })

  it('and its callers are rate-limited', async () => {
    const [url, other] = [await makeFeed(), `${testServer.url}/feeds/x.ics`]
    const from = { headers: { 'x-forwarded-for': '203.0.113.7' } }
    expect(await statusesOf(31, url)).toEqual({ 200: 30, 429: 1 })
    expect((await fetch(url)).headers.get('retry-after')).toBe('60')
    expect(await statusesOf(121, other, from)).toEqual({ 404: 120, 429: 1 })
    expect((await fetch(other)).status).toBe(404)
    now += 60_000
    expect([(await fetch(url)).status, (await fetch(other, from)).status]).toEqual([200, 404])
  })

  it('has fewer posts where they go to many accounts, the soonest of those to come', async () => {
    const { db } = testServer.deps
    const count = 60
    await sql`with a as (
        insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
        select user_id, brand_id, platform, 'many-' || n, 'nova', 'Nova', '{}', true, ''
        from accounts cross join generate_series(1, ${POST_TARGETS_MAX}::int) n where account_id = ${tiktok} returning account_id, user_id),
      p as (
        insert into posts (user_id, video_id, text, created_at)
        select user_id, video_id, 'post', ${new Date(now)}::timestamptz + n * interval '1 hour'
        from videos cross join generate_series(1, ${count}::int) n where video_id = ${video} returning post_id, created_at)
      insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
      select p.post_id, a.user_id, a.account_id, 'tiktok', 'post', '{}', 'scheduled', '{"attempt":1,"dueAt":0,"reason":null,"earlier":null}',
        p.created_at, p.created_at from p cross join a`.execute(db)
    const events = await read(await makeFeed())
    expect(events).toHaveLength(FEED_DELIVERIES_MAX / POST_TARGETS_MAX)
    expect(events[0]?.at).toBe(new Date(now + 3_600_000).toISOString())
  })

  it('reads no more than it shows, whatever else there is', async () => {
    const { db } = testServer.deps
    const { post_id: postId } = await post('Template', '2026-12-24T18:30')
    // Old, published posts.
    await sql`with old as (
        insert into posts (user_id, video_id, text, created_at)
        select p.user_id, p.video_id, 'Old', p.created_at - i * interval '1 minute' - interval '60 days'
        from posts p, generate_series(1, 5000) as i where p.post_id = ${postId} returning post_id, created_at)
      insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, goes_out_at)
      select old.post_id, d.user_id, d.account_id, d.platform, 'Old', d.options, 'published', d.data, old.created_at
      from deliveries d, old where d.post_id = ${postId}`.execute(db)
    await sql`analyze deliveries`.execute(db)
    const stretch = { brandId, from: now - 30 * DAY_MS, to: now + 365 * DAY_MS, limit: 1000 }
    const scans = await explainScans(db, feedPostsQuery({ ...stretch, first: 'soonest' }).compile(db))
    expect(sumRows(scans.filter(({ table }) => ['posts', 'deliveries'].includes(table)))).toBeLessThan(20)
  })
})
