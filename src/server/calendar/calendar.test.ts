import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CalendarStatus } from '#contract/planning/calendar.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { CALENDAR_POSTS_MAX } from '#contract/limits.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { explainScans, sumRows, withRecordedQueries } from '#test/support/database/explain.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import { signUpToPost } from '#test/support/publish.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { readCalendar } from './read-calendar.ts'

const NOW = Date.parse('2026-10-20T12:00:00Z')

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ;({ person: ada, brandId, tiktok, instagram, videoId: video } = await signUpToPost(testServer))
})

/** A post for a time in Lisbon, whose deliveries are in these states; null: as they were made. */
async function post(local: string, accounts: AccountId[], ...states: (DeliveryState | null)[]) {
  const made = await ada.call('createPost', {
    body: {
      video_id: video,
      text: local,
      targets: accounts.map((account_id) => ({ account_id })),
      publish_at: { local, timezone: 'Europe/Lisbon' },
    },
  })
  for (const [i, { delivery_id }] of made.deliveries.entries()) {
    const state = states[i]
    if (state) await setState(testServer, { delivery_id }, state)
  }
  return made
}

const saveDraft = (draftId: string, change: Partial<DraftContent>) =>
  ada.call('saveDraft', {
    params: { draftId },
    body: {
      version: 0,
      content: { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null, ...change },
    },
  })
const draftId = (nth: number) => `0b8e2a5c-5f3c-4a57-9b0e-6a4f3d2c1b0${nth}`
const target = (account_id: AccountId) => ({ account_id, text: null, options: null })

const published = makeState('published', NOW)
const failed = makeState('failed', NOW)
const cancelled = makeState('cancelled', NOW)
const processing = makeState('processing', NOW)
const held = (isAsked = false) =>
  makeState('blocked', NOW, { dueAt: NOW, earlier: isAsked ? { session: {}, since: NOW, looks: 0 } : null })

/** The last week of summer time in Lisbon: its Sunday has 25 hours. */
const WEEK = { from: '2026-10-19', days: 7 }
type Filter = { brandId?: BrandId; accountId?: AccountId; status?: CalendarStatus; timezone?: string }
const look = (query: Filter = {}) => ada.call('getCalendar', { query: { ...WEEK, ...query } })
const texts = async (query: Filter = {}) => (await look(query)).posts.map(({ text }) => text)

describe('the days of a calendar', () => {
  it('begin and end at midnight of the zone asked for, also where the clocks change', async () => {
    await post('2026-10-25T23:59', [tiktok])
    await post('2026-10-26T00:00', [tiktok])
    await post('2026-10-21T00:30', [tiktok])
    expect(await texts()).toEqual(['2026-10-21T00:30', '2026-10-25T23:59'])
    expect(await texts({ timezone: 'Asia/Tokyo' })).toEqual(['2026-10-21T00:30'])
    expect((await look({ timezone: 'Asia/Tokyo' })).timezone).toBe('Asia/Tokyo')
    expect((await look()).timezone).toBe('Europe/Lisbon')
  })

  it.each([
    ['from=2026-02-30&days=7'],
    ['from=2026-10-19&days=43'],
    ['from=2026-10-19&days=0'],
    ['from=1970-01-01&days=7'],
    ['from=2026-10-19&days=7&timezone=Nowhere'],
  ])('are refused where they are none: %s', async (query) => {
    expect((await ada.request(`/calendar?${query}`)).status).toBe(400)
  })

  it('are the user’s own: another’s brand or account is not found', async () => {
    await post('2026-10-21T09:00', [tiktok])
    await saveDraft(draftId(1), { publish_at: { local: '2026-10-21T10:00', timezone: 'Europe/Lisbon' } })
    const eve = await signUp(testServer, 'Eve')
    expect(await eve.call('getCalendar', { query: WEEK })).toMatchObject({ posts: [], drafts: [] })
    for (const of of [`brandId=${brandId}`, `accountId=${tiktok}`])
      expect((await eve.request(`/calendar?from=2026-10-19&days=7&${of}`)).status).toBe(404)
  })
})

