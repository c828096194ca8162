import { sql } from 'kysely'
import type { VideoFacts } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'

const DAY_MS = 86_400_000
const ACCOUNTS = 10
/**
 * What the month of the calendar shows, more than a page of each: one in a hundred of the published has the rare word and one
 * failed.
 */
const RECENT = { published: 280, scheduled: 40 }
const FACTS: VideoFacts = {
  container: 'mp4',
  video_codec: 'avc',
  audio_codec: 'aac',
  audio_rate_hz: 48_000,
  audio_channels: 2,
  audio_bit_rate: 128_000,
  video_bit_rate: 5_000_000,
  duration_s: 12,
  fps: 30,
  fps_is_estimate: false,
  width: 1080,
  height: 1920,
  rotation: 0,
  chroma: '4:2:0',
  scan: 'progressive',
  has_edits: false,
  index_first: true,
  integrity: 'complete',
}
export const RARE_WORD = 'croissant'

export type Posts = {
  /** Of the month around now. */
  readonly recent?: typeof RECENT
  /** Published before the shown month. */
  readonly past?: number
  /** Scheduled after it. */
  readonly waiting?: number
}

type Owner = {
  readonly brandId: number
  readonly accounts: readonly number[]
  readonly videos: readonly number[]
}

/**
 * Brands, accounts, videos, and the posts of a month around `now`: those that every screen shows. Then as many more before and
 * after it. All of it with the constraints and triggers of the schema.
 */
export async function seedUser(db: Db, userId: number, now: number, more: Posts = {}): Promise<Owner> {
  const owner = await seedOwner(db, userId)
  const { past = 0, waiting = 0, recent: month = RECENT } = more
  const spread = (days: number, posts: number) => (posts === 0 ? 0 : (days * DAY_MS) / posts)
  await seedPosts(db, userId, owner, { count: past, endsAt: now - 31 * DAY_MS, stepMs: 2_400_000, now })
  const recent = { count: month.published, endsAt: now - 60_000, stepMs: spread(20, month.published), now }
  await seedPosts(db, userId, owner, { ...recent, rare: true })
  const stepMs = spread(10, month.scheduled)
  await seedPosts(db, userId, owner, { count: month.scheduled, endsAt: now + 10 * DAY_MS, stepMs, now })
  const far = { count: waiting, endsAt: now + 40 * DAY_MS + waiting * 60_000, stepMs: 60_000, now }
  await seedPosts(db, userId, owner, far)
  return owner
}

async function seedOwner(db: Db, userId: number): Promise<Owner> {
  const { rows } = await sql<Owner>`
    with b as (insert into brands (user_id, title)
        select ${userId}, 'Brand ' || n from generate_series(1, ${ACCOUNTS}::int) n returning brand_id),
      a as (insert into accounts (user_id, brand_id, platform, external_id, username, display_name, scopes, can_publish, tokens)
        select ${userId}, (select min(brand_id) from b), case when n % 2 = 0 then 'tiktok' else 'instagram' end,
          ${userId} || '-' || n, 'nova' || n, 'Nova ' || n, '{video.publish}', true, '' from generate_series(1, ${ACCOUNTS}::int) n
        returning account_id),
      v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
        select ${userId}, gen_random_uuid(), 'video-' || n || '.mp4', 'video/mp4', 1000000, repeat('0', 64),
          ${JSON.stringify(FACTS)} from generate_series(1, ${ACCOUNTS}::int) n returning video_id)
    select (select min(brand_id) from b) as "brandId", (select array_agg(account_id order by account_id) from a) as accounts,
      (select array_agg(video_id order by video_id) from v) as videos`.execute(db)
  const [owner] = rows
  if (!owner) throw new Error('No owner was made.')
  return owner
}

type Series = {
  readonly count: number
  /** Of the last one, epoch ms; the others lie `stepMs` before each other. */
  readonly endsAt: number
  readonly stepMs: number
  readonly now: number
  readonly rare?: boolean
}

