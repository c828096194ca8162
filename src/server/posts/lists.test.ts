import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import {
  POST_TARGETS_MAX,
  POSTS_COUNTED_MAX,
  POSTS_PAGE_DELIVERIES_MAX,
  SEARCH_WORDS_MAX,
} from '#contract/limits.ts'
import { PostFilter, type PostsQuery } from '#contract/posts.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { type Scan, explainScans, sumRows, withRecordedQueries } from '#test/support/database/explain.ts'
import { makeState, REFUSED, setState } from '#test/support/delivery-states.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { signUpToPost } from '#test/support/publish.ts'
import { type ListScope, type Page, parsePage, selectPlaces, shared } from './lists.ts'
import { postsJson } from '../deliveries/read-posts.ts'
import { listPosts, listScope } from './read.ts'

const DAY_MS = 86_400_000
/** What the server's clock shows. */
let now = Date.parse('2026-11-18T12:00:00Z')

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => now })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  now = Date.parse('2026-11-18T12:00:00Z')
  ;({ person: ada, brandId, tiktok, instagram, videoId: video } = await signUpToPost(testServer))
})

/** A post for a time in Lisbon, or for now, whose deliveries are in these states. */
async function post(
  text: string,
  local: string | null,
  ...states: (DeliveryState | null)[]
): Promise<number> {
  const accounts = [tiktok, instagram].slice(0, Math.max(1, states.length))
  const made = await ada.call('createPost', {
    body: {
      video_id: video,
      text,
      targets: accounts.map((account_id) => ({ account_id })),
      ...(local !== null && { publish_at: { local, timezone: 'Europe/Lisbon' } }),
    },
  })
  for (const [i, { delivery_id }] of made.deliveries.entries()) {
    const state = states[i]
    if (state) await setState(testServer, { delivery_id }, state)
  }
  return made.post_id
}

type Conditions = Omit<Partial<PostsQuery>, 'status' | 'limit' | 'cursor'>

const published = () => makeState('published', now)
const failed = (at = now) => makeState('failed', at)
const blocked = () => makeState('blocked', now)
const paused = () => makeState('blocked', now, { cause: 'paused' })

const searchFor = (text: string) => ada.request(`/posts?search=${encodeURIComponent(text)}`)

/** The texts under a filter, page by page. */
async function texts(status: PostFilter, limit = 2, conditions: Conditions = {}): Promise<string[]> {
  const seen: string[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const query = { status, limit, ...(cursor && { cursor }), ...conditions }
    const page = await ada.call('listPosts', { query })
    seen.push(...page.items.map(({ text }) => text))
    more = page.next_cursor !== null
    cursor = page.next_cursor ?? undefined
  }
  return seen
}

