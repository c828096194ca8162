import { sql } from 'kysely'
import type { Pausable } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'

/** A delivery as far as pauses go. */
type Paused = { readonly accountId: number; readonly postId: number }

/** What of a delivery's account, brand and queue is paused, if anything. */
export async function findPause(db: Db, it: Paused): Promise<Pausable | null> {
  const account = await pausesOfAccount(db, it).executeTakeFirst()
  return account?.account || account?.brand ? pauseOf(account) : pauseOfQueue(db, it)
}

/** Deliveries `d` with what of theirs is paused, if anything; the first due first. */
export const selectWithPause = (db: Db) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
    .innerJoin('brands as b', 'b.brand_id', 'a.brand_id')
    .innerJoin('posts as p', 'p.post_id', 'd.post_id')
    .leftJoin('queues as q', (join) =>
      join.onRef('q.queue_id', '=', 'p.queue_id').on('q.deleted_at', 'is', null),
    )
    .select((eb) => [
      'd.delivery_id',
      'd.user_id',
      'd.account_id',
      sql<number | null>`(d.data ->> 'dueAt')::float8`.as('due_at'),
      eb
        .case()
        .when('a.paused_at', 'is not', null)
        .then('account' as const)
        .when('b.paused_at', 'is not', null)
        .then('brand' as const)
        .when('q.paused_at', 'is not', null)
        .then('queue' as const)
        .end()
        .as('paused'),
    ])
    .orderBy('d.goes_out_at')
    .orderBy('d.delivery_id')

/**
 * Begins a call while the rows of brand, queue and account are locked: a pause is answered before it, and then it is not begun, or
 * after it. `null`: paused, or `begin` did not want to. Throws only where nothing was begun.
 */
export async function beginUnlessPaused<T>(
  db: Db,
  it: Paused,
  begin: () => Promise<T> | null,
): Promise<{ readonly outcome: Promise<T> } | null> {
  let outcome: Promise<T> | null = null
  try {
    for (let isSettled = false; !isSettled;)
      isSettled = await db.transaction().execute(async (trx) => {
        const paused = await lockPauses(trx, it)
        if (paused === 'moved') return false
        if (paused) return true
        outcome = begin()
        // Awaited after the locks are released: prevents an unhandled rejection until then.
        outcome?.catch(() => {})
        return true
      })
  } catch (error) {
    // What was begun goes on, whatever becomes of the locks.
    if (outcome === null) throw error
  }
  return outcome === null ? null : { outcome }
}

/** Whether something is paused, in the lock order of all code. `moved`: to another brand while that was asked. */
async function lockPauses(trx: Db, it: Paused): Promise<boolean | 'moved'> {
  const brand = await trx
    .selectFrom('brands')
    .innerJoin('accounts', 'accounts.brand_id', 'brands.brand_id')
    .select(['brands.brand_id', 'brands.paused_at'])
    .where('accounts.account_id', '=', it.accountId)
    .forShare('brands')
    .executeTakeFirstOrThrow()
  const queue = await pauseOfQueue(trx, it, true)
  const account = await trx
    .selectFrom('accounts')
    .select(['brand_id', 'paused_at'])
    .where('account_id', '=', it.accountId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (account.brand_id !== brand.brand_id) return 'moved'
  return brand.paused_at !== null || queue !== null || account.paused_at !== null
}

const pausesOfAccount = (db: Db, { accountId }: Paused) =>
  db
    .selectFrom('brands')
    .innerJoin('accounts', 'accounts.brand_id', 'brands.brand_id')
    .select((eb) => [
      eb('accounts.paused_at', 'is not', null).as('account'),
      eb('brands.paused_at', 'is not', null).as('brand'),
    ])
    .where('accounts.account_id', '=', accountId)

async function pauseOfQueue(db: Db, { postId }: Paused, locked = false): Promise<Pausable | null> {
  const queue = db
    .selectFrom('queues')
    .innerJoin('posts', 'posts.queue_id', 'queues.queue_id')
    .select('queues.paused_at')
    .where('posts.post_id', '=', postId)
    .where('queues.deleted_at', 'is', null)
  const row = await (locked ? queue.forShare('queues') : queue).executeTakeFirst()
  return row?.paused_at ? 'queue' : null
}

const pauseOf = ({ account }: { readonly account: unknown }): Pausable => (account ? 'account' : 'brand')
