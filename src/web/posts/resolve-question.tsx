import type { RefObject } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { useMove } from './delivery-moves.ts'

type Props = {
  delivery: Delivery
  /** What the user says of the post. */
  says: 'resolve_live' | 'resolve_not_live'
  /** Where the focus goes back to. */
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onMoved: () => void
}

/** The user's word ends the asking, so what follows is said before it counts, and what follows if it is wrong. */
export function ResolveQuestion({ delivery, says, asker, onKeep, onMoved }: Props) {
  const move = useMove(delivery, onMoved)
  const platform = PLATFORM_NAMES[delivery.platform]
  const name = accountName(delivery)
  return (
    <Confirm
      question={
        says === 'resolve_live' ? (
          <>
            <strong>
              Is it there, at {name} on {platform}?
            </strong>{' '}
            It then counts as published, and {platform} is not asked any more. If it is not there after all,
            it stays missing, and you have to post it anew.
          </>
        ) : (
          <>
            <strong>Send it again?</strong> Look at {name} on {platform} first. {platform} is asked once more,
            and if it does not say that the post is there, the video is sent anew. If it is there after all,
            it will be there twice.
          </>
        )
      }
      action={says === 'resolve_live' ? 'It is there' : 'Send again'}
      keep="Keep asking"
      danger={says === 'resolve_not_live'}
      onConfirm={() => move.mutate(says)}
      busy={move.isPending}
      failure={move.error && messageOf(move.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