describe('a post of the calendar', () => {
  it('carries the time, the marks, the brand and the words that a chip shows', async () => {
    const second = (await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })).account_id
    const made = await post('2026-10-21T09:00', [tiktok, instagram, second])
    expect((await look()).posts).toEqual([
      {
        post_id: made.post_id,
        version: 1,
        timezone: 'Europe/Lisbon',
        at: '2026-10-21T08:00:00.000Z',
        last_at: '2026-10-21T08:00:00.000Z',
        post_at: '2026-10-21T08:00:00.000Z',
        text: '2026-10-21T09:00',
        poster_url: null,
        brand_id: brandId,
        marks: [
          { platform: 'tiktok', accounts: 2 },
          { platform: 'instagram', accounts: 1 },
        ],
        slot: null,
        status: 'scheduled',
        settled: false,
        held_for: null,
        fixed: null,
      },
    ])
  })

  it.each([
    ['waits', [null], 'scheduled', true],
    ['is held', [held()], 'blocked', true],
    ['is held after an attempt of which the platform is asked', [held(true)], 'blocked', false],
    ['failed', [failed], 'failed', false],
    ['is live', [published], 'published', false],
    ['is going out', [processing, published], 'processing', false],
    ['is live here and failed there', [published, failed], 'failed', false],
    ['is live here and waits there', [published, null], 'scheduled', true],
    ['was cancelled here and waits there', [cancelled, null], 'scheduled', true],
  ] as const)('that %s shows what most needs a look', async (_what, states, status, isMovable) => {
    await post('2026-10-21T09:00', [tiktok, instagram].slice(0, states.length), ...states)
    const [one] = (await look()).posts
    expect(one?.status).toBe(status)
    expect(one?.held_for).toBe(status === 'blocked' ? 'account' : null)
    expect(one?.fixed === null).toBe(isMovable)
  })

  it('whose accounts get it one after the other is there once, and once more an hour or more later', async () => {
    const others: AccountId[] = []
    for (const creator of ['atlas', 'quiet'])
      others.push((await linkAccount(ada, { platform: 'tiktok', brandId, creator })).account_id)
    await ada.call('createPost', {
      body: {
        video_id: video,
        text: 'Spread',
        targets: [tiktok, instagram, ...others].map((account_id, nth) => ({
          account_id,
          after_minutes: [0, 59, 118, 178][nth],
        })),
        publish_at: { local: '2026-10-21T09:00', timezone: 'Europe/Lisbon' },
      },
    })
    const { posts } = await look()
    expect(
      posts.map(({ at, last_at, post_at }) => [at, last_at, post_at].map((time) => time.slice(11, 16))),
    ).toEqual([
      ['08:00', '09:58', '08:00'],
      ['10:58', '10:58', '08:00'],
    ])
    expect(posts[0]?.marks).toEqual([
      { platform: 'tiktok', accounts: 2 },
      { platform: 'instagram', accounts: 1 },
    ])
  })

  it('is found by its brand, an account, and the status that it shows', async () => {
    const other = (await ada.call('createBrand', { body: { title: 'Harbour' } })).brand_id
    const elsewhere = (await linkAccount(ada, { platform: 'tiktok', brandId: other, creator: 'atlas' }))
      .account_id
    await post('2026-10-21T09:00', [tiktok, elsewhere])
    await post('2026-10-22T09:00', [instagram], published)
    await post('2026-10-23T09:00', [tiktok], cancelled)
    expect(await texts()).toEqual(['2026-10-21T09:00', '2026-10-22T09:00'])
    expect(await texts({ brandId: other })).toEqual(['2026-10-21T09:00'])
    expect(await texts({ brandId })).toEqual(['2026-10-21T09:00', '2026-10-22T09:00'])
    expect(await texts({ accountId: instagram })).toEqual(['2026-10-22T09:00'])
    expect(await texts({ accountId: instagram, brandId: other })).toEqual([])
    expect(await texts({ status: 'published' })).toEqual(['2026-10-22T09:00'])
    expect(await texts({ status: 'cancelled' })).toEqual(['2026-10-23T09:00'])
    expect(await texts({ status: 'draft' })).toEqual([])
    expect((await look()).posts[0]?.brand_id).toBeNull()
  })

  it('that was deleted is gone', async () => {
    const { post_id } = await post('2026-10-21T09:00', [tiktok])
    await ada.call('deletePost', { params: { postId: post_id } })
    expect(await texts()).toEqual([])
  })
})

