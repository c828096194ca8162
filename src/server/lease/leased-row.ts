import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

const ID_COLUMNS = { deliveries: 'delivery_id', follow_ups: 'follow_up_id' } as const

/** The fence tells a worker's claim of a row from every earlier one. */
export type LeasedRow = {
  readonly table: keyof typeof ID_COLUMNS
  readonly id: number
  readonly fence: number
}

/** Leases run on the database's clock, so that machines whose clocks differ agree on them. */
export const leaseEnd = (leaseMs: number) => sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`

/** Due at `now` (epoch ms), and no worker holds it. */
export const isFree = (now: number) =>
  sql<boolean>`wake_at <= ${new Date(now)} and (leased_until is null or leased_until < now())`

export const isHeldBy = (fence: number) => sql<boolean>`fence = ${fence} and leased_until > now()`

const isRow = ({ table, id }: LeasedRow) => sql<boolean>`${sql.ref(ID_COLUMNS[table])} = ${id}`

/** @returns the row's present version; null: the lease is lost */
export async function renewLease(db: Db, row: LeasedRow, leaseMs: number): Promise<number | null> {
  const renewed = await db
    .updateTable(row.table)
    .set({ leased_until: leaseEnd(leaseMs) })
    .where(isRow(row))
    .where(isHeldBy(row.fence))
    .returning('version')
    .executeTakeFirst()
  return renewed?.version ?? null
}

/** Ends the lease, unless another worker has claimed the row since. */
export async function releaseLease(db: Db, row: LeasedRow): Promise<void> {
  await db
    .updateTable(row.table)
    .set({ leased_until: null })
    .where(isRow(row))
    .where(isHeldBy(row.fence))
    .execute()
}
