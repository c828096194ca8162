import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery, FollowUp } from '#contract/deliveries.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { putDelivery } from './posts-cache.ts'
import { AccountName } from '#web/platforms/account-name.tsx'

/** A problem under the post needs the user, or is a link that nobody asks for any more. The rest is in the timeline. */
const isShown = ({ kind, status, needs_attention }: FollowUp): boolean =>
  needs_attention || (kind === 'public_link' && status === 'failed')

const NAMES: Record<FollowUp['kind'], string> = {
  first_comment: 'first comment',
  public_link: 'link',
  comments_off: 'comments',
  // Platforms that set it later call it so.
  cover: 'thumbnail',
  as_asked: 'post',
}

type Action = FollowUp['actions'][number]
const CALLS = { retry: 'retryFollowUp', dismiss: 'dismissFollowUp' } as const

type Props = {
  delivery: Delivery
  /** Name the account, if the post has several. */
  named: boolean
  /** Called when an action succeeds: the button disappears, so the focus must move. */
  onActionDone: () => void
}

/** Names a follow-up that failed or is unconfirmed, and what the user can do about it. */
export const FollowUpProblems = ({ delivery, named, onActionDone }: Props) =>
  delivery.follow_ups
    .filter(isShown)
    .map((followUp) => (
      <FollowUpProblem
        key={followUp.kind}
        delivery={delivery}
        followUp={followUp}
        named={named}
        onActionDone={onActionDone}
      />
    ))

function FollowUpProblem({ delivery, followUp, named, onActionDone }: Props & { followUp: FollowUp }) {
  const { kind, status, message, remedy, needs_attention, actions } = followUp
  const act = useMutation({
    mutationFn: (action: Action) =>
      call(CALLS[action], { params: { deliveryId: delivery.delivery_id, kind } }),
    onSuccess: (moved) => {
      onActionDone()
      putDelivery(moved)
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  const isLook = kind === 'as_asked'
  // An unconfirmed follow-up is only looked for again.
  const words = {
    retry: status === 'unconfirmed' || isLook ? 'Check again' : 'Retry',
    dismiss: 'Dismiss',
  } as const
  return (
    <>
      <InlineAlert
        tone={needs_attention ? 'attention' : 'note'}
        live={false}
        actions={actions.map((action) => (
          <Button
            key={action}
            size="xs"
            variant={action === 'dismiss' ? 'subtle' : 'default'}
            loading={act.isPending && act.variables === action}
            disabled={act.isPending && act.variables !== action}
            onClick={() => act.mutate(action)}
            aria-label={`${words[action]}, ${NAMES[kind]}: ${accountOnPlatform(delivery)}`}
          >
            {words[action]}
          </Button>
        ))}
      >
        {named && (
          <>
            <AccountName of={delivery} />{' '}
          </>
        )}
        {/* The platform may have removed it since. */}
        {isLook ? 'The post went live.' : 'The post is live.'} <strong>{message}</strong> {remedy}
      </InlineAlert>
      {act.error && <InlineAlert>{messageOf(act.error, TEXTS.unknownError)}</InlineAlert>}
    </>
  )
}

export const hasFollowUpProblem = ({ follow_ups }: Delivery): boolean => follow_ups.some(isShown)

export const needsFollowUp = ({ follow_ups }: Delivery): boolean =>
  follow_ups.some(({ needs_attention }) => needs_attention)
