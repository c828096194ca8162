import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CalendarStatus } from '#contract/planning/calendar.ts'
import type { AccountId, BrandId } from '#contract/ids.ts'
import { call } from '#web/api/api.ts'
import type { Range } from './range.ts'

export type Filter = {
  readonly brandId: BrandId | undefined
  readonly accountId: AccountId | undefined
  readonly status: CalendarStatus | undefined
}

/** What the calendar shows of some days; meanwhile what it showed before. */
export const calendarQuery = ({ from, days }: Range, timezone: string, filter: Filter) =>
  queryOptions({
    // Among the posts: whatever changes one refreshes it.
    queryKey: ['posts', 'calendar', { from, days, timezone, ...filter }],
    queryFn: ({ signal }) => call('getCalendar', { query: { from, days, timezone, ...filter }, signal }),
    placeholderData: keepPreviousData,
  })
