/**
 * Every call of the contract at its limits, by a user who has as much as a user may have: the longest time that the server's event
 * loop was held up, and its longest statement; what all its statements take together is no promise, since others have their turns
 * between them. `npm run bench -- limits [turns]`
 */
import { type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { API, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import {
  ACCOUNTS_MAX,
  ACCOUNTS_PER_BRAND_MAX,
  ALL_SLOTS_MAX,
  BRANDS_MAX,
  CALENDAR_DAYS_MAX,
  CALENDAR_POSTS_MAX,
  DRAFT_MAX_CHARS,
  DRAFTS_MAX,
  IMPORT_LINES_MAX,
  IMPORT_TARGETS_MAX,
  NEXT_SLOTS_MAX,
  POST_TARGETS_MAX,
  POST_TEXT_MAX_CHARS,
  POSTS_AT_ONCE_MAX,
  POSTS_PAGE_MAX,
  SCHEDULE_POSTS_MAX,
  SCHEDULE_SLOTS_MAX,
  SCHEDULES_PER_BRAND_MAX,
  VIDEO_TAGS_MAX,
  VIDEOS_AT_ONCE_MAX,
  VIDEOS_PAGE_MAX,
  WAITING_DELIVERIES_MAX,
} from '#contract/limits.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import type { Post } from '#contract/posts.ts'
import { slotsBetween } from '#domain/schedule/slots.ts'
import { openDb } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { createTestDatabase, startTestDatabases } from '../support/database/test-database.ts'
import { pathOf } from '../support/test-server.ts'
import type { DatabaseTime } from './database-time.ts'
import type { Meanwhile } from './loop-delay.ts'
import { type Measurement, report } from './report.ts'
import { seedUser } from './seed.ts'
import { logIn, overDatabase, signUp, startServer } from './servers.ts'

const HELD_UP_PROMISE_MS = 100
const STATEMENT_PROMISE_MS = 1000
/** Those of the table: the slowest of each kind. */
const SHOWN = 6
const EMAIL = 'bench@example.com'
const DAY_MS = 86_400_000
const VIDEOS = 1000
/** One fewer than a schedule holds: another comes to it. */
const SLOTTED_POSTS = SCHEDULE_POSTS_MAX - 1
/** Posts to as many accounts as a post may go to, at times of their own; and published ones. */
const WIDE_POSTS = POSTS_AT_ONCE_MAX + 10
/** Accounts of each post in the full schedule: with them all waits that may wait, but for what the calls add. */
const SLOTTED_TARGETS = Math.floor(
  (WAITING_DELIVERIES_MAX - WIDE_POSTS * POST_TARGETS_MAX - 2 * IMPORT_TARGETS_MAX) / SLOTTED_POSTS,
)
const PUBLISHED_WIDE_POSTS = 500

const turns = Number(process.argv[2] ?? 3)
const now = Date.now()

type World = {
  readonly accounts: readonly number[]
  readonly brands: readonly number[]
  readonly schedules: readonly number[]
  readonly videos: readonly number[]
  readonly drafts: readonly string[]
  /** Each to all accounts of a brand, still to come. */
  readonly widePosts: readonly number[]
  readonly posts: readonly number[]
}
type Sent = { readonly params?: object; readonly query?: object; readonly body?: object }

const day = (days: number): string => new Date(now + days * DAY_MS).toISOString().slice(0, 10)
const text = (chars: number): string => 'crème brûlée with 🍓 and more, '.repeat(chars).slice(0, chars)
const first = <T>(list: readonly T[], nth = 0): T => {
  const [found] = list.slice(nth)
  if (found === undefined) throw new Error('There are too few of these.')
  return found
}

const targetsOf = ({ accounts }: World) =>
  accounts.slice(0, POST_TARGETS_MAX).map((account_id) => ({ account_id, text: text(POST_TEXT_MAX_CHARS) }))
const slots = (count: number, minute = 0) =>
  Array.from({ length: count }, (_, i) => ({
    weekday: 1 + (i % 7),
    time: `${String(6 + Math.floor(i / 7 / 4)).padStart(2, '0')}:${String(15 * (Math.floor(i / 7) % 4) + minute).padStart(2, '0')}`,
    platforms: null,
  }))
const draftOf = (world: World) => {
  const content = {
    video_id: first(world.videos),
    text: text(2000),
    platform_options: {},
    targets: world.accounts
      .slice(0, POST_TARGETS_MAX)
      .map((account_id) => ({ account_id, text: '', options: null })),
    publish_at: null,
  }
  const room = Math.floor((DRAFT_MAX_CHARS - JSON.stringify(content).length - 1000) / POST_TARGETS_MAX)
  return { ...content, targets: content.targets.map((target) => ({ ...target, text: text(room) })) }
}
const csvOf = ({ accounts, videos }: World) => {
  const each = accounts.slice(0, IMPORT_TARGETS_MAX / IMPORT_LINES_MAX).join(' ')
  const lines = Array.from({ length: IMPORT_LINES_MAX }, (_, i) => {
    const time = new Date(now + 40 * DAY_MS + i * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')
    return `"${i} ${'caption '.repeat(260)}",${first(videos)},${each},${time}`
  })
  return ['caption,video,accounts,time', ...lines].join('\n')
}

const NOT_MADE = {
  public: 'its bytes are kept',
  platform: 'waits for a platform',
  upload: 'the benches of uploads measure it',
  files: 'deletes files, and the videos of the bench have none',
  small: 'one row by its id, whatever a user has',
  account: 'ends what the bench is logged in with',
  stream: 'stays open',
} as const

/** What is sent, one after the other; or why a call is not made. */
const CALLS: Record<EndpointName, keyof typeof NOT_MADE | ((world: World) => Sent[])> = {
  getSettings: 'public',
  getHelp: 'public',
  createUser: 'account',
  getUser: 'small',
  setNickname: 'small',
  setTimezone: () => [{ body: { timezone: 'Asia/Tokyo' } }],
  deleteUser: 'account',
  signOutEverywhere: 'account',
  listBrands: () => [{}],
  createBrand: 'small',
  renameBrand: 'small',
  deleteBrand: ({ brands }) => [{ params: { brandId: brands.at(-1) } }],
  getBrandWaiting: ({ brands }) => [{ params: { brandId: first(brands) } }],
  listAccounts: () => [{}],
  listPostsToday: () => [{}],
  getAccountOptions: 'platform',
  unlinkAccount: 'platform',
  getAccountWaiting: ({ accounts }) => [{ params: { accountId: first(accounts) } }],
  startLink: 'platform',
  finishLink: 'platform',
  uploadVideo: 'upload',
  listVideos: () => [
    { query: { limit: VIDEOS_PAGE_MAX, sort: 'name' } },
    { query: { limit: VIDEOS_PAGE_MAX, search: 'video mp4 tag' } },
  ],
  getVideo: 'small',
  getLibrary: () => [{}],
  updateVideo: 'small',
  updateVideos: ({ videos, brands }) => [
    {
      body: {
        video_ids: videos.slice(0, VIDEOS_AT_ONCE_MAX),
        brand_id: first(brands),
        remove_tags: ['tag 1'],
      },
    },
  ],
  readVideoUsage: ({ videos }) => [{ body: { video_ids: videos.slice(0, VIDEOS_AT_ONCE_MAX) } }],
  deleteVideos: 'files',
  createPlayback: 'small',
  setVideoPoster: 'upload',
  deleteVideo: 'small',
  postTikTokVideo: 'upload',
  postInstagramMedia: 'upload',
  listUploads: () => [{}],
  getUpload: 'small',
  uploadPicture: 'upload',
  getPicture: 'small',
  createPost: (world) => [
    {
      body: {
        video_id: first(world.videos),
        text: text(POST_TEXT_MAX_CHARS),
        targets: targetsOf(world),
        publish_at: { local: `${day(60)}T12:00`, timezone: 'UTC' },
      },
    },
  ],
  findSimilarPosts: (world) => [{ body: { video_id: first(world.videos), targets: targetsOf(world) } }],
  listPosts: () => [
    { query: { limit: POSTS_PAGE_MAX } },
    { query: { limit: POSTS_PAGE_MAX, status: 'upcoming' } },
    { query: { limit: POSTS_PAGE_MAX, search: 'post of the bakery bread' } },
  ],
  listSchedules: () => [{}],
  createSchedule: ({ brands }) => [
    { body: { brand_id: first(brands, 9), name: 'Another', slots: slots(SCHEDULE_SLOTS_MAX) } },
  ],
  changeSchedule: ({ schedules }) => [
    {
      params: { scheduleId: first(schedules) },
      body: {
        version: 1,
        name: 'Changed',
        slots: slots(SCHEDULE_SLOTS_MAX, 5),
        moves: SLOTTED_POSTS,
      },
    },
  ],
  previewSchedule: ({ schedules }) => [
    {
      params: { scheduleId: first(schedules, 1) },
      body: { version: 1, name: 'Seen', slots: slots(SCHEDULE_SLOTS_MAX, 5) },
    },
  ],
  previewBrandZone: ({ brands }) => [
    { params: { brandId: first(brands, 1) }, body: { timezone: 'Asia/Tokyo' } },
  ],
  deleteSchedule: ({ schedules }) => [{ params: { scheduleId: schedules.at(-1) } }],
  listNextSlots: ({ schedules }) => [
    { params: { scheduleId: first(schedules) }, query: { limit: NEXT_SLOTS_MAX } },
  ],
  listDrafts: () => [{}],
  getDraft: ({ drafts }) => [{ params: { draftId: first(drafts) } }],
  saveDraft: (world) => [
    {
      params: { draftId: first(world.drafts, 1) },
      body: { version: 1, content: { ...draftOf(world), text: 'changed' } },
    },
  ],
  deleteDraft: 'small',
  restoreDraft: 'small',
  getOverview: () => [{}],
  listBlockers: () => [{}],
  getCalendar: () => [{ query: { from: day(-21), days: CALENDAR_DAYS_MAX } }],
  importPosts: (world) => [{ body: { csv: csvOf(world), dry_run: true } }, { body: { csv: csvOf(world) } }],
  exportPosts: () => [{}],
  getFeed: 'small',
  createFeed: 'small',
  deleteFeed: 'small',
  getPost: ({ widePosts }) => [{ params: { postId: first(widePosts) } }],
  moveAccount: ({ accounts, brands }) => [
    { params: { accountId: first(accounts) }, body: { brand_id: first(brands, 20) } },
  ],
  editPost: (world) => [
    {
      params: { postId: first(world.widePosts, 1) },
      body: { version: 1, text: text(POST_TEXT_MAX_CHARS), targets: targetsOf(world) },
    },
    {
      params: { postId: first(world.widePosts, 9) },
      body: { version: 1, schedule: { schedule_id: first(world.schedules, 2), place: 'top' } },
    },
  ],
  deletePost: ({ widePosts }) => [{ params: { postId: first(widePosts, 2) } }],
  pauseAccount: ({ accounts }) => [{ params: { accountId: first(accounts, 2) }, body: { paused: true } }],
  pauseBrand: ({ brands }) => [
    { params: { brandId: first(brands) }, body: { paused: true } },
    { params: { brandId: first(brands) }, body: { paused: false } },
  ],
  pauseSchedule: 'small',
  retryDelivery: 'small',
  dismissDelivery: 'small',
  retryFollowUp: 'small',
  dismissFollowUp: 'small',
  cancelDelivery: 'small',
  resolveDelivery: 'small',
  resumePlanned: () => [{}],
  streamEvents: 'stream',
  listNotifications: () => [{}],
  getUnread: () => [{}],
  readNotifications: 'small',
  getNotificationSettings: 'small',
  setNotificationSettings: 'small',
  // Last, since they change the posts that others are about.
  moveAccountPosts: ({ accounts }) => [
    {
      params: { accountId: first(accounts, 20) },
      body: {
        to_account_id: first(accounts, POST_TARGETS_MAX),
        posts: WIDE_POSTS + SLOTTED_POSTS,
      },
    },
  ],
  bulkPosts: ({ posts, widePosts }) => [
    { body: { post_ids: posts.slice(0, POSTS_AT_ONCE_MAX), action: 'move', by_minutes: 10 } },
    { body: { post_ids: widePosts.slice(10, 10 + POSTS_AT_ONCE_MAX), action: 'cancel' } },
  ],
}

const watched = ['loop-delay', 'database-time'].flatMap((name) => [
  '--import',
  fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
])
const stopDatabases = await startTestDatabases()
const database = await createTestDatabase()
// Posts are made for practice platforms, which nothing asks.
const server = await startServer({ ...overDatabase(database.url), PRACTICE: 'shared' }, watched)
try {
  await measure()
} finally {
  await server.stop()
  await database.drop()
  await stopDatabases()
}

type Kind = 'heldUpMs' | keyof DatabaseTime
type Figures = { readonly what: string } & Readonly<Record<Kind, number[]>>

async function measure(): Promise<void> {
  await signUp(server.port, EMAIL)
  const db = openDb(database.url)
  const token = await logIn(server.port, EMAIL)
  const world = await seed(db, token)
  await db.destroy()
  const all: Figures[] = []
  let refused = 0
  for (const name of Object.keys(CALLS) as EndpointName[]) {
    const endpoint: Endpoint = API[name]
    const call = CALLS[name]
    if (typeof call === 'string') continue
    for (const sent of call(world)) {
      const figures: Figures = { what: whatOf(name, sent), heldUpMs: [], longestMs: [], sumMs: [] }
      // The first turn of a reading call brings code and pages into memory; a write is made once.
      const isRead = endpoint.method === 'GET'
      for (let turn = isRead ? -1 : 0; turn < (isRead ? turns : 1); turn++) {
        const { status, body, ...one } = await watch(server.child, () => ask(endpoint, sent, token))
        if (status >= 400) {
          refused += 1
          console.log(`${figures.what} answered ${status}: ${body.slice(0, 300)}`)
        }
        if (turn < 0) continue
        figures.heldUpMs.push(one.heldUpMs)
        figures.longestMs.push(one.longestMs)
        figures.sumMs.push(one.sumMs)
      }
      all.push(figures)
    }
  }
  if (refused > 0) process.exitCode = 1
  const made = all.length
  const about = `${made} calls at the limits of the contract, one at a time, reading ones ${turns} times after a first: ${BRANDS_MAX} brands, ${ACCOUNTS_MAX} accounts, ${ALL_SLOTS_MAX} slots, ${VIDEOS} videos, ${DRAFTS_MAX} drafts of ${DRAFT_MAX_CHARS} characters, ${WIDE_POSTS + PUBLISHED_WIDE_POSTS} posts to ${POST_TARGETS_MAX} accounts each, ${SLOTTED_POSTS} to ${SLOTTED_TARGETS} each in a full schedule, ${CALENDAR_POSTS_MAX} others in six weeks. The ${SHOWN} that held up the event loop longest, the ${SHOWN} with the longest statements, and the ${SHOWN} whose statements took longest together.`
  report({
    name: 'limits',
    about,
    rows: [
      ...slowest(all, 'heldUpMs', 'event loop held up', HELD_UP_PROMISE_MS),
      ...slowest(all, 'longestMs', 'longest statement', STATEMENT_PROMISE_MS),
      ...slowest(all, 'sumMs', 'all statements', null),
    ],
  })
}

function slowest(all: readonly Figures[], kind: Kind, label: string, atMost: number | null): Measurement[] {
  const promised = atMost === null ? {} : { promise: { atMost } }
  const worst = (one: Figures) => Math.max(...one[kind])
  return all
    .toSorted((a, b) => worst(b) - worst(a))
    .slice(0, SHOWN)
    .map((one) => ({ what: `${one.what}: ${label}`, unit: 'ms', ours: one[kind], ...promised }))
}

/** With what tells two calls of the same endpoint apart. */
function whatOf(name: string, { query, body }: Sent): string {
  const details = Object.entries({ ...query, ...body }).flatMap(([key, value]) =>
    ['search', 'status', 'sort', 'dry_run', 'action', 'paused'].includes(key)
      ? `${key} ${String(value)}`
      : [],
  )
  return details.length === 0 ? name : `${name} (${details.join(', ')})`
}

async function ask(endpoint: Endpoint, sent: Sent, token: string) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1${pathOf(endpoint, sent)}`, {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(sent.body && { 'content-type': 'application/json' }),
    },
    ...(sent.body && { body: JSON.stringify(sent.body) }),
  })
  return { status: answer.status, body: await answer.text() }
}

async function watch<T extends object>(
  child: ChildProcess,
  work: () => Promise<T>,
): Promise<T & Record<Kind, number>> {
  await told<number>(child, 'begin')
  await told<DatabaseTime>(child, 'database')
  const done = await work()
  const { heldUpMs } = await told<Meanwhile>(child, 'end')
  return { ...done, heldUpMs, ...(await told<DatabaseTime>(child, 'database')) }
}

async function told<T>(child: ChildProcess, word: string): Promise<T> {
  child.send(word)
  const [answer] = (await once(child, 'message')) as [T] // what each of ours answers to that word
  return answer
}

/** As much as a user may have; what has rules of its own is made by calls. */
async function seed(db: Kysely<DB>, token: string): Promise<World> {
  const { user_id: userId } = await db.selectFrom('users').select('user_id').executeTakeFirstOrThrow()
  const half = Math.floor(CALENDAR_POSTS_MAX / 2)
  await seedUser(db, userId, now, { recent: { published: half, scheduled: half } })
  const posts = await listIds(
    db,
    sql`select post_id as id from deliveries where state = 'scheduled' order by post_id limit ${POSTS_AT_ONCE_MAX}`,
  )
  await sql`insert into brands (user_id, title)
    select ${userId}, 'More ' || n from generate_series(1, ${BRANDS_MAX}::int - (select count(*)::int from brands)) n`.execute(
    db,
  )
  const brands = await listIds(db, sql`select brand_id as id from brands order by brand_id`)
  const full = brands.slice(1, 1 + ACCOUNTS_MAX / ACCOUNTS_PER_BRAND_MAX)
  await sql`insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
    select ${userId}, (${sql.val(full)}::bigint[])[1 + n / ${ACCOUNTS_PER_BRAND_MAX}::int], 'tiktok', 'limit-' || n, 'limit' || n,
      'Limit ' || n, '{video.publish}', true, ''
    from generate_series(0, ${ACCOUNTS_MAX}::int - (select count(*)::int from accounts) - 1) n`.execute(db)
  const accounts = await listIds(
    db,
    sql`select account_id as id from accounts where external_id like 'limit-%' order by account_id`,
  )
  await sql`insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
    select user_id, gen_random_uuid(), 'video ' || n || ' of many.mp4', mime, size, sha256, facts
    from (select * from videos order by video_id limit 1) one,
      generate_series(1, ${VIDEOS}::int - (select count(*)::int from videos)) n`.execute(db)
  await sql`insert into video_tags (video_id, user_id, tag)
    select video_id, user_id, 'tag ' || n from videos, generate_series(1, ${VIDEO_TAGS_MAX}::int) n`.execute(
    db,
  )
  const videos = await listIds(db, sql`select video_id as id from videos order by video_id`)
  const world = { accounts, brands, videos, posts, schedules: [], drafts: [], widePosts: [] }
  const make = async (name: EndpointName, sent: Sent): Promise<unknown> => {
    const { status, body } = await ask(API[name], sent, token)
    if (status >= 400) throw new Error(`${name} answered ${status}: ${body}`)
    return JSON.parse(body)
  }
  const schedules: number[] = []
  // One more is made while it is measured.
  for (let i = 1; i < ALL_SLOTS_MAX / SCHEDULE_SLOTS_MAX; i++) {
    const brand_id = first(brands, 1 + Math.floor(i / SCHEDULES_PER_BRAND_MAX))
    const fields = { brand_id, name: `Schedule ${i}`, slots: slots(SCHEDULE_SLOTS_MAX) }
    schedules.push(((await make('createSchedule', { body: fields })) as Schedule).schedule_id)
  }
  const drafts = Array.from({ length: DRAFTS_MAX }, () => randomUUID())
  for (const draftId of drafts)
    await make('saveDraft', { params: { draftId }, body: { version: 0, content: draftOf(world) } })
  const widePosts: number[] = []
  for (let i = 0; i < WIDE_POSTS; i++) {
    const publish_at = { local: `${day(70 + i)}T12:00`, timezone: 'UTC' }
    const fields = {
      video_id: first(videos),
      text: text(POST_TEXT_MAX_CHARS),
      targets: targetsOf(world),
      publish_at,
    }
    widePosts.push(((await make('createPost', { body: fields })) as Post).post_id)
  }
  const apart = (12 * DAY_MS) / PUBLISHED_WIDE_POSTS
  const published = Array.from({ length: PUBLISHED_WIDE_POSTS }, (_, i) => new Date(now - (i + 1) * apart))
  await copyWide(db, first(widePosts), { times: published, scheduleId: null, targets: POST_TARGETS_MAX })
  const week = { timeZone: 'UTC', slots: slots(SCHEDULE_SLOTS_MAX) }
  const scheduleId = first(schedules)
  const times = slotsBetween(week, now + DAY_MS, now + 365 * DAY_MS).slice(0, SLOTTED_POSTS)
  await copyWide(db, first(widePosts), {
    times: times.map(({ at }) => new Date(at)),
    scheduleId,
    targets: SLOTTED_TARGETS,
  })
  await sql`vacuum analyze`.execute(db)
  return { ...world, schedules, drafts, widePosts }
}

type Copies = {
  readonly times: readonly Date[]
  readonly scheduleId: number | null
  readonly targets: number
}

async function copyWide(
  db: Kysely<DB>,
  postId: number,
  { times, scheduleId, targets }: Copies,
): Promise<void> {
  await sql`
    with made as (
        insert into posts (user_id, video_id, text, publish_at, publish_local, timezone, schedule_id, slot_local)
        select user_id, video_id, 'Post ' || n || ' of the bakery: bread', at, local, 'UTC', ${scheduleId},
          case when ${scheduleId}::bigint is not null then local end
        from posts cross join unnest(${[...times]}::timestamptz[]) with ordinality t (at, n)
          cross join lateral (select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as local) l
        where post_id = ${postId}
        returning post_id, user_id, text, publish_at as at),
      words as (
        insert into post_words (post_id, words) select post_id, array_to_tsvector(search_words(user_id, text)) from made),
      timed as (
        select *, at < now() as is_out, floor(extract(epoch from at) * 1000)::bigint as ms from made)
    insert into deliveries (user_id, post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at)
    select t.user_id, t.post_id, d.account_id, d.platform, t.text, d.options, case when is_out then 'published' else 'scheduled' end,
      case when is_out then jsonb_build_object('attempt', 1, 'at', ms, 'postId', null, 'url', null, 'afterAll', false)
        else jsonb_build_object('attempt', 1, 'dueAt', ms, 'reason', null, 'earlier', null) end,
      at, case when not is_out then at end
    from timed t cross join (
      select * from deliveries where post_id = ${postId} order by account_id limit ${targets}) d`.execute(db)
}

async function listIds(db: Kysely<DB>, query: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${query}`.execute(db)
  return rows.map(({ id }) => id)
}
