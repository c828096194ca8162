import type { Insertable, Selectable } from 'kysely'
import { LINK_STATE_TTL_MS } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts, LinkAttempts } from '#base/db/tables.ts'
import { secretHash } from '#base/secret.ts'
import type { AccountRow } from './store.ts'

export type Attempt = Selectable<LinkAttempts>

export async function insertAttempt(db: Db, attempt: Insertable<LinkAttempts>): Promise<void> {
  await db.insertInto('link_attempts').values(attempt).execute()
}

export const findAttempt = (
  db: Db,
  userId: number,
  platformId: PlatformId,
  state: string,
): Promise<Attempt | undefined> =>
  db
    .selectFrom('link_attempts')
    .selectAll()
    .where('state_hash', '=', secretHash(state))
    .where('user_id', '=', userId)
    .where('platform', '=', platformId)
    .executeTakeFirst()

/** True for exactly one caller, and only while the attempt is young enough. */
export async function consumeAttempt(db: Db, attempt: Attempt, now: number): Promise<boolean> {
  const taken = await db
    .updateTable('link_attempts')
    .set({ used_at: new Date(now) })
    .where('state_hash', '=', attempt.state_hash)
    .where('used_at', 'is', null)
    .where('created_at', '>', new Date(now - LINK_STATE_TTL_MS))
    .returning('state_hash')
    .executeTakeFirst()
  return taken !== undefined
}

export async function saveOutcome(db: Db, attempt: Attempt, outcome: object): Promise<void> {
  await db
    .updateTable('link_attempts')
    .set({ outcome: JSON.stringify(outcome) })
    .where('state_hash', '=', attempt.state_hash)
    .execute()
}

/** Protects a brand from deletion until the transaction ends; false if it is already deleted. */
export async function lockBrand(trx: Db, brandId: number): Promise<boolean> {
  const brand = await trx
    .selectFrom('brands')
    .select('brand_id')
    .where('brand_id', '=', brandId)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  return brand !== undefined
}

export async function brandTitle(db: Db, brandId: number): Promise<string | undefined> {
  const brand = await db
    .selectFrom('brands')
    .select('title')
    .where('brand_id', '=', brandId)
    .executeTakeFirst()
  return brand?.title
}

export const findNames = (db: Db, accountId: number) =>
  db
    .selectFrom('accounts')
    .select(['username', 'display_name'])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()

/** The user's row for this platform account: the linked one, else an unlinked one of the same brand. */
export async function findKnownAccount(
  trx: Db,
  attempt: Attempt,
  externalId: string,
): Promise<AccountRow | undefined> {
  const rows = await trx
    .selectFrom('accounts')
    .selectAll()
    .where('user_id', '=', attempt.user_id)
    .where('platform', '=', attempt.platform)
    .where('external_id', '=', externalId)
    .orderBy('account_id', 'desc')
    .forUpdate()
    .execute()
  return (
    rows.find(({ unlinked_at }) => unlinked_at === null) ??
    rows.find(({ brand_id }) => brand_id === attempt.brand_id)
  )
}

export async function updateAccount(
  trx: Db,
  accountId: number,
  values: Partial<Insertable<Accounts>>,
): Promise<void> {
  await trx.updateTable('accounts').set(values).where('account_id', '=', accountId).execute()
}

/** @returns its id; null if another browser links the same account concurrently */
export async function insertAccount(trx: Db, account: Insertable<Accounts>): Promise<number | null> {
  const inserted = await trx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .returning('account_id')
    .executeTakeFirst()
  return inserted?.account_id ?? null
}
