import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { OVERVIEW_DAYS, OVERVIEW_SHOWN, POST_TARGETS_MAX } from '#contract/limits.ts'
import type { Overview, OverviewDay } from '#contract/overview.ts'
import type { PostFilter } from '#contract/posts.ts'
import { toAccount } from '../accounts/store.ts'
import { type Days, knownZone, lastDays } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { executePrepared } from '#base/db/prepared.ts'
import type { DB } from '#base/db/tables.ts'
import { countOf, pageOf, placesOf, shared } from '../posts/lists.ts'
import { listScope, placesJson, type PostJson, postsJson, toPosts } from '../posts/read.ts'

type Whose = { readonly user_id: number; readonly timezone: string }

type Found = {
  readonly attention: readonly Chosen[]
  readonly attention_total: number
  readonly next: readonly Chosen[]
  readonly next_total: number
  readonly published: readonly Chosen[]
  readonly posts: readonly PostJson[]
  readonly first_steps: Overview['first_steps']
}
type Chosen = { readonly post_id: number }

/** A user's overview at `now` (epoch ms), read in one snapshot so that counts and lists agree. */
export async function readOverview(db: Kysely<DB>, user: Whose, now: number): Promise<Overview> {
  const timezone = knownZone(user.timezone)
  const days = lastDays(now, timezone, OVERVIEW_DAYS)
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const relink = await readRelink(trx, user.user_id)
    const byDay = await countByDay(trx, user.user_id, days)
    const found = await readPosts(trx, user, now)
    const shown = (places: readonly Chosen[]) => toPosts(found.posts, places.slice(0, OVERVIEW_SHOWN))
    return {
      first_steps: found.first_steps,
      relink,
      attention: { posts: shown(found.attention), total: found.attention_total },
      next: { posts: shown(found.next), total: found.next_total },
      published: shown(found.published),
      days: byDay,
      timezone,
    }
  })
}

const first = (filter: PostFilter) => pageOf({ filter, limit: OVERVIEW_SHOWN })
const shownOf = (name: string): RawBuilder<unknown> =>
  sql`(select post_id from ${sql.ref(name)} order by part, nth limit ${sql.lit(OVERVIEW_SHOWN)})`

/** What the queue's screen says, by the same queries, so that both screens agree; and the posts that were published last. */
async function readPosts(trx: Db, user: Whose, now: number): Promise<Found> {
  const scope = listScope(user, now)
  const statement = sql<Found>`
    with ${shared(scope)}, ${placesOf(scope, 'troubled', first('attention'))}, ${placesOf(scope, 'next', first('upcoming'))},
      live as materialized (${lastPublished(user.user_id)})
    select ${placesJson('troubled')} as attention, (${countOf(scope, 'attention')}) as attention_total,
      ${placesJson('next')} as next, (${countOf(scope, 'upcoming')}) as next_total,
      (select coalesce(json_agg(json_build_object('post_id', post_id) order by at desc), '[]') from live) as published,
      ${postsJson(user.user_id, sql`${shownOf('troubled')} union all ${shownOf('next')} union all select post_id from live`)} as posts,
      (select row_to_json(done) from (${firstSteps(user.user_id)}) done) as first_steps`
  const [found] = await executePrepared(trx, statement)
  if (!found) throw new Error('A select without a table gave no row.')
  return found
}

/** Brand and account must exist now; a post and a video count even if they were deleted since. */
const firstSteps = (userId: number): RawBuilder<unknown> => sql`
  select brand, account, video or post as video, post from (select
    exists (select from brands where user_id = ${userId} and deleted_at is null) as brand,
    exists (select from accounts where user_id = ${userId} and unlinked_at is null) as account,
    exists (select from videos where user_id = ${userId} and deleted_at is null) as video,
    exists (select * from (select from posts where user_id = ${userId} order by post_id desc limit 1 offset 0) one) as post) as it`

async function readRelink(trx: Db, userId: number): Promise<Overview['relink']> {
  const rows = await trx
    .selectFrom('accounts')
    .selectAll()
    .select(total)
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .where('relink_reason', 'is not', null)
    .orderBy('account_id')
    .limit(OVERVIEW_SHOWN)
    .execute()
  return { accounts: rows.map(toAccount), total: totalOf(rows) }
}

/** Number of rows or groups without the limit. */
const total = sql<number>`count(*) over ()`.as('total')
const totalOf = (rows: readonly { readonly total: number }[]): number => rows[0]?.total ?? 0

/** When a delivery was published or failed (epoch ms), as in the index `deliveries_ended`. */
const endedAt = sql<number>`(data -> 'at')::bigint`
/** Enough deliveries to find that many posts, whatever the number of accounts per post. */
const lastPublished = (userId: number): RawBuilder<unknown> => sql`
  select post_id, max(at) as at from (
    select post_id, ${endedAt} as at from deliveries
    where user_id = ${userId} and goes_out_at is not null and state = 'published'
    order by ${endedAt} desc limit ${sql.lit(OVERVIEW_SHOWN * POST_TARGETS_MAX)}) as latest
  group by post_id order by max(at) desc limit ${sql.lit(OVERVIEW_SHOWN)}`

async function countByDay(trx: Db, userId: number, { names, starts }: Days): Promise<OverviewDay[]> {
  const rows = await trx
    .selectFrom('deliveries')
    .select([
      'state',
      sql<number>`width_bucket(${endedAt}, ${starts}::bigint[])`.as('nth'),
      sql<number>`count(*)`.as('count'),
    ])
    .where('user_id', '=', userId)
    .where('goes_out_at', 'is not', null)
    .where('state', 'in', ['published', 'failed'] satisfies DeliveryStatus[])
    .where(endedAt, '>=', Number(starts[0]))
    .groupBy(['state', 'nth'])
    .execute()
  const count = (state: DeliveryStatus, nth: number) =>
    rows.find((row) => row.state === state && row.nth === nth)?.count ?? 0
  return names.map((day, i) => ({
    day,
    published: count('published', i + 1),
    failed: count('failed', i + 1),
  }))
}
