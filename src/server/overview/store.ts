import { type Kysely, sql } from 'kysely'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { OVERVIEW_DAYS, OVERVIEW_SHOWN, POST_TARGETS_MAX } from '#contract/limits.ts'
import type { Overview, OverviewDay } from '#contract/overview.ts'
import type { Post, PostFilter } from '#contract/posts.ts'
import { toAccount } from '../accounts/store.ts'
import { type Days, knownZone, lastDays } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { countUnder, listPlaces } from '../posts/lists.ts'
import { getPosts, listScope } from '../posts/read.ts'

type Whose = { readonly user_id: number; readonly timezone: string }

/** A user's overview at `now` (epoch ms), read in one snapshot so that counts and lists agree. */
export async function readOverview(db: Kysely<DB>, user: Whose, now: number): Promise<Overview> {
  const timezone = knownZone(user.timezone)
  const days = lastDays(now, timezone, OVERVIEW_DAYS)
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    // The queue's own queries, so that both screens agree.
    const scope = listScope(user, now)
    const first = (filter: PostFilter) => listPlaces(trx, scope, { filter, limit: OVERVIEW_SHOWN })
    const attention = await first('attention')
    const next = await first('upcoming')
    const published = await chooseLastPublished(trx, user.user_id)
    const chosen = new Set([...attention.places, ...next.places, ...published].map(({ post_id }) => post_id))
    const posts = new Map(
      (await getPosts(trx, user.user_id, [...chosen])).map((post) => [Number(post.post_id), post]),
    )
    const shown = (rows: readonly Chosen[]): Post[] => rows.flatMap(({ post_id }) => posts.get(post_id) ?? [])
    return {
      first_steps: await readFirstSteps(trx, user.user_id),
      relink: await readRelink(trx, user.user_id),
      attention: { posts: shown(attention.places), total: await countUnder(trx, scope, 'attention') },
      next: { posts: shown(next.places), total: await countUnder(trx, scope, 'upcoming') },
      published: shown(published),
      days: await countByDay(trx, user.user_id, days),
      timezone,
    }
  })
}

/** Brand and account must exist now; a post and a video count even if they were deleted since. */
async function readFirstSteps(trx: Db, userId: number): Promise<Overview['first_steps']> {
  const { rows } = await sql<Overview['first_steps']>`
    select brand, account, video or post as video, post from (select
      exists (select from brands where user_id = ${userId} and deleted_at is null) as brand,
      exists (select from accounts where user_id = ${userId} and unlinked_at is null) as account,
      exists (select from videos where user_id = ${userId} and deleted_at is null) as video,
      exists (select from posts where user_id = ${userId}) as post) as done`.execute(trx)
  const [done] = rows
  if (!done) throw new Error('A select without a condition gave no row.')
  return done
}

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

type Chosen = { readonly post_id: number }

/** Number of rows or groups without the limit. */
const total = sql<number>`count(*) over ()`.as('total')
const totalOf = (rows: readonly { readonly total: number }[]): number => rows[0]?.total ?? 0

/** When a delivery was published or failed (epoch ms), as in the index `deliveries_ended`. */
const endedAt = sql<number>`(data -> 'at')::bigint`
/** Enough deliveries to find that many posts, whatever the number of accounts per post. */
const chooseLastPublished = (trx: Db, userId: number) =>
  trx
    .selectFrom((eb) =>
      eb
        .selectFrom('deliveries')
        .select(['post_id', endedAt.as('at')])
        .where('user_id', '=', userId)
        .where('goes_out_at', 'is not', null)
        .where('state', '=', 'published')
        .orderBy(endedAt, 'desc')
        .limit(OVERVIEW_SHOWN * POST_TARGETS_MAX)
        .as('latest'),
    )
    .select('post_id')
    .groupBy('post_id')
    .orderBy((eb) => eb.fn.max('at'), 'desc')
    .limit(OVERVIEW_SHOWN)
    .execute()

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
