import { accountName } from '#contract/accounts.ts'
import { isEditable } from '#domain/delivery/by-user.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { Problem } from '#base/problem.ts'
import { stateToShow } from '../../deliveries/record.ts'
import { applyUserEvents, type UserEvent } from '../../deliveries/store.ts'
import type { Present } from './plan-edit.ts'
import type { LockedDelivery } from './store.ts'

export type EditedDelivery = Present &
  Pick<LockedDelivery, 'username' | 'display_name'> & {
    /** null: this version cannot read it. */
    readonly state: DeliveryState | null
  }

export function toEdited(row: LockedDelivery): EditedDelivery {
  const state = stateToShow(row)
  return {
    deliveryId: row.delivery_id,
    accountId: row.account_id,
    platform: row.platform,
    text: row.text,
    options: row.options as Record<string, unknown>, // checked by the platform's schema when it was stored
    afterMinutes: row.after_minutes,
    stage: isEditable(state) ? 'waiting' : state?.kind === 'cancelled' ? 'over' : 'started',
    state,
    username: row.username,
    display_name: row.display_name,
  }
}

/** The transaction has locked the deliveries and found them waiting. */
export async function applyEdits(
  trx: Db,
  { encrypter }: { readonly encrypter: Encrypter },
  edits: readonly UserEvent[],
  now: number,
): Promise<void> {
  const { moved } = await applyUserEvents(trx, encrypter, edits, now)
  assertMoved(edits, moved)
}

export function assertMoved(
  edits: readonly { readonly deliveryId: number }[],
  moved: ReadonlySet<number>,
): void {
  const left = edits.find(({ deliveryId }) => !moved.has(deliveryId))
  if (left) throw new Error(`Delivery ${left.deliveryId} changed while it was locked.`)
}

/** @param deliveries those that can no longer be changed */
export const started = (deliveries: readonly Pick<EditedDelivery, 'username' | 'display_name'>[]): Problem =>
  new Problem(
    'in_flight',
    `Posting to ${deliveries.map(accountName).join(', ')} has already started or ended, so it can no longer be changed.`,
  )
