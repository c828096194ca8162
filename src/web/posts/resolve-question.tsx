import type { RefObject } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { useDeliveryAction } from './delivery-actions.ts'
import { AskedRepeat, repeatsOf } from './repeats.tsx'

type Props = {
  delivery: Delivery
  /** What the user claims about the post. */
  says: keyof typeof ACTIONS
  /** Gets the focus back. */
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onActionDone: () => void
}

const ACTIONS = {
  resolve_live: "It's live",
  resolve_in_inbox: "It's in the inbox",
  resolve_not_live: 'Post again',
}

/** Asks before the user's answer ends the checking, with the consequences if it is wrong. */
export function ResolveQuestion({ delivery, says, asker, onKeep, onActionDone }: Props) {
  const move = useDeliveryAction(delivery, onActionDone)
  return (
    <>
      <Confirm
        question={<Question delivery={delivery} says={says} />}
        action={says === 'resolve_not_live' && delivery.to_inbox ? 'Send again' : ACTIONS[says]}
        keep={delivery.status === 'blocked' ? 'Keep it held' : 'Keep checking'}
        danger={says === 'resolve_not_live'}
        onConfirm={() => move.mutate({ move: says })}
        busy={move.isPending}
        failure={
          move.error && repeatsOf(move.error) === null ? messageOf(move.error, TEXTS.unknownError) : null
        }
        onKeep={onKeep}
        asker={asker}
      />
      <AskedRepeat move={move} />
    </>
  )
}

function Question({ delivery, says }: Pick<Props, 'delivery' | 'says'>) {
  const platform = PLATFORM_NAMES[delivery.platform]
  const name = accountName(delivery)
  switch (says) {
    case 'resolve_live':
      return (
        <>
          <strong>
            Is the post live for {name} on {platform}?
          </strong>{' '}
          Reelay marks it as published{delivery.status === 'blocked' ? '' : ' and stops checking'}. If it
          isn't live after all, you'll have to post it again.
        </>
      )
    case 'resolve_in_inbox':
      return (
        <>
          <strong>
            Is the draft in the {platform} inbox of {name}?
          </strong>{' '}
          Reelay won't send it again. Finish the post from {platform}'s notification.
        </>
      )
    case 'resolve_not_live':
      return delivery.to_inbox ? (
        <>
          <strong>Send it again?</strong> Look in the {platform} inbox of {name} first. Reelay checks with{' '}
          {platform} once more and sends the draft again unless {platform} confirms that it's there. If it's
          there after all, there will be two.
        </>
      ) : (
        <>
          <strong>Post it again?</strong> Look at {name} on {platform} first. Reelay checks with {platform}{' '}
          once more and posts the video again unless {platform} confirms that it's live. If it's live after
          all, it will be there twice.
        </>
      )
  }
}
