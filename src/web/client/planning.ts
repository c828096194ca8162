import { queryOptions, skipToken } from '@tanstack/react-query'
import type { QueueId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { call } from './api.ts'

/** The queues of all brands with their weekly slots. */
export const queuesQuery = queryOptions({
  queryKey: ['queues', 'list'],
  queryFn: ({ signal }) => call('listQueues', { signal }),
})

/** Enough to see the rhythm of a queue. */
const SLOTS_SHOWN = 3

/** The next free slots of a queue for a post to these platforms; null: no queue, no request. */
export const nextSlotsQuery = (queueId: QueueId | null, platforms: readonly PlatformId[]) =>
  queryOptions({
    queryKey: ['queues', 'next', queueId, platforms.join()],
    queryFn:
      queueId === null
        ? skipToken
        : ({ signal }) =>
            call('listNextSlots', {
              params: { queueId },
              query: { count: SLOTS_SHOWN, ...(platforms.length > 0 && { platforms: platforms.join() }) },
              signal,
            }),
  })

/** Every list of queues and of their free slots. */
export const ANY_QUEUES = { queryKey: ['queues'] }
