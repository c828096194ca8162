import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { CallTimes } from '#domain/rate-limit/sliding-window.ts'
import type { Db } from '#base/db/open.ts'
import { externalIdIn } from './account-id.ts'

/** The call times of one account and kind of call; the row is locked until the transaction ends. */
export type LockedTimes = {
  readonly platform: PlatformId
  readonly externalId: string
  readonly call: string
  readonly times: CallTimes
}

const Moments = z.array(z.number())

/** @param owner one of our accounts, or a platform's account id */
export async function lockCallTimes(
  trx: Db,
  platform: PlatformId,
  owner: { readonly accountId: number } | { readonly externalId: string },
  call: string,
): Promise<LockedTimes> {
  const externalId = 'accountId' in owner ? externalIdIn(owner.accountId) : sql`${owner.externalId}::text`
  const locks = sql<{ external_id: string; made: unknown; reserved: unknown }>`
    with owner as (select ${externalId} as external_id),
    found as (select made, reserved from platform_call_slots
      where platform = ${platform} and external_id = (select external_id from owner) and call = ${call} for update),
    added as (insert into platform_call_slots (platform, external_id, call)
      select ${platform}, external_id, ${call} from owner where not exists (select from found)
      on conflict do nothing returning made, reserved)
    select owner.external_id, made, reserved
    from owner, (select made, reserved from found union all select made, reserved from added) slots`
  for (;;) {
    const [row] = (await locks.execute(trx)).rows
    // Another transaction added the row meanwhile: read it.
    if (!row) continue
    const times = { made: Moments.parse(row.made), reserved: Moments.parse(row.reserved) }
    return { platform, externalId: row.external_id, call, times }
  }
}

export const saveCallTimes = (trx: Db, locked: LockedTimes, times: CallTimes): Promise<unknown> =>
  trx
    .updateTable('platform_call_slots')
    .set({ made: JSON.stringify(times.made), reserved: JSON.stringify(times.reserved) })
    .where('platform', '=', locked.platform)
    .where('external_id', '=', locked.externalId)
    .where('call', '=', locked.call)
    .execute()
