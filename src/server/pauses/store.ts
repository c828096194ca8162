import { sql } from 'kysely'
import type { Pausable } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'

export type PausedThing = { readonly of: Pausable; readonly id: number; readonly userId: number }

/** Pauses or resumes something of the user. @returns whether there is such a thing */
export async function storePause(
  trx: Db,
  { of, id, userId }: PausedThing,
  pausedAt: Date | null,
): Promise<boolean> {
  const change = { paused_at: pausedAt === null ? null : sql<Date>`coalesce(paused_at, ${pausedAt})` }
  switch (of) {
    case 'account':
      return isOne(
        await trx
          .updateTable('accounts')
          .set(change)
          .where('account_id', '=', id)
          .where('user_id', '=', userId)
          .where('unlinked_at', 'is', null)
          .executeTakeFirst(),
      )
    case 'brand':
      return isOne(
        await trx
          .updateTable('brands')
          .set(change)
          .where('brand_id', '=', id)
          .where('user_id', '=', userId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst(),
      )
    case 'queue':
      return isOne(
        await trx
          .updateTable('queues')
          .set(change)
          .where('queue_id', '=', id)
          .where('user_id', '=', userId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst(),
      )
  }
}

const isOne = ({ numUpdatedRows }: { readonly numUpdatedRows: bigint }): boolean => numUpdatedRows > 0n

/** The deliveries of what is paused that are being sent, or wait for it to be resumed, locked; the first due first. */
export async function lockHeld(trx: Db, what: PausedThing, state: 'preparing' | 'blocked') {
  const ids = (await listHeld(trx, what, state)).map(({ delivery_id }) => delivery_id)
  if (ids.length === 0) return []
  await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  return listHeld(trx, what, state)
}

function listHeld(trx: Db, { of, id, userId }: PausedThing, state: 'preparing' | 'blocked') {
  const column = { account: 'a.account_id', brand: 'a.brand_id', queue: 'p.queue_id' } as const
  return trx
    .selectFrom('deliveries as d')
    .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
    .innerJoin('brands as b', 'b.brand_id', 'a.brand_id')
    .innerJoin('posts as p', 'p.post_id', 'd.post_id')
    .leftJoin('queues as q', (join) =>
      join.onRef('q.queue_id', '=', 'p.queue_id').on('q.deleted_at', 'is', null),
    )
    .select((eb) => [
      'd.delivery_id',
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
    .where('d.user_id', '=', userId)
    .where('d.state', '=', state)
    .where(column[of], '=', id)
    .$if(state === 'blocked', (held) => held.where(sql<string>`d.data ->> 'cause'`, '=', 'paused'))
    .orderBy('d.goes_out_at')
    .orderBy('d.delivery_id')
    .execute()
}