it('a caption of more than 80 characters is cut, and shows that it is', async () => {
  const publish_at = { local: '2026-10-21T05:30', timezone: 'Europe/Lisbon' }
  const caption = `${'word '.repeat(15)}#cookie`
  await saveDraft(draftId(1), { text: caption.slice(0, 80), publish_at })
  await saveDraft(draftId(2), { text: caption, publish_at })
  const drafts = (await look()).drafts.map(({ text }) => text)
  expect(drafts.toSorted()).toEqual([caption.slice(0, 80), `${'word '.repeat(15)}#coo…`])
})

describe('a draft of the calendar', () => {
  it('is at the time that it proposes, in that time’s own zone', async () => {
    const publish_at = { local: '2026-10-20T05:30', timezone: 'Asia/Tokyo' }
    await saveDraft(draftId(1), {
      text: 'Night market',
      video_id: video,
      targets: [target(tiktok)],
      publish_at,
    })
    await saveDraft(draftId(2), { text: 'no time' })
    await saveDraft(draftId(3), { text: 'later', publish_at: { ...publish_at, local: '2026-11-01T09:00' } })
    expect((await look()).drafts).toEqual([
      {
        draft_id: draftId(1),
        version: 1,
        publish_at,
        at: '2026-10-19T20:30:00.000Z',
        text: 'Night market',
        poster_url: null,
        brand_id: brandId,
        marks: [{ platform: 'tiktok', accounts: 1 }],
        slot: null,
      },
    ])
    expect((await look({ status: 'draft', accountId: tiktok })).drafts).toHaveLength(1)
    expect((await look({ accountId: instagram })).drafts).toEqual([])
    expect((await look({ status: 'failed' })).drafts).toEqual([])
    await ada.call('deleteDraft', { params: { draftId: draftId(1) } })
    expect((await look()).drafts).toEqual([])
  })
})

it('the free slots of the schedules are drawn, unless an account or a status is asked for', async () => {
  const slots = [
    { weekday: 1, time: '09:00', platforms: null },
    { weekday: 3, time: '18:00', platforms: null },
  ]
  const body = { brand_id: brandId, name: 'Daily', slots, jitter_minutes: 0 }
  const { schedule_id } = await ada.call('createSchedule', { body })
  // Monday's has passed.
  expect((await look()).slots).toEqual([
    {
      schedule_id,
      schedule_name: 'Daily',
      brand_id: brandId,
      local: '2026-10-21T18:00',
      timezone: 'Europe/Lisbon',
      at: '2026-10-21T17:00:00.000Z',
      platforms: null,
    },
  ])
  expect((await look({ brandId })).slots).toHaveLength(1)
  expect((await look({ accountId: tiktok })).slots).toEqual([])
  expect((await look({ status: 'draft' })).slots).toEqual([])
})

it('a slot is not drawn where its brand has a post by hand, unless that is cancelled', async () => {
  const slots = [{ weekday: 3, time: '18:00', platforms: null }]
  await ada.call('createSchedule', {
    body: { brand_id: brandId, name: 'Daily', slots, jitter_minutes: 0 },
  })
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Harbour' } })
  await ada.call('createSchedule', { body: { brand_id, name: 'Weekly', slots, jitter_minutes: 0 } })
  const { deliveries } = await post('2026-10-21T18:00', [tiktok])
  expect((await look()).slots).toMatchObject([{ schedule_name: 'Weekly' }])
  for (const { delivery_id: deliveryId } of deliveries)
    await ada.call('cancelDelivery', { params: { deliveryId } })
  expect((await look()).slots).toHaveLength(2)
})