describe('a list of posts', () => {
  it('has what is to come soonest first and what is past latest first, however it was made', async () => {
    await post('friday', '2026-11-20T09:00')
    await post('thursday', '2026-11-19T09:00')
    await post('next year', '2027-01-02T09:00')
    for (const text of ['noon', 'one', 'two']) {
      await post(text, null, published())
      now += 600_000
    }
    await post('thursday too', '2026-11-19T09:00')
    await post('going out', null)

    const upcoming = ['going out', 'thursday', 'thursday too', 'friday', 'next year']
    expect(await texts('upcoming')).toEqual(upcoming)
    expect(await texts('past')).toEqual(['two', 'one', 'noon'])
    expect(await texts('all')).toEqual([...upcoming, 'two', 'one', 'noon'])
    expect(await texts('scheduled', 1)).toEqual(upcoming)
    expect(await texts('published', 1)).toEqual(['two', 'one', 'noon'])
    for (const filter of ['upcoming', 'past', 'all'] as const)
      expect(await texts(filter, 2, { brandId })).toEqual(await texts(filter, 100))
  })

  it('shows all eighteen posts of a day before any of the next, in whatever order they were made', async () => {
    const hours = Array.from({ length: 18 }, (_, i) => `2026-11-19T${String(i + 4).padStart(2, '0')}:00`)
    for (const hour of hours.toSorted((a, b) => (a.slice(-4) < b.slice(-4) ? 1 : -1))) await post(hour, hour)
    await post('the day after', '2026-11-20T09:00')
    const { items } = await ada.call('listPosts', { query: { status: 'upcoming', limit: 18 } })
    expect(items.map(({ text }) => text)).toEqual(hours)
  })

  it('has a post in one of attention, upcoming and past, also where its accounts differ', async () => {
    await post('waits and failed', '2026-11-19T09:00', null, failed())
    await post('live and held', null, published(), blocked())
    await post('live and waits', null, published(), null)
    await post('live and cancelled', null, published(), makeState('cancelled', now))
    await post('failed long ago', null, failed(now - 15 * DAY_MS))
    await post('live and failed', null, published(), failed())
    await post('draft in an inbox', null, makeState('in_inbox', now))
    await post('paused', null, paused())
    await post('paused and held', null, paused(), blocked())
    expect(await texts('attention')).toEqual([
      'paused and held',
      'live and failed',
      'live and held',
      'waits and failed',
    ])
    expect((await texts('upcoming')).toSorted()).toEqual(['live and waits', 'paused'])
    expect(await texts('past')).toEqual(['draft in an inbox', 'failed long ago', 'live and cancelled'])
    expect(await texts('in_inbox')).toEqual(['draft in an inbox'])
    expect(await texts('all')).toHaveLength(9)
    const { counts } = await ada.call('listPosts')
    expect(counts).toEqual({
      all: 9,
      attention: 4,
      scheduled: 4,
      publishing: 0,
      published: 4,
      in_inbox: 1,
      failed: 3,
      cancelled: 1,
    })
    expect((await ada.call('getOverview')).attention.total).toBe(counts.attention)
    expect((await ada.call('getUnread')).needs_attention).toBe(counts.attention)
    expect(await texts('upcoming', 1, { search: 'paused' })).toEqual(['paused'])
  })

  it('of what needs attention begins with the latest of the past, then has the soonest to come', async () => {
    await post('next week', '2026-11-25T09:00', blocked())
    await post('tomorrow', '2026-11-19T09:00', blocked())
    await post('first', null, failed())
    now += 60_000
    await post('second', null, failed())
    const order = ['second', 'first', 'tomorrow', 'next week']
    expect(await texts('attention')).toEqual(order)
    expect((await ada.call('getOverview')).attention.posts.map(({ text }) => text)).toEqual(order)
  })

  it('loses a deleted post, and refuses a cursor that it did not give', async () => {
    const postId = await post('gone', null, published())
    await ada.call('deletePost', { params: { postId } })
    expect(await texts('all')).toEqual([])
    for (const cursor of ['x', '1.2', '0.1.1.1', '-1.1.1', 'all.2.1.1', 'all.9.1.1', 'toString.0.1.1'])
      expect((await ada.request(`/posts?cursor=${cursor}`)).status).toBe(400)
  })

  it('refuses a cursor of every other filter, and takes its own, wherever it is', async () => {
    const filters = PostFilter.options
    for (const status of filters) {
      for (const of of filters) {
        const answer = await ada.request(`/posts?status=${status}&cursor=${of}.0.99999999999999.1`)
        expect([status, of, answer.status]).toEqual([status, of, status === of ? 200 : 400])
      }
    }
  })

  it('ends a page early where its posts go to many accounts, and loses none', async () => {
    const count = 12
    await sql`with a as (
        insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
        select user_id, brand_id, platform, 'many-' || n, 'nova', 'Nova', '{}', true, ''
        from accounts cross join generate_series(1, ${POST_TARGETS_MAX - 1}) n where account_id = ${tiktok} returning account_id, user_id),
      p as (
        insert into posts (user_id, video_id, text, created_at)
        select user_id, video_id, 'post ' || n, now() from videos cross join generate_series(1, ${count}::int) n
        where video_id = ${video} returning post_id, text)
      insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
      select p.post_id, a.user_id, a.account_id, 'tiktok', p.text, '{}', 'scheduled', '{"attempt":1,"dueAt":0,"reason":null,"earlier":null}',
        ${new Date(now)}, ${new Date(now)} from p cross join a`.execute(testServer.deps.db)
    const first = await ada.call('listPosts', { query: { limit: 100 } })
    const deliveries = first.items.flatMap((one) => one.deliveries)
    expect(deliveries.length).toBeGreaterThanOrEqual(POSTS_PAGE_DELIVERIES_MAX)
    expect(deliveries.length).toBeLessThan(POSTS_PAGE_DELIVERIES_MAX + POST_TARGETS_MAX)
    expect((await texts('all', 100)).toSorted()).toEqual(
      Array.from({ length: count }, (_, i) => `post ${i + 1}`).toSorted(),
    )
  })

  it('searches for a bounded number of words, each once', async () => {
    await post('lemon tart', null, published())
    expect(await texts('all', 1, { search: 'lemon '.repeat(30) })).toEqual(['lemon tart'])
    const letters = Array.from({ length: SEARCH_WORDS_MAX + 1 }, (_, i) => String.fromCharCode(97 + i))
    const symbols = Array.from({ length: SEARCH_WORDS_MAX + 1 }, (_, i) => String.fromCodePoint(0x1f600 + i))
    for (const text of [letters.join(' '), letters.join('-'), letters.join('\u3000'), symbols.join('')]) {
      const answer = await searchFor(text)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ message: `Search for up to ${SEARCH_WORDS_MAX} words.` })
    }
    expect((await searchFor(letters.slice(1).join(' '))).status).toBe(200)
  })
})

