import { sql } from 'kysely'
import type { VideoFacts } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { GOOD_FACTS } from '#domain/testing/good-facts.ts'

export const DAY_MS = 86_400_000
const ACCOUNTS = 10
/** One in a hundred of the published posts of the month has the rare word, and one failed. */
const RECENT = { published: 280, scheduled: 40 }
const FACTS: VideoFacts = { ...GOOD_FACTS, duration_s: 12 }
export const RARE_WORD = 'croissant'

export type Owner = {
  readonly userId: number
  readonly brandId: number
  readonly accounts: readonly number[]
  readonly videos: readonly number[]
}

type Posts = {
  /** In the month around now: what every screen shows. */
  readonly recent?: typeof RECENT
  /** Published before it. */
  readonly past?: number
  /** Scheduled after it. */
  readonly waiting?: number
}

/** Brands, accounts, videos and posts, with the constraints and triggers of the schema. */
export async function seedUser(
  db: Db,
  userId: number,
  { recent = RECENT, past = 0, waiting = 0 }: Posts = {},
): Promise<Owner> {
  const owner = await seedOwner(db, userId)
  const now = Date.now()
  const series = {
    past: timesUntil(now - 31 * DAY_MS, past, 2_400_000),
    recent: timesUntil(now - 60_000, recent.published, (20 * DAY_MS) / recent.published),
    scheduled: timesUntil(now + 10 * DAY_MS, recent.scheduled, (10 * DAY_MS) / recent.scheduled),
    waiting: timesUntil(now + 40 * DAY_MS + waiting * 60_000, waiting, 60_000),
  }
  for (const [name, times] of Object.entries(series))
    await seedPosts(db, owner, { times, isRare: name === 'recent' })
  return owner
}

async function seedOwner(db: Db, userId: number): Promise<Owner> {
  const { rows } = await sql<Owner>`
    with b as (insert into brands (user_id, title)
        select ${userId}, 'Brand ' || n from generate_series(1, ${ACCOUNTS}::int) n returning brand_id),
      a as (insert into accounts (user_id, brand_id, platform, external_id, username, display_name, avatar_url, scopes, can_publish, tokens)
        select ${userId}, (select min(brand_id) from b), case when n % 2 = 0 then 'tiktok' else 'instagram' end,
          ${userId} || '-' || n, 'nova' || n, 'Nova ' || n, 'https://p16.example/' || repeat('x', 250), '{video.publish}', true, '' from generate_series(1, ${ACCOUNTS}::int) n
        returning account_id),
      v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
        select ${userId}, gen_random_uuid(), 'video-' || n || '.mp4', 'video/mp4', 1000000, repeat('0', 64),
          ${JSON.stringify(FACTS)} from generate_series(1, ${ACCOUNTS}::int) n returning video_id)
    select ${userId}::bigint as "userId", (select min(brand_id) from b) as "brandId",
      (select array_agg(account_id order by account_id) from a) as accounts,
      (select array_agg(video_id order by video_id) from v) as videos`.execute(db)
  const [owner] = rows
  if (!owner) throw new Error('No owner was made.')
  return owner
}

/** So many times (epoch ms), the last one at `end`. */
export const timesUntil = (end: number, count: number, stepMs: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round(end - (count - 1 - i) * stepMs))

type Series = {
  /** One post at each, epoch ms. */
  readonly times: readonly number[]
  /** Each post to all accounts, not to one in turn. */
  readonly isWide?: boolean
  readonly scheduleId?: number | null
  readonly isRare?: boolean
  /** Scheduled although its time has come. */
  readonly isDue?: boolean
}

/** Each in a statement of its own, so that none holds millions of rows in memory. */
const BATCH = 50_000