it('a post names the slot of a schedule that it has, and a draft the one that it is to take', async () => {
  const week = [{ weekday: 3, time: '18:00', platforms: null }]
  const { schedule_id } = await ada.call('createSchedule', {
    body: { brand_id: brandId, name: 'Daily', slots: week, jitter_minutes: 30 },
  })
  const slot = { local: '2026-10-21T18:00', timezone: 'Europe/Lisbon' }
  const schedule = { schedule_id, place: 'slot' as const, slot }
  await saveDraft(draftId(1), { text: 'Night market', targets: [target(tiktok)], schedule })
  expect(await look()).toMatchObject({
    drafts: [{ publish_at: slot, at: '2026-10-21T17:00:00.000Z', slot: { schedule_id, ...slot } }],
    slots: [{ schedule_id, ...slot }],
  })
  expect((await ada.call('listDrafts', { query: {} })).items).toMatchObject([{ planned: true }])
  const targets = [{ account_id: tiktok }]
  await ada.call('createPost', { body: { video_id: video, text: 'Door one', targets, schedule } })
  expect(await look()).toMatchObject({
    posts: [{ text: 'Door one', slot: { schedule_id, ...slot } }],
    drafts: [{ slot: { schedule_id, ...slot } }],
    slots: [],
  })
})

describe('beside ten thousand other posts', () => {
  const MANY = 10_000

  it('a week is read from an index, and no more rows than it shows', async () => {
    const { user_id } = await ada.call('getUser')
    await seed(user_id)
    await withRecordedQueries(testServer.env['DATABASE_URL'], 'goes_out_at', async (db, statements) => {
      const user = { user_id, timezone: 'UTC' }
      for (const filter of [{}, { brandId }, { accountId: tiktok }]) {
        const { posts, more } = await readCalendar(db, user, { ...WEEK, ...filter, now: NOW })
        expect([posts.length, more]).toEqual([7 * 48, false])
      }
      expect(statements).toHaveLength(3)
      for (const query of statements.splice(0)) {
        const scans = await explainScans(db, query)
        for (const table of ['deliveries', 'posts']) {
          expect(scans, query.sql).not.toContainEqual(expect.objectContaining({ kind: 'Seq Scan', table }))
          expect(sumRows(scans.filter((scan) => scan.table === table)), query.sql).toBeLessThan(3 * 7 * 48)
        }
      }
      const all = await readCalendar(db, user, {
        from: '2026-09-01',
        days: 42,
        timezone: 'UTC',
        now: NOW,
      })
      expect([all.posts.length, all.more]).toEqual([42 * 48, false])
      await sql`update deliveries set goes_out_at = ${new Date(NOW)} where user_id = ${user_id}`.execute(db)
      const full = await readCalendar(db, user, { ...WEEK, now: NOW })
      expect([full.posts.length, full.more]).toEqual([CALENDAR_POSTS_MAX, true])
    })
  })

  /** One every half hour, half of them to come. */
  async function seed(userId: number): Promise<void> {
    await sql`
      with made as (
        insert into posts (user_id, video_id, text, created_at)
        select ${userId}, ${video}, 'post ' || i, '2026-10-20T12:00:00Z'::timestamptz + (i - ${MANY / 2}::int) * interval '30 minutes'
        from generate_series(1, ${MANY}::int) i returning post_id, text, created_at)
      insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
      select post_id, ${userId}, ${tiktok}, 'tiktok', text, '{}', state, '{}'::jsonb,
        case state when 'scheduled' then created_at end, created_at
      from (select *, case when created_at > ${new Date(NOW)} then 'scheduled' else 'published' end as state from made) as m
    `.execute(testServer.deps.db)
    await sql`analyze posts, deliveries, accounts`.execute(testServer.deps.db)
  }
})
