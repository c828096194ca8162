import { Box, Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Delivery, DeliveryAction } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { isWaiting } from '#domain/delivery/waiting.ts'
import { call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { copyPath } from '#web/lib/paths.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { dismissFailures } from './delivery-actions.ts'
import { helpSaysMore, MoreInHelp, remedyOf, toneOf, wordOf } from './delivery-problem.tsx'
import { worstFirst } from './post-summary.ts'
import { isOpenFailure } from './post.ts'

/** All open failures of a post, if there are several and they have one cause; else none. */
export function sharedFailures({ deliveries }: Post): readonly Delivery[] {
  const failed = deliveries.filter(isOpenFailure)
  const causes = new Set(failed.map(({ reason }) => reason?.message))
  return failed.length > 1 && causes.size === 1 ? failed : []
}

/** The accounts of a post by what became of them and why, worst first. */
export const groupByCause = ({ deliveries }: Post): ReadonlyMap<string, readonly Delivery[]> =>
  Map.groupBy(worstFirst(deliveries), causeOf)

const causeOf = (delivery: Delivery): string => {
  const { status, cause, settled, reason, actions } = delivery
  return JSON.stringify([status, cause, settled?.kind, reason && [reason.message, actions]])
}

const NAMED = 3

/** Says once why several accounts of a post are where they are, and offers what can be done for all of them. */
export function SharedProblem({
  post,
  deliveries,
  onShowEach,
  onDone,
}: {
  post: Post
  deliveries: readonly Delivery[]
  onShowEach: () => void
  /** The buttons are about to disappear. */
  onDone: () => void
}) {
  const areAllFailures =
    deliveries.every(isOpenFailure) && post.deliveries.filter(isOpenFailure).length === deliveries.length
  const act = useMutation({
    mutationFn: async (what: 'retry' | 'dismiss') => {
      if (what === 'dismiss' && areAllFailures) return dismissFailures(post)
      for (const { delivery_id: deliveryId } of deliveries)
        await (what === 'dismiss'
          ? call('dismissDelivery', { params: { deliveryId } })
          : call('retryDelivery', { params: { deliveryId }, body: {} }))
    },
    onSuccess: onDone,
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  const [first] = deliveries
  const reason = first?.reason
  if (!reason) return null
  const canAll = (action: DeliveryAction) => deliveries.every(({ actions }) => actions.includes(action))
  const button = (what: 'retry' | 'dismiss', word: string) => (
    <Button
      size="xs"
      variant={what === 'dismiss' ? 'subtle' : 'default'}
      loading={act.isPending && act.variables === what}
      disabled={act.isPending}
      onClick={() => act.mutate(what)}
    >
      {word}
    </Button>
  )
  const more = deliveries.length - NAMED
  return (
    <InlineAlert
      tone={toneOf(first)}
      live={false}
      actions={
        <>
          {reason.needs_change !== true &&
            canAll('retry') &&
            button('retry', wordOf('retry', first) === 'Retry' ? 'Retry all' : 'Publish all now')}
          {areAllFailures && (
            <Button size="xs" variant="default" component={Link} to={copyPath(post.post_id, 'failed')}>
              Edit and resend to {counted(deliveries.length, 'account')}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onShowEach}>
            Show each
          </Button>
          {(areAllFailures || canAll('dismiss')) && button('dismiss', 'Dismiss all')}
        </>
      }
    >
      <Group component="span" gap="0 0.75rem" mb="0.25rem">
        {deliveries.slice(0, NAMED).map((delivery) => (
          <AccountName key={delivery.delivery_id} of={delivery} />
        ))}
        {more > 0 && <span>and {more} more</span>}
      </Group>
      <Box>
        <strong>{reason.message}</strong> {remedyOf(first)}
        {helpSaysMore(first) && !isWaiting(reason) && <MoreInHelp reason={reason} />}
      </Box>
      {act.error && <Box role="alert">{messageOf(act.error, TEXTS.unknownError)}</Box>}
    </InlineAlert>
  )
}
