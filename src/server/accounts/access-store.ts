import { sql, type Selectable, type Updateable } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts } from '#base/db/tables.ts'
import { deadlineIn } from '#base/deadline.ts'
import { leaseEnd } from '../lease/leased-row.ts'

/** A platform answers a refresh within 30 s or not at all; a longer lease belongs to a dead or hung process. */
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

/** The access as it was read; the row must still contain it. */
type ReadAccess = { readonly encrypted: Buffer; readonly failures: number }

/** Granted to one process while the access is unchanged, by the database's clock. */
export async function takeRefreshLease(
  db: Db,
  accountId: number,
  seen: ReadAccess,
): Promise<RefreshLease | null> {
  const early = deadlineIn(LEASE_MS / 4)
  const row = await db
    .updateTable('accounts')
    .set((account) => ({
      refresh_leased_until: leaseEnd(LEASE_MS),
      refresh_fence: account('refresh_fence', '+', 1),
    }))
    .where('account_id', '=', accountId)
    .where('tokens', '=', seen.encrypted)
    // Refused right after another process tried in vain.
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
  // A process that slept through most of its lease must not call: another one may be calling.
  return row && !early.isOver() ? { fence: row.refresh_fence } : null
}
export type RefreshLease = { readonly fence: number }

/** Ends the lease and saves the result of the refresh. @returns false if the lease was lost or the access changed meanwhile */
export async function endRefreshLease(
  db: Db,
  input: { readonly accountId: number; readonly lease: RefreshLease; readonly encrypted: Buffer },
  values: Updateable<Accounts>,
): Promise<boolean> {
  const row = await db
    .updateTable('accounts')
    .set({ ...values, refresh_leased_until: null })
    .where('account_id', '=', input.accountId)
    .where('refresh_fence', '=', input.lease.fence)
    .where('tokens', '=', input.encrypted)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}
