import type { RefObject } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { useDeliveryAction } from './delivery-actions.ts'

type Props = {
  delivery: Delivery
  /** What the user claims about the post. */
  says: 'resolve_live' | 'resolve_not_live'
  /** Gets the focus back. */
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onActionDone: () => void
}

/** Asks before the user's answer ends the checking, with the consequences if it is wrong. */
export function ResolveQuestion({ delivery, says, asker, onKeep, onActionDone }: Props) {
  const move = useDeliveryAction(delivery, onActionDone)
  const platform = PLATFORM_NAMES[delivery.platform]
  const name = accountName(delivery)
  return (
    <Confirm
      question={
        says === 'resolve_live' ? (
          <>
            <strong>
              Is the post live for {name} on {platform}?
            </strong>{' '}
            Reelay marks it as published and stops checking. If it isn't live after all, you'll have to post
            it again.
          </>
        ) : (
          <>
            <strong>Post it again?</strong> Look at {name} on {platform} first. Reelay checks with {platform}{' '}
            once more and posts the video again unless {platform} confirms that it's live. If it's live after
            all, it will be there twice.
          </>
        )
      }
      action={says === 'resolve_live' ? "It's live" : 'Post again'}
      keep="Keep checking"
      danger={says === 'resolve_not_live'}
      onConfirm={() => move.mutate(says)}
      busy={move.isPending}
      failure={move.error && messageOf(move.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