/** Posts to the owner's accounts in turns. What lies before now is published, one in a hundred failed; the rest is scheduled. */
export async function seedPosts(
  db: Db,
  { userId, accounts, videos }: Owner,
  { times, isWide = false, scheduleId = null, isRare = false, isDue = false }: Series,
): Promise<void> {
  const pastUntil = new Date(isDue ? 0 : Date.now())
  for (let from = 0; from < times.length; from += BATCH) {
    const batch = times.slice(from, from + BATCH).map((ms) => new Date(ms))
    await sql`
      with drawn as (
        select at, ${from}::int + nth::int as i, 'Post ' || ${from}::int + nth || ' of the bakery: bread no ' || nth % 50
          || case when ${isRare} and nth % 100 = 0 then ${` ${RARE_WORD}`} else '' end as text
        from unnest(${sql.val(batch)}::timestamptz[]) with ordinality as given (at, nth)),
      made as (
        insert into posts (user_id, video_id, text, created_at, publish_at, publish_local, timezone, schedule_id, slot_local)
        select ${userId}, (${sql.val([...videos])}::bigint[])[1 + i % ${videos.length}::int], text, least(at, now()), at, local, 'UTC',
          ${scheduleId}::bigint, case when ${scheduleId}::bigint is not null then local end
        from drawn cross join lateral (select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as local) l
        returning post_id, text, publish_at as at),
      words as (
        insert into post_words (post_id, words) select post_id, array_to_tsvector(search_words(${userId}, text)) from made),
      planned as (
        select *, 1 + (post_id + t) % ${accounts.length}::int as nth, case when at > ${pastUntil} then 'scheduled'
          when post_id % 100 = 7 then 'failed' else 'published' end as state,
          floor(extract(epoch from at) * 1000)::bigint as ms from made, generate_series(0, ${isWide ? accounts.length : 1}::int - 1) t),
      sent as (
        insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at, created_at)
        select post_id, ${userId}, a.account_id, a.platform, text, '{}', state, case state
            when 'scheduled' then jsonb_build_object('attempt', 1, 'dueAt', ms, 'reason', null, 'earlier', null)
            when 'failed' then jsonb_build_object('attempt', 1, 'at', ms, 'reason',
              '{"code":"x","message":"It was refused.","remedy":"Try again.","detail":null}'::jsonb)
            else jsonb_build_object('attempt', 1, 'at', ms, 'postId', post_id::text, 'url', null, 'afterAll', false) end,
          case state when 'scheduled' then at end, at, least(at, now())
        from planned join accounts a on a.account_id = (${sql.val([...accounts])}::bigint[])[nth]
        returning delivery_id, post_id, account_id, state, goes_out_at),
      live as (
        insert into results (delivery_id, post_id, user_id, account_id, brand_id, live_at, read_at, latest)
        select delivery_id, post_id, ${userId}, account_id, brand_id, goes_out_at, now(), jsonb_build_object('views', delivery_id * 7919 % 10000)
        from sent join accounts using (account_id) where state = 'published' returning delivery_id, account_id, live_at),
      marks as (
        insert into result_marks (delivery_id, age_hours, account_id, read_at, numbers)
        select delivery_id, age, account_id, live_at + age * interval '1 hour', jsonb_build_object('views', delivery_id * 7919 % 10000)
        from live, unnest('{1, 24, 168, 672}'::int[]) age where live_at + age * interval '1 hour' <= now())
      insert into delivery_events (delivery_id, user_id, state, message)
      select delivery_id, ${userId}, state, 'Made.' from sent`.execute(db)
  }
}

/** So many other users, each with this many posts that wait; `isDue`: since a moment ago. */
export async function seedOthers(db: Db, users: number, posts: number, isDue = false): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    insert into users (uid, email, nickname, timezone)
    select gen_random_uuid(), gen_random_uuid() || '@example.com', 'Other', 'UTC' from generate_series(1, ${users}::int)
    returning user_id`.execute(db)
  const userIds = rows.map((row) => row.user_id)
  for (const userId of userIds) {
    const times = timesUntil(Date.now() + (isDue ? -1000 : (posts + 60) * 60_000), posts, 60_000)
    await seedPosts(db, await seedOwner(db, userId), { times, isDue })
  }
  return userIds
}
