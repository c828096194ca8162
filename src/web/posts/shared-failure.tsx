import { Box, Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { copyPath } from '#web/lib/paths.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { dismissFailures } from './delivery-actions.ts'
import { MoreInHelp } from './delivery-problem.tsx'
import { isOpenFailure } from './post.ts'

/** All open failures of a post, if there are several and they have one cause; else none. */
export function sharedFailures({ deliveries }: Post): readonly Delivery[] {
  const failed = deliveries.filter(isOpenFailure)
  const causes = new Set(failed.map(({ reason }) => reason?.message))
  return failed.length > 1 && causes.size === 1 ? failed : []
}

const NAMED = 3

/** Says once why a post failed on several accounts, and offers what can be done for all of them. */
export function SharedFailure({
  post,
  failures,
  onShowEach,
  onDone,
}: {
  post: Post
  failures: readonly Delivery[]
  onShowEach: () => void
  /** The buttons are about to disappear. */
  onDone: () => void
}) {
  const act = useMutation({
    mutationFn: async (what: 'retry' | 'dismiss') => {
      if (what === 'dismiss') await dismissFailures(post)
      else
        for (const { delivery_id: deliveryId } of failures)
          await call('retryDelivery', { params: { deliveryId }, body: {} })
    },
    onSuccess: onDone,
    // After an error, too, the shown data may be stale.
    onSettled: () => queryClient.invalidateQueries(ANY_POSTS),
  })
  const reason = failures[0]?.reason
  if (!reason) return null
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
  const canHelp = reason.needs_change !== true && failures.every(({ actions }) => actions.includes('retry'))
  const more = failures.length - NAMED
  return (
    <InlineAlert
      tone="failed"
      live={false}
      actions={
        <>
          {canHelp && button('retry', 'Retry all')}
          <Button size="xs" variant="default" component={Link} to={copyPath(post.post_id, 'failed')}>
            Edit and resend to {counted(failures.length, 'account')}
          </Button>
          <Button size="xs" variant="default" onClick={onShowEach}>
            Show each
          </Button>
          {button('dismiss', 'Dismiss all')}
        </>
      }
    >
      <Group component="span" gap="0 0.75rem" mb="0.25rem">
        {failures.slice(0, NAMED).map((delivery) => (
          <AccountName key={delivery.delivery_id} of={delivery} />
        ))}
        {more > 0 && <span>and {more} more</span>}
      </Group>
      <Box>
        <strong>{reason.message}</strong> {reason.remedy}
        <MoreInHelp reason={reason} />
      </Box>
      {act.error && <Box role="alert">{messageOf(act.error, TEXTS.unknownError)}</Box>}
    </InlineAlert>
  )
}
