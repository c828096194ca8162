import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { PostId } from '#contract/ids.ts'
import { call } from '#web/api/api.ts'
import { datedConditions, type ResultsView } from './results-address.ts'

/** Numbers are read hours apart. */
const STALE_MS = 60_000

/** Posts with their views on each account, a page at a time. @param today as `2026-11-28` */
export function resultsQuery({ age, sort, ...which }: ResultsView, today: string) {
  const conditions = datedConditions(which, today)
  return infiniteQueryOptions({
    queryKey: ['results', 'list', age, sort, conditions],
    queryFn: ({ pageParam, signal }) =>
      call('listResults', {
        query: { age, sort, ...conditions, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: STALE_MS,
  })
}

/** What one post did on each of its accounts. */
export const postResultsQuery = (postId: PostId) =>
  queryOptions({
    queryKey: ['results', 'one', postId],
    queryFn: ({ signal }) => call('getPostResults', { params: { postId }, signal }),
    staleTime: STALE_MS,
  })

export const resultsWeekQuery = queryOptions({
  queryKey: ['results', 'week'],
  queryFn: ({ signal }) => call('getResultsWeek', { signal }),
  staleTime: STALE_MS,
})