describe('conditions of a list', () => {
  it('hold together: brand, account, platform, days of the user, words', async () => {
    const other = (await ada.call('createBrand', { body: { title: 'Atlas' } })).brand_id
    const atlas = (await linkAccount(ada, { platform: 'instagram', brandId: other, creator: 'atlas' }))
      .account_id
    await post('both', '2026-11-19T09:00', null, null)
    await post('tiktok', '2026-11-20T09:00')
    await post('live', null, published())
    await ada.call('createPost', {
      body: {
        video_id: video,
        text: 'atlas',
        targets: [{ account_id: atlas }],
        publish_at: { local: '2026-11-20T23:59', timezone: 'Europe/Lisbon' },
      },
    })
    const table: [Conditions, string[]][] = [
      [{ brandId }, ['both', 'tiktok', 'live']],
      [{ brandId: other }, ['atlas']],
      [{ accountId: instagram }, ['both']],
      [{ platform: 'instagram' }, ['both', 'atlas']],
      [{ platform: 'instagram', brandId }, ['both']],
      [{ accountId: tiktok, platform: 'instagram' }, []],
      [{ from: '2026-11-20', to: '2026-11-20' }, ['tiktok', 'atlas']],
      [{ from: '2026-11-21' }, []],
      [{ to: '2026-11-19' }, ['both', 'live']],
      [{ from: '2026-11-20', platform: 'tiktok' }, ['tiktok']],
      [{ search: 'T' }, ['tiktok']],
      [{ search: 'a', platform: 'tiktok' }, []],
    ]
    for (const [conditions, found] of table) {
      expect(await texts('all', 1, conditions), JSON.stringify(conditions)).toEqual(found)
      const { counts } = await ada.call('listPosts', { query: conditions })
      expect(counts.all, JSON.stringify(conditions)).toBe(found.length)
    }
    expect(await texts('past', 1, { search: 'live' })).toEqual(['live'])
  })

  it('are days of the zone that is asked for, else of the user, not of the server', async () => {
    await ada.call('setTimezone', { body: { timezone: 'Pacific/Auckland' } })
    await post('late in Lisbon', '2026-11-19T20:00')
    expect(await texts('all', 1, { to: '2026-11-19' })).toEqual([])
    expect(await texts('all', 1, { from: '2026-11-20' })).toEqual(['late in Lisbon'])
    expect(await texts('all', 1, { from: '2026-11-20', timezone: 'Europe/Lisbon' })).toEqual([])
  })

  it('find a post that needs attention only by its own words', async () => {
    await post('burnt tart', null, failed())
    await post('burnt bread', null, failed())
    expect(await texts('attention', 1, { search: 'tart' })).toEqual(['burnt tart'])
    expect(await texts('attention', 1, { platform: 'instagram' })).toEqual([])
    expect(await texts('past', 1, { search: 'burnt' })).toEqual([])
  })

  it('take only what is theirs, and days that there are', async () => {
    const eve = await signUp(testServer)
    await post('croissants', null)
    for (const query of [{ brandId }, { accountId: tiktok }])
      await expect(eve.call('listPosts', { query })).rejects.toThrow('404')
    for (const query of [{}, { search: 'croissants' }])
      expect(await eve.call('listPosts', { query })).toMatchObject({ items: [], counts: { all: 0 } })
    for (const query of ['from=2026-02-30', 'to=9999-12-31', 'platform=x', `search=${'a'.repeat(201)}`])
      expect((await ada.request(`/posts?${query}`)).status, query).toBe(400)
  })

  it.each([
    ['CROISS', true],
    ['fold croissants', true],
    ['croissants fold', true],
    ['cafe', true],
    ['Café', true],
    ['northwind', true],
    ['@northwind.bakes', true],
    ['#sourdough', true],
    ['400', true],
    ['東京', true],
    ['oissants', false],
    ['fold bread', false],
    ["' | 'x", false],
    ['🥐', true],
    ['🍕', false],
    ['レモン', true],
    ['モンタルト 柠檬', true],
    ['ンタルトレ', false],
    ['来尝尝柠檬蛋糕吧好', true],
    ['มะนาว', true],
    ['οδός', true],
    ['STRASSE', true],
    ['\\ & ! ( :* ', false],
    ['   ', true],
  ])('search captions for %j', async (search, isFound) => {
    await post(
      'How we fold 400 croissants at the CAFÉ.\n\n@northwind.bakes #sourdough 東京にて 🥐 美味しいレモンタルト 快来尝尝柠檬蛋糕吧好吃 ทาร์ตมะนาวอร่อย ΟΔΟΣ Straße',
      null,
    )
    expect(await texts('all', 10, { search })).toHaveLength(isFound ? 1 : 0)
  })

  it('find a changed post by its new words, once, at the time of each of its accounts', async () => {
    const postId = await post('first words', '2026-11-19T09:00', published(), null)
    const { version, goes_out_at: before } = await ada.call('getPost', { params: { postId } })
    expect(before).toBe('2026-11-19T09:00:00.000Z')
    await ada.call('editPost', {
      params: { postId },
      body: {
        version,
        targets: [{ account_id: tiktok }, { account_id: instagram, text: 'second thoughts' }],
        publish_at: { local: '2026-11-21T10:00', timezone: 'Europe/Lisbon' },
      },
    })
    expect(await texts('all', 10, { search: 'thoughts' })).toEqual(['first words'])
    expect(await texts('all', 10)).toEqual(['first words'])
    const { items, counts } = await ada.call('listPosts')
    expect(items.map(({ goes_out_at }) => goes_out_at)).toEqual(['2026-11-21T10:00:00.000Z'])
    expect(counts.all).toBe(1)
  })

  it("search each account's own caption too, and no longer that of a deleted post", async () => {
    const { post_id: postId } = await ada.call('createPost', {
      body: {
        video_id: video,
        text: 'shared words',
        targets: [{ account_id: tiktok }, { account_id: instagram, text: 'only instagram' }],
        publish_at: { local: '2026-11-20T09:00', timezone: 'Europe/Lisbon' },
      },
    })
    expect(await texts('all', 1, { search: 'only' })).toEqual(['shared words'])
    expect(await texts('all', 1, { search: 'shared only' })).toEqual(['shared words'])
    await ada.call('deletePost', { params: { postId } })
    expect(await texts('all', 1, { search: 'only' })).toEqual([])
  })
})

