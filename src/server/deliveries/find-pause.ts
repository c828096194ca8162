import { type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { Pausable } from '#contract/deliveries.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import type { Stopped } from '#domain/delivery/reasons.ts'

type Paused = { readonly accountId: number; readonly postId: number }

export async function findPause(db: Db, { accountId, postId }: Paused): Promise<Stopped | null> {
  const found = await db
    .selectFrom('accounts')
    .select(
      stoppedPart('accounts', sql`(select schedule_id from posts where post_id = ${postId})`).as('paused'),
    )
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return found?.paused ?? null
}

/**
 * Selects what is paused for an account, which is selected as `accounts`, and a post of this schedule, if anything is.
 * @param dueAt when the post is due: a pause that ends before does not count. Without it any pause counts
 */
export function pausedPart(
  accounts: string,
  scheduleId: RawBuilder<unknown>,
  dueAt: RawBuilder<unknown> = sql`null::timestamptz`,
): RawBuilder<Pausable | null> {
  const isPaused = (table: string) =>
    sql`${sql.ref(`${table}.paused_at`)} is not null and coalesce(${sql.ref(`${table}.paused_until`)} > ${dueAt}, true)`
  return sql`case when ${isPaused(accounts)} then 'account'
    when exists (select from brands where brands.brand_id = ${sql.ref(`${accounts}.brand_id`)} and ${isPaused('brands')})
      then 'brand'
    when exists (select from schedules s where s.schedule_id = ${scheduleId} and ${isPaused('s')} and s.deleted_at is null)
      then 'schedule' end`
}

/** Selects what keeps a post from going out, as `pausedPart` does. That its user is disabled comes before any pause. */
const stoppedPart = (accounts: string, scheduleId: RawBuilder<unknown>): RawBuilder<Stopped | null> =>
  sql`case when ${isDisabled(sql.ref(`${accounts}.user_id`))} then 'user' else ${pausedPart(accounts, scheduleId)} end`

const isDisabled = (userId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from users where users.user_id = ${userId} and users.disabled_at is not null)`

/** Selects deliveries `d` with their pause, if any, in the order in which they were due. */
export const selectWithPause = (db: Db) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
    .innerJoin('posts as p', 'p.post_id', 'd.post_id')
    .select([
      'd.delivery_id',
      'd.user_id',
      'd.account_id',
      'd.due_at',
      stoppedPart('a', sql.ref('p.schedule_id')).as('paused'),
    ])
    .orderBy('d.goes_out_at')
    .orderBy('d.delivery_id')

type Begun<T> = { readonly outcome: Promise<T> } | null

/**
 * Begins a call while the rows of brand, schedule, account and user are locked: a pause is answered before it, and then it is not begun,
 * or after it. `null`: paused, or `begin` did not want to. Throws only where nothing was begun.
 */
export const beginUnlessPaused = <T>(
  db: Db,
  delivery: Paused,
  begin: () => Promise<T> | null,
): Promise<Begun<T>> => beginUnless(db, (trx) => lockPauses(trx, delivery), begin)

/** As `beginUnlessPaused`, for what follows a publication: pauses do not hold it, but nothing goes out for a disabled user. */
export const beginUnlessDisabled = <T>(
  db: Db,
  userId: number,
  begin: () => Promise<T> | null,
): Promise<Begun<T>> => beginUnless(db, async (trx) => (await lockUserRow(trx, userId)) !== null, begin)

/** @returns when the user was disabled; null: they are not. Disabling locks the row `for update`, whatever else changes it does not */
async function lockUserRow(trx: Db, userId: number): Promise<Date | null> {
  const { disabled_at } = await trx
    .selectFrom('users')
    .select('disabled_at')
    .where('user_id', '=', userId)
    .forKeyShare()
    .executeTakeFirstOrThrow()
  return disabled_at
}

export const isUserDisabled = async (db: Db, userId: number): Promise<boolean> =>
  (await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('disabled_at', 'is not', null)
    .executeTakeFirst()) !== undefined

async function beginUnless<T>(
  db: Db,
  lock: (trx: Db) => Promise<boolean | 'moved'>,
  begin: () => Promise<T> | null,
): Promise<Begun<T>> {
  let outcome: Promise<T> | null = null
  try {
    for (let isSettled = false; !isSettled;)
      isSettled = await db.transaction().execute(async (trx) => {
        const paused = await lock(trx)
        if (paused === 'moved') return false
        if (paused) return true
        outcome = begin()
        // Awaited after the locks are released: prevents an unhandled rejection until then.
        outcome?.catch(() => {})
        return true
      })
  } catch (error) {
    // A call that was begun counts, whatever happens to the locks.
    if (outcome === null) throw error
  }
  return outcome === null ? null : { outcome }
}

/** Locks in the order of all code. `moved`: the account went to another brand meanwhile. @returns true: something is paused */
async function lockPauses(trx: Db, { accountId, postId }: Paused): Promise<boolean | 'moved'> {
  const locked = await lockRows(trx, accountId, postId).executeTakeFirst()
  if (!locked) throw new Error(`There is no account ${accountId}.`)
  const { has_moved, account, brand, schedule, owner } = locked
  return has_moved ? 'moved' : Boolean(account || brand || schedule || owner)
}

/**
 * Each part counts the rows that the part before locked, so the locks are taken in order. A lock returns the row's present values. Only a
 * pause or its end locks brand and schedule `for update`, and only disabling the user theirs: whatever else changes them, for many posts perhaps, holds up no call.
 */
const lockRows = (db: Db, accountId: number, postId: number) =>
  db
    .with('brand', (cte) =>
      cte
        .selectFrom('brands as b')
        .innerJoin('accounts as a', 'a.brand_id', 'b.brand_id')
        .select(['b.brand_id', 'b.paused_at'])
        .where('a.account_id', '=', accountId)
        .forKeyShare('b'),
    )
    .with('schedule', (cte) =>
      selectScheduleOfPost(cte, postId)
        .select('s.paused_at')
        .where(sql<boolean>`(select count(*) from brand) >= 0`)
        .forKeyShare('s'),
    )
    .with('account', (cte) =>
      cte
        .selectFrom('accounts as a')
        .select(['a.brand_id', 'a.paused_at'])
        .where('a.account_id', '=', accountId)
        .where(sql<boolean>`(select count(*) from schedule) >= 0`)
        .forShare(),
    )
    .with('owner', (cte) =>
      cte
        .selectFrom('users as u')
        .innerJoin('accounts as a', 'a.user_id', 'u.user_id')
        .select('u.disabled_at')
        .where('a.account_id', '=', accountId)
        .where(sql<boolean>`(select count(*) from account) >= 0`)
        .forKeyShare('u'),
    )
    .selectFrom(['account', 'brand'])
    .select((eb) => [
      eb('account.brand_id', '!=', eb.ref('brand.brand_id')).as('has_moved'),
      eb('account.paused_at', 'is not', null).as('account'),
      eb('brand.paused_at', 'is not', null).as('brand'),
      eb.exists(eb.selectFrom('schedule').where('schedule.paused_at', 'is not', null)).as('schedule'),
      eb.exists(eb.selectFrom('owner').where('owner.disabled_at', 'is not', null)).as('owner'),
    ])

const selectScheduleOfPost = <D extends DB>(db: QueryCreator<D>, postId: number) =>
  (db as QueryCreator<DB>)
    .selectFrom('schedules as s')
    .innerJoin('posts as p', 'p.schedule_id', 's.schedule_id')
    .where('p.post_id', '=', postId)
    .where('s.deleted_at', 'is', null)
