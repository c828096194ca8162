import { useMutation } from '@tanstack/react-query'
import type { Delivery, DeliveryAction } from '#contract/deliveries.ts'
import { call } from '#web/client/api.ts'
import { putDelivery } from './posts-cache.ts'
import { ANY_POSTS, queryClient } from '#web/client/queries.ts'

/** The actions on one delivery, except linking its account again. */
type Move = Exclude<DeliveryAction, 'link_again'>

function make(move: Move, { delivery_id }: Delivery): Promise<Delivery> {
  const params = { deliveryId: delivery_id }
  switch (move) {
    case 'retry':
      return call('retryDelivery', { params })
    case 'cancel':
      return call('cancelDelivery', { params })
    case 'resolve_live':
      return call('resolveDelivery', { params, body: { outcome: 'live' } })
    case 'resolve_in_inbox':
      return call('resolveDelivery', { params, body: { outcome: 'in_inbox' } })
    case 'resolve_not_live':
      return call('resolveDelivery', { params, body: { outcome: 'not_live' } })
  }
}

/** `onActionDone` is called while the buttons still exist, so that it can move the focus. */
export const useDeliveryAction = (delivery: Delivery, onActionDone: () => void) =>
  useMutation({
    mutationFn: (move: Move) => make(move, delivery),
    onSuccess: (moved) => {
      onActionDone()
      putDelivery(moved)
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
