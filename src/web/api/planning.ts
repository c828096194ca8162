import { queryOptions, skipToken } from '@tanstack/react-query'
import type { PostId, ScheduleId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { call } from './api.ts'

/** The posting schedules of all brands with their weekly slots. */
export const schedulesQuery = queryOptions({
  queryKey: ['schedules', 'list'],
  queryFn: ({ signal }) => call('listSchedules', { signal }),
})

const SLOTS_SHOWN = 3

type Asked = {
  /** null: no schedule, no request. */
  readonly scheduleId: ScheduleId | null
  readonly platforms: readonly PlatformId[]
  /** A post that has a place already; null: a new one. */
  readonly postId: PostId | null
}

/** The next free slots of a posting schedule for a post to these platforms, and what its top and its end would mean. */
export const nextSlotsQuery = ({ scheduleId, platforms, postId }: Asked) =>
  queryOptions({
    queryKey: ['schedules', 'next', scheduleId, platforms.join(), postId],
    queryFn:
      scheduleId === null
        ? skipToken
        : ({ signal }) =>
            call('listNextSlots', {
              params: { scheduleId },
              query: {
                count: SLOTS_SHOWN,
                ...(platforms.length > 0 && { platforms: platforms.join() }),
                ...(postId !== null && { postId }),
              },
              signal,
            }),
  })

/** Every list of posting schedules and of their free slots. */
export const ANY_SCHEDULES = { queryKey: ['schedules'] }
