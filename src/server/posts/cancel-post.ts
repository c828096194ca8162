import { DeliveryStatus } from '#contract/deliveries.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { lockUndecidedDeliveries } from './store.ts'

/** Cancels the post's deliveries that have not gone out. @returns the states of those that are on their way */
export async function cancelPost(
  trx: Db,
  { encrypter, now }: { readonly encrypter: Encrypter; readonly now: () => number },
  userId: number,
  postId: number,
): Promise<DeliveryStatus[]> {
  const undecided = await lockUndecidedDeliveries(trx, postId)
  const event = { type: 'cancel' } as const
  const { moved } = await applyUserEvents(
    trx,
    encrypter,
    undecided.map(({ delivery_id: deliveryId }) => ({ deliveryId, userId, event })),
    now(),
  )
  const open = undecided.filter(({ delivery_id }) => !moved.has(delivery_id))
  return open.map(({ state }) => DeliveryStatus.parse(state))
}
