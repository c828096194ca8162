import { useMutation } from '@tanstack/react-query'
import type { Delivery, DeliveryAction } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { call } from '#web/api/api.ts'
import { putDelivery } from './posts-cache.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'

type Move = Exclude<DeliveryAction, 'link_again' | 'resume_planned'>

/** `confirmRepeat`: the user was asked, and posts the video although its account has it. */
export type Press = { readonly move: Move; readonly confirmRepeat?: true }

function make({ move, confirmRepeat }: Press, { delivery_id }: Delivery): Promise<Delivery> {
  const params = { deliveryId: delivery_id }
  const confirmed = confirmRepeat && { confirm_repeat: confirmRepeat }
  switch (move) {
    case 'retry':
      return call('retryDelivery', { params, body: { ...confirmed } })
    case 'dismiss':
      return call('dismissDelivery', { params })
    case 'cancel':
      return call('cancelDelivery', { params })
    case 'resolve_live':
      return call('resolveDelivery', { params, body: { outcome: 'live' } })
    case 'resolve_in_inbox':
      return call('resolveDelivery', { params, body: { outcome: 'in_inbox' } })
    case 'resolve_not_live':
      return call('resolveDelivery', { params, body: { outcome: 'not_live', ...confirmed } })
  }
}

/** `onActionDone` is called while the buttons still exist, so that it can move the focus. */
export const useDeliveryAction = (delivery: Delivery, onActionDone: () => void) =>
  useMutation({
    mutationFn: (press: Press) => make(press, delivery),
    onSuccess: (moved) => {
      onActionDone()
      putDelivery(moved)
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })

/** Takes all failures of a post from what needs attention. */
export const dismissFailures = ({ post_id }: Pick<Post, 'post_id'>) =>
  call('bulkPosts', { body: { action: 'dismiss', post_ids: [post_id] } })

/** Lets all planned posts go that are held after a restore. */
export const useResumePlanned = (onActionDone: () => void) =>
  useMutation({
    mutationFn: () => call('decideRestored', { body: { decision: 'resume_planned' } }),
    onSuccess: onActionDone,
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
