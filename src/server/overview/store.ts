import { type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { OVERVIEW_COUNTED_MAX, OVERVIEW_DAYS, OVERVIEW_SHOWN, POST_TARGETS_MAX } from '#contract/limits.ts'
import type { Overview, OverviewDay } from '#contract/overview.ts'
import type { PostFilter } from '#contract/posts.ts'
import { type Days, knownZone, lastDays } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { readWithOnePlan } from '#base/db/one-plan.ts'
import { selectCount, parsePage, selectPlaces, shared } from '../posts/lists.ts'
import { type PostJson, postsJson, toPosts } from '../deliveries/read-posts.ts'
import { listScope, placesJson } from '../posts/read.ts'

type Whose = { readonly user_id: number; readonly timezone: string }

type OverviewRow = {
  readonly attention: readonly PostKey[]
  readonly attention_total: number
  readonly next: readonly PostKey[]
  readonly next_total: number
  readonly published: readonly PostKey[]
  readonly posts: readonly PostJson[]
  readonly ended: readonly EndedCount[]
  readonly first_steps: Overview['first_steps']
}
type PostKey = { readonly post_id: number }
/** Deliveries that ended in this state on the `nth` day, from 1. */
type EndedCount = { readonly state: DeliveryStatus; readonly nth: number; readonly count: number }

/** A user's overview at `now` (epoch ms), read in one statement so that counts and lists agree. */
export async function readOverview(db: Db, user: Whose, now: number): Promise<Overview> {
  const timezone = knownZone(user.timezone)
  const days = lastDays(now, timezone, OVERVIEW_DAYS)
  const found = await readAll(db, user, days, now)
  const shown = (places: readonly PostKey[]) => toPosts(found.posts, places.slice(0, OVERVIEW_SHOWN))
  return {
    first_steps: found.first_steps,
    attention: { posts: shown(found.attention), total: found.attention_total },
    next: { posts: shown(found.next), total: found.next_total },
    published: shown(found.published),
    days: toDays(days, found.ended),
    timezone,
  }
}

const first = (filter: PostFilter) => parsePage({ filter, limit: OVERVIEW_SHOWN })
const shownPosts = (name: string): RawBuilder<unknown> =>
  sql`(select post_id from ${sql.ref(name)} order by part, nth limit ${sql.lit(OVERVIEW_SHOWN)})`

/** Uses the queries of the Queue screen, so that both screens agree, and adds what only the overview shows. */
async function readAll(db: Db, user: Whose, days: Days, now: number): Promise<OverviewRow> {
  const scope = listScope(user, now)
  const statement = sql<OverviewRow>`
    with ${shared(scope)}, ${selectPlaces(scope, 'troubled', first('attention'))}, ${selectPlaces(scope, 'next', first('upcoming'))},
      live as materialized (${lastPublished(user.user_id)})
    select ${placesJson('troubled')} as attention, (${selectCount(scope, 'attention', OVERVIEW_COUNTED_MAX)}) as attention_total,
      ${placesJson('next')} as next, (${selectCount(scope, 'upcoming', OVERVIEW_COUNTED_MAX)}) as next_total,
      (select coalesce(json_agg(json_build_object('post_id', post_id) order by at desc), '[]') from live) as published,
      ${postsJson(user.user_id, sql`${shownPosts('troubled')} union all ${shownPosts('next')} union all select post_id from live`)} as posts,
      (select coalesce(json_agg(e), '[]') from (${endedByDay(user.user_id, days)}) e) as ended,
      (select row_to_json(done) from (${firstSteps(user.user_id)}) done) as first_steps`
  const [found] = await readWithOnePlan(db, statement)
  if (!found) throw new Error('A select without a table gave no row.')
  return found
}

/** Brand and account must exist now; deleted posts and videos count too. */
const firstSteps = (userId: number): RawBuilder<unknown> => sql`
  select brand, account, video or post as video, post from (select
    exists (select from brands where user_id = ${userId} and deleted_at is null) as brand,
    exists (select from accounts where user_id = ${userId} and unlinked_at is null) as account,
    exists (select from videos where user_id = ${userId} and deleted_at is null) as video,
    exists (select * from (select from posts where user_id = ${userId} order by post_id desc limit 1 offset 0) one) as post) as it`

/** Enough deliveries for this many posts, whatever the number of accounts per post. */
const lastPublished = (userId: number): RawBuilder<unknown> => sql`
  select post_id, max(at) as at from (
    select post_id, ended_at as at from deliveries
    where user_id = ${userId} and goes_out_at is not null and state = 'published'
    order by ended_at desc limit ${sql.lit(OVERVIEW_SHOWN * POST_TARGETS_MAX)}) as latest
  group by post_id order by max(at) desc limit ${sql.lit(OVERVIEW_SHOWN)}`

/** Queries each state separately by its index: with a list of states the planner would not use it. */
function endedByDay(userId: number, { starts }: Days): RawBuilder<unknown> {
  const times = starts.map((ms) => new Date(ms).toISOString())
  return sql.join(
    (['published', 'failed'] satisfies DeliveryStatus[]).map(
      (state) => sql`
      select ${sql.lit(state)} as state, width_bucket(ended_at, ${times}::timestamptz[]) as nth, count(*) from deliveries
      where user_id = ${userId} and goes_out_at is not null and state = ${sql.lit(state)} and ended_at >= ${times[0]} group by nth`,
    ),
    sql` union all `,
  )
}

function toDays({ names }: Days, ended: readonly EndedCount[]): OverviewDay[] {
  const countOn = (state: DeliveryStatus, nth: number) =>
    ended.find((one) => one.state === state && one.nth === nth)?.count ?? 0
  return names.map((day, i) => ({
    day,
    published: countOn('published', i + 1),
    failed: countOn('failed', i + 1),
  }))
}
