import { type RawBuilder, sql } from 'kysely'
import type { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { eventAfterPause, SPACING_MS } from '#domain/delivery/overdue.ts'
import { pausedReason, WAITS } from '#domain/delivery/reasons.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { selectWithPause } from './find-pause.ts'
import { applyUserEvent } from './store.ts'

type LateQuery = ReturnType<typeof selectWithPause>
export type LatePost = Awaited<ReturnType<LateQuery['execute']>>[number]

type ReleaseDeps = { readonly db: Db; readonly encrypter: Encrypter; readonly now: () => number }

/** Deliveries moved in one transaction; a worker waits that long for the lock of one. */
const RELEASED_AT_ONCE = 100

/**
 * Gives late posts their times, in the order in which they were due, those of one platform account a minute apart: after an outage and
 * after a pause. A worker that has claimed one of them cannot save what it decided before.
 * @param select the posts; asked again once their rows are locked
 * @param eventOf what happens to one whose account has room for a late post from `freeAt` on
 * @returns the events that were taken, by delivery
 */
export async function releaseLatePosts(
  deps: ReleaseDeps,
  select: (db: Db) => LateQuery,
  eventOf: (post: LatePost, room: { readonly now: number; readonly freeAt: number }) => DeliveryEvent,
): Promise<ReadonlyMap<number, DeliveryEvent>> {
  const listed = await select(deps.db).execute()
  const taken = new Map<number, DeliveryEvent>()
  for (let from = 0; from < listed.length; from += RELEASED_AT_ONCE) {
    const some = listed.slice(from, from + RELEASED_AT_ONCE)
    await deps.db.transaction().execute(async (trx) => {
      const accountIds = some.map(({ account_id }) => account_id)
      const keys = await lockPlatformAccounts(trx, accountIds)
      const posts = await lockAgain(trx, select, some)
      const now = deps.now()
      const room = await readRoom(trx, keys, now)
      for (const post of posts) {
        const { delivery_id: deliveryId, user_id: userId, account_id: accountId } = post
        const event = eventOf(post, { now, freeAt: room.freeAt(accountId) })
        const result = await applyUserEvent(trx, deps.encrypter, { deliveryId, userId, event, now })
        if (result === null || !('moved' in result)) continue
        taken.set(deliveryId, event)
        // A delivery with a time of its own in the future is not late.
        if (event.type === 'resumed' && (event.reason !== null || event.dueAt <= now))
          room.take(accountId, event.dueAt)
        if (event.type === 'postponed') room.take(accountId, event.until)
      }
    })
  }
  return taken
}

/** Counts what became of the posts that were released. */
export async function releasedBy(
  db: Db,
  taken: ReadonlyMap<number, DeliveryEvent>,
): Promise<Omit<PauseResult, 'paused'>> {
  const idsOf = (type: DeliveryEvent['type']) =>
    [...taken].flatMap(([deliveryId, event]) => (event.type === type ? [deliveryId] : []))
  const missed = idsOf('missed')
  return {
    released: idsOf('resumed').length,
    missed: missed.length,
    missed_post_ids: await listPostIds(db, missed),
  }
}

/** In the order in which they were due. */
async function listPostIds(db: Db, deliveryIds: readonly number[]): Promise<PostId[]> {
  if (deliveryIds.length === 0) return []
  const posts = await db
    .selectFrom('deliveries')
    .select('post_id')
    .where(sql<boolean>`delivery_id = any(${deliveryIds}::bigint[])`)
    .groupBy('post_id')
    .orderBy(({ fn }) => fn.min('goes_out_at'))
    .orderBy('post_id')
    .limit(POSTS_AT_ONCE_MAX)
    .execute()
  return posts.map(({ post_id }) => post_id as PostId) // ids come out of the database unbranded
}

/** Locks these rows, in order of their ids. @returns those that are selected still */
export async function lockAgain(
  trx: Db,
  select: (db: Db) => LateQuery,
  some: readonly LatePost[],
): Promise<LatePost[]> {
  if (some.length === 0) return []
  const ids = some.map(({ delivery_id }) => delivery_id)
  await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  return select(trx).where('d.delivery_id', 'in', ids).execute()
}

export const eventOfHeld = (
  { paused, due_at: dueAt }: LatePost,
  lateness: Parameters<typeof eventAfterPause>[1],
): DeliveryEvent =>
  paused
    ? { type: 'paused', reason: pausedReason(paused) }
    : eventAfterPause(dueAt?.getTime() ?? lateness.now, lateness)

/** Late posts of one platform account go out a minute apart. */
type Room = {
  /** The time at which the account's next late post may go out (epoch ms, not before now). */
  freeAt(accountId: number): number
  take(accountId: number, at: number): void
}

/** Locks the platform accounts, so that concurrent releases count each other's posts. */
export const lockRoom = async (trx: Db, accountIds: readonly number[], now: number): Promise<Room> =>
  readRoom(trx, await lockPlatformAccounts(trx, accountIds), now)

/** The key of each account's platform account. */
type Keys = ReadonlyMap<number, string>

/**
 * Locks the platform accounts of these accounts until the transaction ends. Rows of accounts, videos and posts are locked before it,
 * those of deliveries after it.
 */
export async function lockPlatformAccounts(trx: Db, accountIds: readonly number[]): Promise<Keys> {
  if (accountIds.length === 0) return new Map()
  const accounts = await trx
    .selectFrom('accounts')
    .select(['account_id', sql<string>`platform || ' ' || external_id`.as('key')])
    .where('account_id', 'in', [...new Set(accountIds)])
    .execute()
  const keys = [...new Set(accounts.map(({ key }) => key))].toSorted()
  await sql`select pg_advisory_xact_lock(hashtextextended('late posts ' || key, 0)) from unnest(${keys}::text[]) as key`.execute(
    trx,
  )
  return new Map(accounts.map(({ account_id, key }) => [account_id, key]))
}

async function readRoom(trx: Db, keys: Keys, now: number): Promise<Room> {
  const { rows } = await lastLateQuery([...keys.keys()], now).execute(trx)
  const free = new Map<string, number>()
  const take = (accountId: number, at: number) => {
    const key = keys.get(accountId) ?? ''
    free.set(key, Math.max(free.get(key) ?? now, at + SPACING_MS))
  }
  for (const { account_id, last } of rows) if (last !== null) take(account_id, last)
  return { freeAt: (accountId) => free.get(keys.get(accountId) ?? '') ?? now, take }
}

/**
 * The last time (epoch ms) at which a late post to the same platform account goes out, or went out within the spacing. What is due or
 * being sent goes out now, and what a rate limit puts off by seconds then. What an outage has delayed has no time before it is
 * released. Each part reads a few rows by an index of its own, however many posts the account has.
 */
export const lastLateQuery = (accountIds: readonly number[], now: number) => {
  const at = sql<Date>`${new Date(now)}::timestamptz`
  const ms = sql<number>`${now}::float8`
  // A post that was sent before the spacing, or soon after its own time, delays no other.
  const lateSince = (sentAt: RawBuilder<unknown>) => sql`${sentAt} > ${new Date(now - SPACING_MS)}
    and goes_out_at < ${sentAt} - ${SPACING_MS} * interval '1 millisecond'`
  return sql<{ account_id: number; last: number | null }>`
    select mine.account_id, max(late.at) as last
    from accounts mine
      join accounts same on same.platform = mine.platform and same.external_id = mine.external_id
      cross join lateral (
        (select greatest(${ms}, extract(epoch from wake_at)::float8 * 1000) as at from deliveries
          where account_id = same.account_id and state = 'scheduled' and goes_out_at <= ${at}
            and wake_at < to_timestamp(${(now + SPACING_MS) / 1000}::float8)
            and wake_at >= coalesce((select max(until) from outages), '-infinity')
          order by wake_at desc limit 1)
        union all
        (select ${ms} from deliveries where account_id = same.account_id and state in ('preparing', 'committing') limit 1)
        union all
        select extract(epoch from max(wake_at))::float8 * 1000 from deliveries
          where account_id = same.account_id and state = 'scheduled'
            and reason_code = ${sql.lit(WAITS.spaced.code)} and wake_at > ${at}
        union all
        select extract(epoch from max(sent_at))::float8 * 1000 from deliveries
          where account_id = same.account_id and state in ('processing', 'unconfirmed', 'in_inbox') and ${lateSince(sql`sent_at`)}
        union all
        select extract(epoch from max(ended_at))::float8 * 1000 from deliveries
          where account_id = same.account_id and state = 'published' and ${lateSince(sql`ended_at`)}
      ) late
    where mine.account_id = any(${accountIds}::bigint[])
    group by mine.account_id`
}
