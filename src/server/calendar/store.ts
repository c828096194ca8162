import { type RawBuilder, sql } from 'kysely'
import type { CalendarPost } from '#contract/planning/calendar.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { CALENDAR_TEXT_CHARS, DRAFTS_MAX } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { readWithOnePlan } from '#base/db/one-plan.ts'
import { pausedPart } from '../deliveries/find-pause.ts'
import { slotRows, type SlotRows } from '../schedules/free-slots.ts'

const cut = (text: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`case when length(${text}) > ${CALENDAR_TEXT_CHARS} then rtrim(left(${text}, ${CALENDAR_TEXT_CHARS - 1})) || '…' else ${text} end`

/** Times are epoch ms; `to` is the first instant after. */
export type Scope = {
  readonly userId: number
  readonly from: number
  readonly to: number
  /** Only what goes to an account of this brand, which must be the user's. */
  readonly brandId: number | undefined
  /** Only what goes to this account, which must be the user's. */
  readonly accountId: number | undefined
}

export type PostRow = {
  readonly post_id: number
  readonly version: number
  readonly timezone: string | null
  /** Epoch ms. */
  readonly at: number
  /** The post's own time, epoch ms; null: as soon as possible. */
  readonly publish_at: number | null
  /** The shortest distance from the post's time. */
  readonly after_minutes: number
  readonly text: string
  readonly poster_token: string | null
  /** Of its accounts. */
  readonly brand_ids: readonly number[]
  readonly platforms: readonly PlatformId[]
  /** `settled`: a failure that needs nobody. */
  readonly states: readonly (DeliveryStatus | 'settled')[]
  readonly held_for: CalendarPost['held_for']
  /** true if all of its scheduled deliveries are paused; null if none is scheduled. */
  readonly paused: boolean | null
  /** At least one delivery is `isEditable`. */
  readonly movable: boolean
  readonly schedule_id: number | null
  readonly slot_local: string | null
}

type Posts = Scope & { readonly states: readonly DeliveryStatus[]; readonly limit: number }

type Asked = Posts & {
  readonly hasDrafts: boolean
  readonly hasSlots: boolean
}

type Rows = {
  readonly posts: readonly PostRow[]
  readonly drafts: readonly DraftRow[]
  readonly slots: SlotRows | null
}

/** One statement, so that everything is from one moment. */
export async function readCalendarRows(db: Db, asked: Asked): Promise<Rows> {
  const { userId, from, to, brandId, states, hasDrafts, hasSlots } = asked
  const nothing = sql`'[]'::json`
  const statement = sql<Rows>`select
    ${states.length === 0 ? nothing : listOf(postRows(asked))} as posts,
    ${hasDrafts ? listOf(draftRows(asked)) : nothing} as drafts,
    ${hasSlots ? slotRows(db, userId, { from, to, brandId }) : sql`null::json`} as slots`
  // The screen opens with this statement, which keeps one plan: planning took half as long as reading.
  const isOpening = brandId === undefined && hasSlots
  const [found] = isOpening ? await readWithOnePlan(db, statement) : (await statement.execute(db)).rows
  if (!found) throw new Error('A select without a table gave no row.')
  return found
}

/** One JSON text is faster to parse than rows, whose times and arrays are parsed one by one. */
const listOf = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select coalesce(json_agg(listed), '[]') from (${rows}) listed)`

/**
 * The posts with a delivery in one of these states, each once for every time at which it goes out, soonest first. With `offset`
 * each post is looked up by its id: as a join the planner would read the posts of the whole server.
 */
function postRows(posts: Posts): RawBuilder<unknown> {
  return sql`
    with places as materialized (${selectPlaces(posts)})
    select places.post_id, floor(extract(epoch from places.goes_out_at) * 1000)::bigint as at, p.version, p.timezone, p.schedule_id,
      floor(extract(epoch from p.publish_at) * 1000)::bigint as publish_at,
      p.slot_local, ${cut(sql`p.text`)} as text, posters.token as poster_token, of_time.*
    from places
    cross join lateral (select version, timezone, schedule_id, slot_local, publish_at, text, video_id from posts
      where posts.post_id = places.post_id offset 0) p
    left join lateral (select token from posters where posters.video_id = p.video_id offset 0) posters on true
    cross join lateral (
      select array_agg(distinct a.brand_id) as brand_ids,
        array_agg(d.platform order by d.delivery_id) as platforms,
        array_agg(case when d.settled_at is null then d.state else 'settled' end) as states,
        min(d.cause) as held_for, min(d.after_minutes) as after_minutes,
        bool_and(case when ${anyPause(posts.userId)} then ${pausedPart('a', sql`p.schedule_id`, sql`d.goes_out_at`)} is not null else false end)
          filter (where d.state = 'scheduled') as paused,
        bool_or(d.state in ('scheduled', 'blocked') and d.session is null) as movable
      from deliveries d join accounts a on a.account_id = d.account_id
      where d.post_id = places.post_id and d.goes_out_at = places.goes_out_at
    ) of_time
    order by places.goes_out_at, places.post_id`
}

/** PostgreSQL evaluates this once for all posts, most of which nothing pauses. */
const anyPause = (userId: number): RawBuilder<unknown> => sql`(select
  exists (select from accounts where user_id = ${userId} and paused_at is not null)
  or exists (select from brands where user_id = ${userId} and paused_at is not null)
  or exists (select from schedules where user_id = ${userId} and paused_at is not null))`

/** Reads an index by owner, state and time, so that other posts cost nothing. */
function selectPlaces({ userId, from, to, brandId, accountId, states, limit }: Posts): RawBuilder<unknown> {
  const wanted = sql`d.state in (${sql.join(states)}) and d.goes_out_at >= ${new Date(from)} and d.goes_out_at < ${new Date(to)}`
  const ofAccounts = (accounts: RawBuilder<unknown>) => sql`
    select distinct one.goes_out_at, one.post_id from (${accounts}) a
    cross join lateral (
      select d.goes_out_at, d.post_id from deliveries d
      where d.account_id = a.account_id and d.user_id = ${userId} and ${wanted}
      order by d.goes_out_at, d.post_id limit ${limit}) one
    order by one.goes_out_at, one.post_id limit ${limit}`
  if (accountId !== undefined)
    return ofAccounts(
      sql`select account_id from accounts where account_id = ${accountId} and user_id = ${userId} ${ofBrand(brandId)}`,
    )
  if (brandId !== undefined)
    return ofAccounts(sql`select account_id from accounts where user_id = ${userId} ${ofBrand(brandId)}`)
  return sql`select distinct d.goes_out_at, d.post_id from deliveries d
    where d.user_id = ${userId} and ${wanted} order by d.goes_out_at, d.post_id limit ${limit}`
}

const ofBrand = (brandId: number | undefined): RawBuilder<unknown> =>
  brandId === undefined ? sql`` : sql`and brand_id = ${brandId}`

export type DraftRow = {
  readonly draft_id: string
  readonly version: number
  readonly local: string
  readonly timezone: string
  readonly text: string
  readonly poster_token: string | null
  readonly brand_id: number | null
  readonly platforms: readonly PlatformId[]
  /** The schedule of the slot that it is to take. */
  readonly schedule_id: number | null
}

/**
 * The user's drafts whose proposed wall clock is within a day of these times: the zones are known to the caller only. A user
 * has few drafts.
 */
function draftRows({ userId, from, to, brandId, accountId }: Scope): RawBuilder<unknown> {
  return sql`
    with proposed as materialized (
      select draft_id, version, video_id, summary, account_ids, planned_for ->> 'local' as local,
        planned_for ->> 'timezone' as timezone, slot_schedule_id as schedule_id
      from drafts where user_id = ${userId} and deleted_at is null limit ${DRAFTS_MAX})
    select proposed.draft_id, proposed.version, proposed.local, proposed.timezone, proposed.schedule_id,
      ${cut(sql`proposed.summary`)} as text, posters.token as poster_token, whose.*
    from proposed
    left join posters on posters.video_id = proposed.video_id and exists (select from videos v
      where v.video_id = proposed.video_id and v.user_id = ${userId} and v.deleted_at is null)
    cross join lateral (
      select case when count(distinct a.brand_id) = 1 then min(a.brand_id) end as brand_id,
        coalesce(array_agg(a.platform order by t.nth), '{}') as platforms,
        coalesce(bool_or(${sql.join(
          [
            brandId === undefined ? null : sql`a.brand_id = ${brandId}`,
            accountId === undefined ? null : sql`a.account_id = ${accountId}`,
            sql`true`,
          ].filter((it) => it !== null),
          sql` and `,
        )}), false) as is_chosen
      from jsonb_array_elements(proposed.account_ids) with ordinality as t (account_id, nth)
      join accounts a on a.account_id = t.account_id::bigint and a.user_id = ${userId}
        and a.unlinked_at is null
    ) whose
    where proposed.local between ${wallClock(from - DAY_MS)} and ${wallClock(to + DAY_MS)}
      ${brandId === undefined && accountId === undefined ? sql`` : sql`and whose.is_chosen`}
    order by proposed.local, proposed.draft_id`
}

const DAY_MS = 86_400_000

/** Drafts store a wall clock; this writes the one of UTC. */
const wallClock = (ms: number): string => new Date(ms).toISOString().slice(0, 16)
