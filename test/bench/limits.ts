/**
 * Every call of the contract at its limits, by a user who has as much as a user may have: the longest time that the server's event
 * loop was held up, and its longest statement. `npm run bench -- limits [turns]`
 */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
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
  NEW_POSTS_MAX,
  NEXT_SLOTS_MAX,
  POST_TARGETS_MAX,
  POST_TEXT_MAX_CHARS,
  PRESETS_MAX,
  POSTS_AT_ONCE_MAX,
  POSTS_PAGE_MAX,
  RESULTS_PAGE_MAX,
  SCHEDULE_POSTS_MAX,
  SCHEDULE_SLOTS_MAX,
  SCHEDULES_PER_BRAND_MAX,
  VIDEO_TAGS_MAX,
  VIDEOS_AT_ONCE_MAX,
  VIDEOS_PAGE_MAX,
  WAITING_DELIVERIES_MAX,
} from '#contract/limits.ts'
import { slotsBetween } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { pathOf, type Person, signUp } from '../support/test-server.ts'
import { type Measurement, report } from './report.ts'
import { DAY_MS, seedPosts, seedUser, timesUntil } from './seed.ts'
import { startServer, watch } from './servers.ts'
import type { Usage } from './watch.ts'

const HELD_UP_PROMISE_MS = 100
const STATEMENT_PROMISE_MS = 1000
/** The table has as many of the slowest calls of each kind. */
const SHOWN = 6
const VIDEOS = 1000
/** One fewer than a schedule holds: another comes to it. */
const SLOTTED_POSTS = SCHEDULE_POSTS_MAX - 1
/** Posts to as many accounts as a post may go to, at times of their own; and published ones. */
const WIDE_POSTS = POSTS_AT_ONCE_MAX + 10
/** Accounts of each post in the full schedule: with them all waits that may wait, but for what the calls add. */
const SLOTTED_TARGETS = Math.floor(
  (WAITING_DELIVERIES_MAX - (WIDE_POSTS + NEW_POSTS_MAX) * POST_TARGETS_MAX - 2 * IMPORT_TARGETS_MAX) /
    SLOTTED_POSTS,
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
const newPosts = ({ accounts, videos }: World) =>
  Array.from({ length: NEW_POSTS_MAX }, (_, i) => ({
    video_id: first(videos, i),
    text: text(POST_TEXT_MAX_CHARS),
    targets: accounts.slice(0, POST_TARGETS_MAX).map((account_id) => ({ account_id })),
    publish_at: { local: `${day(61 + i)}T12:00`, timezone: 'UTC' },
  }))
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

/** The requests of each call, one after the other; or why it is not made. */
const CALLS: Record<EndpointName, keyof typeof NOT_MADE | ((world: World) => Sent[])> = {
  getSettings: 'public',
  getHelp: 'public',
  createUser: 'account',
  admitUser: 'small',
  getUser: 'small',
  setNickname: 'small',
  setTimezone: () => [{ body: { timezone: 'Asia/Tokyo' } }],
  deleteUser: 'account',
  signOutEverywhere: 'account',
  listBrands: () => [{}],
  createBrand: 'small',
  renameBrand: 'small',
  setBrandLogo: 'upload',
  deleteBrandLogo: 'small',
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
    { query: { limit: VIDEOS_PAGE_MAX, from: '2026-01-01', size: 1000 } },
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
  fetchVideo: 'upload',
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
  tryPost: (world) => [
    {
      body: { video_id: first(world.videos), text: text(POST_TEXT_MAX_CHARS), targets: targetsOf(world) },
    },
  ],
  createPosts: (world) => [{ body: { posts: newPosts(world) } }],
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
  listNextSlots: ({ schedules, accounts }) => [
    {
      params: { scheduleId: first(schedules) },
      query: { count: NEXT_SLOTS_MAX, accounts: accounts.slice(0, POST_TARGETS_MAX).join() },
    },
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
  listApiKeys: 'small',
  createApiKey: 'small',
  extendApiKey: 'small',
  getOwnApiKey: 'small',
  deleteApiKey: 'small',
  getAuthorizationRequest: 'small',
  approveAuthorization: 'small',
  declineAuthorization: 'small',
  listWebhooks: 'small',
  createWebhook: 'small',
  changeWebhook: 'small',
  deleteWebhook: 'small',
  rotateWebhookSecret: 'small',
  testWebhook: 'small',
  listWebhookMessages: 'small',
  getWebhookMessage: 'small',
  resendWebhookMessage: 'small',
  resendWebhookMessages: 'small',
  listPresets: () => [{}],
  createPreset: 'small',
  changePreset: 'small',
  deletePreset: 'small',
  getOverview: () => [{}],
  listResults: () => [
    { query: { limit: RESULTS_PAGE_MAX } },
    { query: { limit: RESULTS_PAGE_MAX, sort: 'views' } },
  ],
  getPostResults: ({ widePosts }) => [{ params: { postId: first(widePosts) } }],
  getResultsWeek: () => [{}],
  getReport: ({ brands }) => [
    { params: { brandId: first(brands), month: new Date().toISOString().slice(0, 7) } },
  ],
  setReportNote: 'small',
  createReportLink: 'small',
  deleteReportLink: 'small',
  getSharedReport: 'public',
  exportResults: () => [{}],
  listBlockers: () => [{}],
  getCalendar: () => [{ query: { from: day(-21), days: CALENDAR_DAYS_MAX } }],
  importPosts: (world) => [{ body: { csv: csvOf(world), dry_run: true } }, { body: { csv: csvOf(world) } }],
  exportPosts: () => [{}],
  exportUser: () => [{}],
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
  decideRestored: () => [{ body: { decision: 'resume_planned' } }],
  streamEvents: 'stream',
  listNotifications: () => [{}],
  getUnread: () => [{}],
  readNotifications: 'small',
  getNotificationSettings: 'small',
  setNotificationSettings: 'small',
  getServer: 'small',
  listServerChecks: 'small',
  sendTestMail: 'small',
  listPlatformSetups: 'small',
  setPlatformKeys: 'small',
  tryPlatformKeys: 'small',
  decideAllRestored: 'small',
  listOperatorActs: 'small',
  listServerUsers: 'small',
  disableUser: 'small',
  setUserQuota: 'small',
  endUserSessions: 'small',
  resetUserPassword: 'small',
  deleteServerUser: 'small',
  getServerSignUp: 'small',
  setServerSignUp: 'small',
  createInvitation: 'small',
  revokeInvitation: 'small',
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

// Posts are made for practice platforms, which nothing asks.
const server = await startServer({ env: { PRACTICE: 'shared' }, isWatched: true })
const person = await signUp(server)
const world = await seed(server.db, person)

type Figures = { readonly what: string; readonly usages: Usage[] }
const all: Figures[] = []
let refused = 0
for (const name of Object.keys(CALLS) as EndpointName[]) {
  const endpoint: Endpoint = API[name]
  const call = CALLS[name]
  if (typeof call === 'string') continue
  for (const sent of call(world)) {
    const figures: Figures = { what: whatOf(name, sent), usages: [] }
    // The first turn of a reading call brings code and pages into memory; a write is made once.
    const isRead = endpoint.method === 'GET'
    for (let turn = isRead ? -1 : 0; turn < (isRead ? turns : 1); turn++) {
      const { done, usage } = await watch(server.child, async () => {
        const answer = await person.request(pathOf(endpoint, sent), {
          method: endpoint.method,
          ...(sent.body && {
            body: JSON.stringify(sent.body),
            headers: { 'content-type': 'application/json' },
          }),
        })
        return { status: answer.status, body: await answer.text() }
      })
      if (done.status >= 400) {
        refused += 1
        console.log(`${figures.what} answered ${done.status}: ${done.body.slice(0, 300)}`)
      }
      if (turn >= 0) figures.usages.push(usage)
    }
    all.push(figures)
  }
}
await server.stop()
if (refused > 0) process.exitCode = 1
report({
  name: 'limits',
  about: `${all.length} calls at the limits of the contract, one at a time, reading ones ${turns} times after a first: ${BRANDS_MAX} brands, ${ACCOUNTS_MAX} accounts, ${ALL_SLOTS_MAX} slots, ${VIDEOS} videos, ${DRAFTS_MAX} drafts of ${DRAFT_MAX_CHARS} characters, ${PRESETS_MAX} sets of ${POST_TARGETS_MAX} accounts, ${WIDE_POSTS + PUBLISHED_WIDE_POSTS} posts to ${POST_TARGETS_MAX} accounts each, ${SLOTTED_POSTS} to ${SLOTTED_TARGETS} each in a full schedule, ${CALENDAR_POSTS_MAX} others in six weeks. The ${SHOWN} that held up the event loop longest, and the ${SHOWN} with the longest statements.`,
  rows: [
    ...slowest('heldUpMs', 'event loop held up', HELD_UP_PROMISE_MS),
    ...slowest('longestStatementMs', 'longest statement', STATEMENT_PROMISE_MS),
  ],
})

function slowest(kind: 'heldUpMs' | 'longestStatementMs', label: string, atMost: number): Measurement[] {
  return all
    .map(({ what, usages }) => ({ what, ours: usages.map((usage) => usage[kind]) }))
    .toSorted((a, b) => Math.max(...b.ours) - Math.max(...a.ours))
    .slice(0, SHOWN)
    .map(({ what, ours }) => ({ what: `${what}: ${label}`, unit: 'ms', ours, promise: { atMost } }))
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

/** As much as a user may have; what has rules of its own is made by calls. */
async function seed(db: Db, owner: Person): Promise<World> {
  const { user_id: userId } = await owner.call('getUser')
  const half = Math.floor(CALENDAR_POSTS_MAX / 2)
  const { brandId } = await seedUser(db, userId, { recent: { published: half, scheduled: half } })
  const posts = await listIds(
    db,
    sql`select post_id as id from deliveries where state = 'scheduled' order by post_id limit ${POSTS_AT_ONCE_MAX}`,
  )
  const brands = await listIds(
    db,
    sql`with more as (insert into brands (user_id, title)
      select ${userId}, 'More ' || n from generate_series(1, ${BRANDS_MAX}::int - (select count(*)::int from brands)) n
      returning brand_id as id)
    select brand_id as id from brands union all select id from more order by id`,
  )
  const full = brands.slice(1, 1 + ACCOUNTS_MAX / ACCOUNTS_PER_BRAND_MAX)
  const accounts = await listIds(
    db,
    sql`insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
      select ${userId}, (${sql.val(full)}::bigint[])[1 + n / ${ACCOUNTS_PER_BRAND_MAX}::int], 'tiktok', 'limit-' || n, 'limit' || n,
        'Limit ' || n, '{video.publish}', true, ''
      from generate_series(0, ${ACCOUNTS_MAX}::int - (select count(*)::int from accounts) - 1) n returning account_id as id`,
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
  const made = { accounts, brands, videos, posts, schedules: [], drafts: [], widePosts: [] }
  const schedules: number[] = []
  // One more is made while it is measured.
  for (let i = 1; i < ALL_SLOTS_MAX / SCHEDULE_SLOTS_MAX; i++) {
    const brand_id = first(brands, 1 + Math.floor(i / SCHEDULES_PER_BRAND_MAX))
    const body = { brand_id, name: `Schedule ${i}`, slots: slots(SCHEDULE_SLOTS_MAX) }
    schedules.push((await owner.call('createSchedule', { body })).schedule_id)
  }
  const drafts = Array.from({ length: DRAFTS_MAX }, () => randomUUID())
  for (const draftId of drafts)
    await owner.call('saveDraft', { params: { draftId }, body: { version: 0, content: draftOf(made) } })
  for (let i = 0; i < PRESETS_MAX; i++) {
    const content = { account_ids: accounts.slice(0, POST_TARGETS_MAX) }
    await owner.call('createPreset', { body: { kind: 'accounts', name: `Set ${i}`, content } })
  }
  const widePosts: number[] = []
  for (let i = 0; i < WIDE_POSTS; i++) {
    const publish_at = { local: `${day(70 + i)}T12:00`, timezone: 'UTC' }
    const body = {
      video_id: first(videos),
      text: text(POST_TEXT_MAX_CHARS),
      targets: targetsOf(made),
      publish_at,
    }
    widePosts.push((await owner.call('createPost', { body })).post_id)
  }
  const ownerOf = (targets: number) => ({
    userId,
    brandId,
    accounts: accounts.slice(0, targets),
    videos: videos.slice(0, 1),
  })
  const apart = (12 * DAY_MS) / PUBLISHED_WIDE_POSTS
  const published = timesUntil(now - apart, PUBLISHED_WIDE_POSTS, apart)
  await seedPosts(db, ownerOf(POST_TARGETS_MAX), { times: published, isWide: true })
  const week = { timeZone: 'UTC', slots: slots(SCHEDULE_SLOTS_MAX) }
  const times = slotsBetween(week, now + DAY_MS, now + 365 * DAY_MS)
    .slice(0, SLOTTED_POSTS)
    .map(({ at }) => at)
  const scheduleId = first(schedules)
  await seedPosts(db, ownerOf(SLOTTED_TARGETS), { times, isWide: true, scheduleId })
  await sql`vacuum analyze`.execute(db)
  return { ...made, schedules, drafts, widePosts }
}

async function listIds(db: Db, query: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${query}`.execute(db)
  return rows.map(({ id }) => id)
}
