import { sql } from 'kysely'
import type { Pausable } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'

export type PausedThing = { readonly of: Pausable; readonly id: number; readonly userId: number }

/** The table and key of what can be paused, and the column that says since when it is gone. */
const STORED = {
  account: { table: 'accounts', key: 'account_id', gone: 'unlinked_at' },
  brand: { table: 'brands', key: 'brand_id', gone: 'deleted_at' },
  queue: { table: 'queues', key: 'queue_id', gone: 'deleted_at' },
} as const

/** Pauses or resumes something of the user. @returns whether there is such a thing */
export async function storePause(
  trx: Db,
  { of, id, userId }: PausedThing,
  pausedAt: Date | null,
): Promise<boolean> {
  const { table, key, gone } = STORED[of]
  const change = pausedAt === null ? sql`null` : sql`coalesce(paused_at, ${pausedAt}::timestamptz)`
  const { numAffectedRows } = await sql`update ${sql.table(table)} set paused_at = ${change}
    where ${sql.ref(key)} = ${id} and user_id = ${userId} and ${sql.ref(gone)} is null`.execute(trx)
  return (numAffectedRows ?? 0n) > 0n
}

type HeldState = 'preparing' | 'blocked'

/** The deliveries of what is paused that are being sent, or wait for it to be resumed; the first due first. */
export const listHeld = (db: Db, what: PausedThing, state: HeldState) => selectHeld(db, what, state).execute()

export type Held = Awaited<ReturnType<typeof listHeld>>

/** Those of these deliveries that are still held, locked; in the same order. */
export async function lockHeld(trx: Db, what: PausedThing, state: HeldState, held: Held): Promise<Held> {
  if (held.length === 0) return []
  const ids = held.map(({ delivery_id }) => delivery_id)
  await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  return selectHeld(trx, what, state).where('d.delivery_id', 'in', ids).execute()
}

function selectHeld(db: Db, { of, id, userId }: PausedThing, state: HeldState) {
  const column = { account: 'a.account_id', brand: 'a.brand_id', queue: 'p.queue_id' } as const
  return db
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
}
