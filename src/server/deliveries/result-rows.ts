import { type RawBuilder, sql } from 'kysely'
import { PLATFORM_IDS, PlatformId, RESULTS_KEPT_DAYS } from '#contract/platforms/index.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { DAY_MS, LAST_AGE_MS, nextReadAt } from '#domain/results/schedule.ts'
import type { Db } from '#base/db/open.ts'

/** Part of the save that makes a delivery published: its numbers are read from then on. */
export async function followResults(
  trx: Db,
  delivery: {
    readonly deliveryId: number
    readonly postId: number
    readonly userId: number
    readonly accountId: number
    /** null: its post was deleted here. */
    readonly goesOutAt: Date | null
  },
  before: DeliveryState,
  after: DeliveryState,
): Promise<void> {
  if (after.kind !== 'published' || before.kind === 'published' || delivery.goesOutAt === null) return
  const nextAt = new Date(nextReadAt(after.at, after.at) ?? after.at)
  await sql`
    with followed as (
      insert into results (delivery_id, post_id, user_id, account_id, brand_id, live_at, next_at)
      select ${delivery.deliveryId}, ${delivery.postId}, ${delivery.userId}, account_id, brand_id, ${new Date(after.at)}, ${nextAt}
      from accounts where account_id = ${delivery.accountId}
      on conflict do nothing returning account_id, user_id)
    insert into result_readers as r (account_id, user_id, wake_at) select account_id, user_id, ${nextAt} from followed
    on conflict (account_id) do update set wake_at = least(r.wake_at, excluded.wake_at)`.execute(trx)
}

/** Part of linking an account, perhaps with the permission that it lacked: what its posts did is read now. */
export async function readResultsNow(trx: Db, accountId: number, now: number): Promise<void> {
  const at = new Date(now)
  // A reading that is under way was made without the permission: it is not saved.
  await trx
    .updateTable('result_readers')
    .set((eb) => ({ wake_at: at, leased_until: null, fence: eb('fence', '+', 1) }))
    .where('account_id', '=', accountId)
    .execute()
  const ids = await lockResults(
    trx,
    sql`account_id = ${accountId} and live_at > ${new Date(now - LAST_AGE_MS)}`,
  )
  if (ids.length > 0)
    await trx.updateTable('results').set({ next_at: at }).where('delivery_id', 'in', ids).execute()
}

/** Part of the deletion of a post: its numbers are deleted with it. */
export async function deleteResultsOfPost(trx: Db, postId: number): Promise<void> {
  const ids = await lockResults(trx, sql`post_id = ${postId}`)
  if (ids.length > 0) await trx.deleteFrom('results').where('delivery_id', 'in', ids).execute()
}

/** In one order, so that a reading and a deletion do not wait for each other. @returns their deliveries */
export async function lockResults(trx: Db, which: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{
    delivery_id: number
  }>`select delivery_id from results where ${which} order by delivery_id for update`.execute(trx)
  return rows.map(({ delivery_id }) => delivery_id)
}

/** Deletes numbers that their platform lets apps keep for some days only. @param now epoch ms */
export async function deleteOldResults(db: Db, now: number): Promise<void> {
  for (const platform of PLATFORM_IDS) {
    const days = RESULTS_KEPT_DAYS[platform]
    if (days === null) continue
    const before = new Date(now - days * DAY_MS)
    await db
      .transaction()
      .execute((trx) =>
        deleteNumbers(
          trx,
          sql`select account_id from accounts where platform = ${platform}`,
          sql`read_at < ${before}`,
        ),
      )
  }
}

/** Part of unlinking accounts: deletes their numbers where the platform lets apps keep them for some days only. */
export const deleteResultsOnUnlink = (
  trx: Db,
  accounts: readonly { readonly account_id: number; readonly platform: string }[],
): Promise<void> =>
  deleteAccountNumbers(
    trx,
    accounts.flatMap(({ account_id, platform }) =>
      RESULTS_KEPT_DAYS[PlatformId.parse(platform)] === null ? [] : account_id,
    ),
  )

/** Deletes all numbers of these accounts. A reading that is under way is not saved any more. */
export async function deleteAccountNumbers(trx: Db, accountIds: readonly number[]): Promise<void> {
  if (accountIds.length === 0) return
  await trx
    .updateTable('result_readers')
    .set((eb) => ({ wake_at: null, leased_until: null, fence: eb('fence', '+', 1) }))
    .where('account_id', 'in', accountIds)
    .execute()
  await deleteNumbers(trx, sql`select unnest(${[...accountIds]}::bigint[])`, sql`read_at is not null`)
}

async function deleteNumbers(
  trx: Db,
  accounts: RawBuilder<unknown>,
  wanted: RawBuilder<unknown>,
): Promise<void> {
  const ids = await lockResults(trx, sql`account_id in (${accounts}) and ${wanted}`)
  await sql`delete from result_marks where account_id in (${accounts}) and ${wanted}`.execute(trx)
  await sql`update results set latest = '{}', read_at = null where delivery_id = any(${ids}::bigint[])`.execute(
    trx,
  )
}
