import { z } from 'zod'
import type { PlatformId } from '#contract/platforms/index.ts'
import { type CallSlots, NO_SLOTS } from '#domain/rate-limit/sliding-window.ts'
import type { Db } from '#base/db/open.ts'

/** The slots of one kind of call for one account, whose row is locked until the transaction ends. */
export type LockedSlots = {
  readonly platform: PlatformId
  readonly externalId: string
  readonly call: string
  readonly slots: CallSlots
}

const Moments = z.array(z.number())

export async function lockSlots(
  trx: Db,
  platform: PlatformId,
  externalId: string,
  call: string,
): Promise<LockedSlots> {
  await trx
    .insertInto('platform_call_slots')
    .values({ platform, external_id: externalId, call })
    .onConflict((row) => row.doNothing())
    .execute()
  const row = await trx
    .selectFrom('platform_call_slots')
    .select(['made', 'reserved'])
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .where('call', '=', call)
    .forUpdate()
    .executeTakeFirst()
  const slots = row ? { made: Moments.parse(row.made), reserved: Moments.parse(row.reserved) } : NO_SLOTS
  return { platform, externalId, call, slots }
}

export async function saveSlots(trx: Db, locked: LockedSlots, slots: CallSlots): Promise<void> {
  await trx
    .updateTable('platform_call_slots')
    .set({ made: JSON.stringify(slots.made), reserved: JSON.stringify(slots.reserved) })
    .where('platform', '=', locked.platform)
    .where('external_id', '=', locked.externalId)
    .where('call', '=', locked.call)
    .execute()
}
