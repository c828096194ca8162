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

export const calendarQuery = ({ from, days }: Range, timezone: string, filter: Filter) =>
  queryOptions({
    // The key begins like that of posts, so that a change of any post refreshes the calendar.
    queryKey: ['posts', 'calendar', { from, days, timezone, ...filter }],
    queryFn: ({ signal }) => call('getCalendar', { query: { from, days, timezone, ...filter }, signal }),
    placeholderData: keepPreviousData,
  })
