import { DeliveryStatus } from '#contract/deliveries.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import { lockUndecidedDeliveries } from './store.ts'

/** Cancels what of a post has not gone out. @returns the states of those that can neither be cancelled nor have an outcome */
export async function cancelPost(
  trx: Db,
  { encrypter, now }: { readonly encrypter: Encrypter; readonly now: () => number },
  userId: number,
  postId: number,
): Promise<DeliveryStatus[]> {
  const open: DeliveryStatus[] = []
  for (const { delivery_id: deliveryId, state } of await lockUndecidedDeliveries(trx, postId)) {
    const event = { type: 'cancel' } as const
    const result = await applyUserEvent(trx, encrypter, { deliveryId, userId, event, now: now() })
    if (result === null || 'refused' in result) open.push(DeliveryStatus.parse(state))
  }
  return open
}