/** Each in a statement of its own, so that none holds millions of rows in memory. */
const BATCH = 50_000

/** Posts to one account each, in turns. What lies before `now` is published, one in a hundred failed; the rest is scheduled. */
async function seedPosts(db: Db, userId: number, owner: Owner, it: Series): Promise<void> {
  for (let from = 1; from <= it.count; from += BATCH) {
    const to = Math.min(from + BATCH - 1, it.count)
    await sql`
      with drawn as (
        select i, date_trunc('milliseconds', ${new Date(it.endsAt)}::timestamptz - (${it.count}::int - i) * ${it.stepMs}::float8 * interval '1 millisecond') as at,
          'Post ' || i || ' of the bakery: bread no ' || i % 50
            || case when ${it.rare === true} and i % 100 = 0 then ${` ${RARE_WORD}`} else '' end as text
        from generate_series(${from}::int, ${to}::int) i),
      made as (
        insert into posts (user_id, video_id, text, created_at, publish_at, publish_local, timezone)
        select ${userId}, (${sql.val([...owner.videos])}::bigint[])[1 + i % ${ACCOUNTS}::int], text, least(at, ${new Date(it.now)}), at,
          to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI'), 'UTC' from drawn
        returning post_id, text, publish_at as at),
      words as (
        insert into post_words (post_id, words) select post_id, array_to_tsvector(search_words(${userId}, text)) from made),
      planned as (
        select *, 1 + post_id % ${ACCOUNTS}::int as nth, case when at > ${new Date(it.now)} then 'scheduled'
          when post_id % 100 = 7 then 'failed' else 'published' end as state,
          floor(extract(epoch from at) * 1000)::bigint as ms from made),
      sent as (
        insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at, created_at)
        select post_id, ${userId}, a.account_id, a.platform, text, '{}', state, case state
            when 'scheduled' then jsonb_build_object('attempt', 1, 'dueAt', ms, 'reason', null, 'earlier', null)
            when 'failed' then jsonb_build_object('attempt', 1, 'at', ms, 'reason',
              '{"code":"x","message":"It was refused.","remedy":"Try again.","detail":null}'::jsonb)
            else jsonb_build_object('attempt', 1, 'at', ms, 'postId', post_id::text, 'url', null, 'afterAll', false) end,
          case state when 'scheduled' then at end, at, least(at, ${new Date(it.now)})
        from planned join accounts a on a.account_id = (${sql.val([...owner.accounts])}::bigint[])[nth]
        returning delivery_id, state)
      insert into delivery_events (delivery_id, user_id, state, message)
      select delivery_id, ${userId}, state, 'Made.' from sent`.execute(db)
  }
}

/** So many other users, each with this many posts that wait. */
export async function seedOthers(db: Db, users: number, posts: number, now: number): Promise<void> {
  const { rows } = await sql<{ user_id: number }>`
    insert into users (uid, email, nickname, timezone)
    select 'bench-' || n, 'bench-' || n || '@example.com', 'Other', 'UTC' from generate_series(1, ${users}::int) n
    returning user_id`.execute(db)
  for (const { user_id: userId } of rows) {
    const owner = await seedOwner(db, userId)
    await seedPosts(db, userId, owner, {
      count: posts,
      endsAt: now + (posts + 60) * 60_000,
      stepMs: 60_000,
      now,
    })
  }
}

/** A user whose posts are due since a moment ago. */
export async function seedDue(db: Db, userId: number, count: number): Promise<void> {
  const owner = await seedOwner(db, userId)
  const endsAt = Date.now() - 1000
  await seedPosts(db, userId, owner, { count, endsAt, stepMs: 1, now: endsAt - DAY_MS })
}

export async function removeUser(db: Db, userId: number): Promise<void> {
  for (const table of ['posts', 'accounts', 'users'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute()
}
