import { sql, type Selectable, type Updateable } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts } from '#base/db/tables.ts'
import { deadlineIn } from '#base/deadline.ts'

/** A platform answers a refresh within 30 s or not at all; a lease held for longer belongs to a dead or hung process. */
export const LEASE_MS = 45_000

export type AccessRow = Pick<Selectable<Accounts>, (typeof COLUMNS)[number]>

const COLUMNS = [
  'account_id',
  'user_id',
  'platform',
  'external_id',
  'username',
  'tokens',
  'relink_reason',
  'unlinked_at',
  'refresh_due_at',
  'refresh_failures',
] as const

export const selectAccess = (db: Db, accountId: number) =>
  db.selectFrom('accounts').select(COLUMNS).where('account_id', '=', accountId)

/** Accounts whose access is due for renewal at `now`, longest due first. */
export async function findDueRefreshes(
  db: Db,
  {
    platforms,
    now,
    limit,
  }: { readonly platforms: readonly PlatformId[]; readonly now: number; readonly limit: number },
): Promise<number[]> {
  const due = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('unlinked_at', 'is', null)
    .where('relink_reason', 'is', null)
    .where('refresh_due_at', '<=', new Date(now))
    .where('platform', 'in', platforms)
    .orderBy('refresh_due_at')
    .limit(limit)
    .execute()
  return due.map(({ account_id }) => account_id)
}

export async function setRelinkReason(trx: Db, accountId: number, message: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ relink_reason: message, refresh_leased_until: null })
    .where('account_id', '=', accountId)
    .execute()
}

/** The access that was read, as the row must still hold it. */
type Seen = { readonly encrypted: Buffer; readonly failures: number }

/** For one process, while the access is still the one that was read; on the database's clock. */
export async function takeRefreshLease(db: Db, accountId: number, seen: Seen): Promise<RefreshLease | null> {
  const early = deadlineIn(LEASE_MS / 4)
  const row = await db
    .updateTable('accounts')
    .set((account) => ({
      refresh_leased_until: sql<Date>`now() + ${LEASE_MS} * interval '1 millisecond'`,
      refresh_fence: account('refresh_fence', '+', 1),
    }))
    .where('account_id', '=', accountId)
    .where('tokens', '=', seen.encrypted)
    // Not after another process has just tried in vain.
    .where('refresh_failures', '=', seen.failures)
    .where('relink_reason', 'is', null)
    .where((account) =>
      account.or([
        account('refresh_leased_until', 'is', null),
        account('refresh_leased_until', '<', sql<Date>`now()`),
      ]),
    )
    .returning('refresh_fence')
    .executeTakeFirst()
  // A process that slept over most of its lease may not call any more: another may be at it by now.
  return row && !early.isOver() ? { fence: row.refresh_fence } : null
}
export type RefreshLease = { readonly fence: number }

/**
 * Ends the lease and saves what came of the refresh.
 * @returns false if the lease was lost or the access has changed meanwhile
 */
export async function endRefreshLease(
  db: Db,
  it: { readonly accountId: number; readonly lease: RefreshLease; readonly encrypted: Buffer },
  values: Updateable<Accounts>,
): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ ...values, refresh_leased_until: null })
    .where('account_id', '=', it.accountId)
    .where('refresh_fence', '=', it.lease.fence)
    .where('tokens', '=', it.encrypted)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}
