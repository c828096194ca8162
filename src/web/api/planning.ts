import { queryOptions, skipToken } from '@tanstack/react-query'
import type { PostId, QueueId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { call } from './api.ts'

/** The queues of all brands with their weekly slots. */
export const queuesQuery = queryOptions({
  queryKey: ['queues', 'list'],
  queryFn: ({ signal }) => call('listQueues', { signal }),
})

const SLOTS_SHOWN = 3

type Asked = {
  /** null: no queue, no request. */
  readonly queueId: QueueId | null
  readonly platforms: readonly PlatformId[]
  /** A post that has a place already; null: a new one. */
  readonly postId: PostId | null
}

/** The next free slots of a queue for a post to these platforms, and what its top and its end would mean. */
export const nextSlotsQuery = ({ queueId, platforms, postId }: Asked) =>
  queryOptions({
    queryKey: ['queues', 'next', queueId, platforms.join(), postId],
    queryFn:
      queueId === null
        ? skipToken
        : ({ signal }) =>
            call('listNextSlots', {
              params: { queueId },
              query: {
                count: SLOTS_SHOWN,
                ...(platforms.length > 0 && { platforms: platforms.join() }),
                ...(postId !== null && { postId }),
              },
              signal,
            }),
  })

/** Every list of queues and of their free slots. */
export const ANY_QUEUES = { queryKey: ['queues'] }
