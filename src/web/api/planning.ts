import { queryOptions, skipToken } from '@tanstack/react-query'
import type { AccountId, PostId, ScheduleId } from '#contract/ids.ts'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { call } from './api.ts'

/** The posting schedules of all brands with their weekly slots. */
export const schedulesQuery = queryOptions({
  queryKey: ['schedules', 'list'],
  queryFn: ({ signal }) => call('listSchedules', { signal }),
})

const SLOTS_SHOWN = 3

/** An account that gets a post: a slot must be for its platform, and free of its other posts. */
export type PlacedAccount = { readonly account_id: AccountId; readonly platform: PlatformId }

type Asked = {
  /** null: no schedule, no request. */
  readonly scheduleId: ScheduleId | null
  /** Those that get the post; empty: not known yet. */
  readonly accounts: readonly PlacedAccount[]
  /** A post that has a place already; null: a new one. */
  readonly postId: PostId | null
}

/** The next free slots of a posting schedule for a post to these accounts, and what its top and its end would mean. */
export const nextSlotsQuery = ({ scheduleId, accounts, postId }: Asked) => {
  const platforms = PLATFORM_IDS.filter((id) => accounts.some(({ platform }) => platform === id)).join()
  const ids = accounts.map(({ account_id }) => account_id).join()
  return queryOptions({
    queryKey: ['schedules', 'next', scheduleId, platforms, ids, postId],
    queryFn:
      scheduleId === null
        ? skipToken
        : ({ signal }) =>
            call('listNextSlots', {
              params: { scheduleId },
              query: {
                count: SLOTS_SHOWN,
                ...(accounts.length > 0 && { platforms, accounts: ids }),
                ...(postId !== null && { postId }),
              },
              signal,
            }),
  })
}

/** Every list of posting schedules and of their free slots. */
export const ANY_SCHEDULES = { queryKey: ['schedules'] }
