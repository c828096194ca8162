import type { RefObject } from 'react'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { TEXTS } from '#contract/texts.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { useDeliveryAction } from './delivery-actions.ts'

type Props = {
  delivery: Delivery
  /** Name the account, if the post has several. */
  named: boolean
  /** Gets the focus back. */
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onCancelled: () => void
}

/** Asks before a delivery is cancelled, which cannot be undone. */
export function CancelQuestion({ delivery, named, asker, onKeep, onCancelled }: Props) {
  const move = useDeliveryAction(delivery, onCancelled)
  const whose = named ? ` for ${accountOnPlatform(delivery)}` : ''
  return (
    <Confirm
      question={
        <>
          <strong>Cancel this post{whose}?</strong> It won't be posted. You can't undo this.
        </>
      }
      action="Cancel post"
      onConfirm={() => move.mutate({ move: 'cancel' })}
      busy={move.isPending}
      failure={move.error && messageOf(move.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
