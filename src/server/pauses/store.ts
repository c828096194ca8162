import { sql } from 'kysely'
import type { Pausable } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'
import { selectWithPause } from '../deliveries/find-pause.ts'

export type PausedThing = { readonly of: Pausable; readonly id: number; readonly userId: number }

/** The table and key of each thing that can be paused, and the column with its deletion. */
const STORED = {
  account: { table: 'accounts', key: 'account_id', gone: 'unlinked_at' },
  brand: { table: 'brands', key: 'brand_id', gone: 'deleted_at' },
  queue: { table: 'queues', key: 'queue_id', gone: 'deleted_at' },
} as const

/** @returns true if the user has such a thing */
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

/** The paused thing's deliveries that are being sent, or wait for its resumption. */
export function selectHeld(db: Db, { of, id, userId }: PausedThing, state: 'preparing' | 'blocked') {
  const column = { account: 'a.account_id', brand: 'a.brand_id', queue: 'p.queue_id' } as const
  return selectWithPause(db)
    .where('d.user_id', '=', userId)
    .where('d.state', '=', state)
    .where(column[of], '=', id)
    .$if(state === 'blocked', (held) => held.where('d.cause', '=', 'paused'))
}