const isOfPosts = ({ table }: Scan) => ['deliveries', 'posts', 'follow_ups', 'post_words'].includes(table)

describe('beside ten thousand posts', () => {
  /** Few enough for `analyze` to look at each of them, so that the plans are the same in every run. */
  const MANY = 10_000
  /** Of what was to be added to live posts, what failed lately: the rest succeeded or failed long ago. */
  const FOLLOW_UPS = 20

  it('a page is read from an index, and no more rows than it shows and counts', async () => {
    const { user_id } = await ada.call('getUser')
    await seed(user_id)
    await withRecordedQueries(testServer.env['DATABASE_URL'], 'goes_out_at', async (db, statements) => {
      const user = { user_id, timezone: 'Europe/Lisbon' }
      const pages: { scope: ListScope; page: Page }[] = []
      for (const filter of ['attention', 'upcoming', 'past', 'all', 'failed'] as const)
        for (const [conditions, ofScope] of [
          [{}, {}],
          [{ brandId }, { brandId }],
          [
            { platform: 'tiktok', from: '2026-11-01' },
            { platform: 'tiktok', from: Date.parse('2026-11-01') },
          ],
        ] as const) {
          const asked = { status: filter, ...conditions, limit: 30, now }
          const scope = { ...listScope(user, now), ...ofScope }
          const { next_cursor: cursor, counts } = await listPosts(db, user, asked)
          expect(counts.all).toBe(POSTS_COUNTED_MAX)
          expect(counts.attention).toBe(FOLLOW_UPS)
          pages.push({ scope, page: parsePage({ filter, limit: 30 }) })
          if (cursor === null) continue
          await listPosts(db, user, { ...asked, cursor })
          pages.push({ scope, page: parsePage({ filter, cursor, limit: 30 }) })
        }
      const found = await listPosts(db, user, { status: 'all', search: '777', limit: 30, now })
      expect(found.counts.all).toBe(11)
      const page = parsePage({ filter: 'all', limit: 30 })
      pages.push({ scope: { ...listScope(user, now), search: '777' }, page })
      for (const query of statements.splice(0)) {
        const scans = await explainScans(db, query)
        const ofPosts = scans.filter(isOfPosts)
        expect(ofPosts, query.sql).not.toContainEqual(expect.objectContaining({ kind: 'Seq Scan' }))
        expect(sumRows(ofPosts), query.sql).toBeLessThan(6 * POSTS_COUNTED_MAX)
        expect(sumRows(scans), query.sql).toBeLessThan(8 * POSTS_COUNTED_MAX)
      }
      for (const one of pages) {
        const query = sql`with ${shared(one.scope)}, ${selectPlaces(one.scope, 'place', one.page)}
          select ${postsJson(user_id, sql`select post_id from place`)}`.compile(db)
        expect(sumRows(await explainScans(db, query)), query.sql).toBeLessThan(500)
      }
      expect(pages.filter((one) => one.page.from.after !== null)).toHaveLength(4 * 3)
    })
  })

  /** Half of it is to come, half is past; of the past one in a hundred failed long ago. */
  async function seed(userId: number): Promise<void> {
    await sql`
      with made as (
        insert into posts (user_id, video_id, text, created_at)
        select ${userId}, ${video}, 'post ' || i, ${new Date(now)}::timestamptz + (i - ${MANY / 2}::int) * interval '7 minutes'
        from generate_series(1, ${MANY}::int) i returning post_id, text, created_at)
      insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
      select post_id, ${userId}, ${tiktok}, 'tiktok', text, '{}', state,
        case state when 'scheduled' then '{"attempt":1,"dueAt":0,"reason":null,"earlier":null}'::jsonb
          when 'failed' then jsonb_build_object('attempt', 1, 'at', 1, 'reason', ${JSON.stringify(REFUSED)}::jsonb)
          else '{"attempt":1,"at":1,"postId":null,"url":null,"afterAll":false}'::jsonb end,
        case state when 'scheduled' then created_at end, created_at
      from (select *, case when created_at > ${new Date(now)} then 'scheduled' when post_id % 100 = 0 then 'failed'
              else 'published' end as state from made) as m`.execute(testServer.deps.db)
    await sql`
      insert into follow_ups (delivery_id, user_id, kind, state, data, attention_at)
      select delivery_id, user_id, 'first_comment', 'failed',
        jsonb_build_object('at', 1, 'calledAt', null, 'reason', ${JSON.stringify(REFUSED)}::jsonb), case when nth <= ${FOLLOW_UPS} then ${new Date(now)}::timestamptz
        when nth % 2 = 0 then ${new Date(now - 30 * DAY_MS)}::timestamptz end
      from (select *, row_number() over (order by delivery_id desc) as nth from deliveries where state = 'published') as live
    `.execute(testServer.deps.db)
    await sql`
      insert into post_words (post_id, words)
      select post_id, array_to_tsvector(search_words(user_id, text)) from posts on conflict do nothing`.execute(
      testServer.deps.db,
    )
    // Another user's thousand brands of an account each: the planner then expects fewer accounts in a brand than there are.
    await sql`
      with other as (insert into users (uid, email, nickname, timezone)
          values ('other', 'other@example.com', 'Other', 'UTC') returning user_id),
        own as (insert into brands (user_id, title)
          select user_id, 'Bakery ' || n from other, generate_series(1, 1000) n returning user_id, brand_id)
      insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
      select user_id, brand_id, 'tiktok', 'other-' || brand_id, 'nova', 'Nova', '{}', true, '' from own`.execute(
      testServer.deps.db,
    )
    await sql`analyze users, brands, accounts, posts, deliveries, follow_ups, post_words`.execute(
      testServer.deps.db,
    )
  }
})
