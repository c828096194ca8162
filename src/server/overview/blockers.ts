import { sql } from 'kysely'
import { BLOCKERS_MAX, POSTS_COUNTED_MAX } from '#contract/limits.ts'
import type { Blocker } from '#contract/overview.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { Db } from '#base/db/open.ts'
import { SHOWN_OF_ACCOUNT, toAccount } from '../accounts/store.ts'
import { countWaiting } from '../schedules/store.ts'

const WAITING = ['scheduled', 'blocked'] as const satisfies DeliveryStatus[]
const waits = sql`d.state in (${sql.join(WAITING.map((state) => sql.lit(state)))})`
/** Posts after the end of a pause do not wait for it. */
const isWithin = (pausedUntil: string) =>
  sql`(${sql.ref(pausedUntil)} is null or d.goes_out_at < ${sql.ref(pausedUntil)})`

/** What a restore holds first, then accounts to link again, then what is paused while posts wait for it; of each kind those with most posts first. */
export async function listBlockers(db: Db, userId: number, now: number): Promise<Blocker[]> {
  const [restored, accounts, brands, schedules] = await Promise.all([
    countRestored(db, userId),
    findAccounts(db, userId),
    findPausedBrands(db, userId),
    findPausedSchedules(db, userId, now),
  ])
  const toRelink = accounts.filter(({ relink_reason }) => relink_reason !== null)
  const paused = accounts.filter(({ paused_at, posts }) => paused_at !== null && posts > 0)
  // Ids come out of the database unbranded.
  return [
    ...(restored > 0 ? [{ kind: 'restored', posts: restored } as const] : []),
    ...toRelink.map((row) => ({ kind: 'link_again', account: toAccount(row), posts: row.posts }) as const),
    ...brands.map((row) => ({ kind: 'paused_brand', ...row }) as Blocker),
    ...paused.map((row) => ({ kind: 'paused_account', account: toAccount(row), posts: row.posts }) as const),
    ...schedules.map((row) => ({ kind: 'paused_schedule', ...row }) as Blocker),
  ].slice(0, BLOCKERS_MAX)
}

const postsOf = (posts: ReturnType<typeof sql>) =>
  sql<number>`(select count(*)::int from (${posts} limit ${sql.lit(POSTS_COUNTED_MAX)}) counted)`

async function countRestored(db: Db, userId: number): Promise<number> {
  const held = sql`select distinct one.post_id from (select d.post_id from deliveries d
    where d.user_id = ${userId} and d.state = 'blocked' and d.cause = 'restored'
    limit ${sql.lit(POSTS_COUNTED_MAX)}) one`
  const { rows } = await sql<{ posts: number }>`select ${postsOf(held)} as posts`.execute(db)
  return rows[0]?.posts ?? 0
}

const findAccounts = (db: Db, userId: number) =>
  db
    .selectFrom('accounts as a')
    .select(SHOWN_OF_ACCOUNT)
    .select(
      postsOf(sql`select from deliveries d where d.account_id = a.account_id and ${waits}
        and (a.relink_reason is not null or ${isWithin('a.paused_until')})`).as('posts'),
    )
    .where('a.user_id', '=', userId)
    .where('a.unlinked_at', 'is', null)
    .where((eb) => eb.or([eb('a.relink_reason', 'is not', null), eb('a.paused_at', 'is not', null)]))
    .orderBy('posts', 'desc')
    .orderBy('a.account_id')
    .limit(BLOCKERS_MAX)
    .execute()

/** A post is counted once, however many accounts of the brand it goes to. */
async function findPausedBrands(db: Db, userId: number) {
  const ofAccounts = sql`select distinct one.post_id from accounts a
    cross join lateral (select d.post_id from deliveries d where d.account_id = a.account_id and ${waits}
        and ${isWithin('b.paused_until')}
      limit ${sql.lit(POSTS_COUNTED_MAX)}) one
    where a.brand_id = b.brand_id`
  const rows = await db
    .selectFrom('brands as b')
    .select(['b.brand_id', 'b.title as name', 'b.paused_until', postsOf(ofAccounts).as('posts')])
    .where('b.user_id', '=', userId)
    .where('b.deleted_at', 'is', null)
    .where('b.paused_at', 'is not', null)
    .orderBy('posts', 'desc')
    .orderBy('b.brand_id')
    .execute()
  return rows.filter(hasPosts).map(withIsoTime)
}

async function findPausedSchedules(db: Db, userId: number, now: number) {
  const paused = await db
    .selectFrom('schedules')
    .select(['schedule_id', 'name', 'paused_until'])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .where('paused_at', 'is not', null)
    .execute()
  const ids = paused.map(({ schedule_id }) => schedule_id)
  const waiting = await countWaiting(db, ids, now, 'within their pause')
  return paused
    .map((row) => ({ ...row, posts: Math.min(waiting.get(row.schedule_id) ?? 0, POSTS_COUNTED_MAX) }))
    .filter(hasPosts)
    .toSorted((a, b) => b.posts - a.posts)
    .map(withIsoTime)
}

const hasPosts = ({ posts }: { posts: number }): boolean => posts > 0

const withIsoTime = <R extends { paused_until: Date | null }>(row: R) => ({
  ...row,
  paused_until: row.paused_until?.toISOString() ?? null,
})
