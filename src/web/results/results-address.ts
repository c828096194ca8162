import { resultsEndpoints, ResultsAge } from '#contract/results.ts'
import {
  formatListConditions,
  type ListConditions,
  parseListConditions,
} from '#web/platforms/list-conditions.ts'
import { type ShowView, useAddressView } from '#web/ui/use-address-view.ts'

const Sort = resultsEndpoints.listResults.query.shape.sort.removeDefault()

/** The state of the results is in their address, so that one can come back to it. */
export type ResultsView = {
  readonly age: ResultsAge
  readonly sort: 'newest' | 'views'
  readonly conditions: ListConditions
}

export const useResultsView = (): [ResultsView, ShowView<ResultsView>] =>
  useAddressView(parseResultsAddress, formatResultsAddress)

/** Reads the address; invalid values are ignored. */
export const parseResultsAddress = (params: URLSearchParams): ResultsView => ({
  age: ResultsAge.safeParse(params.get('age')).data ?? '24h',
  sort: Sort.safeParse(params.get('sort')).data ?? 'newest',
  conditions: parseListConditions(params),
})

/** Writes only what differs from all posts after 24 hours, newest first. */
export const formatResultsAddress = ({ age, sort, conditions }: ResultsView): URLSearchParams =>
  new URLSearchParams({
    ...(age !== '24h' && { age }),
    ...(sort !== 'newest' && { sort }),
    ...formatListConditions(conditions),
  })

/** The first of the last `days` days, today included. Both as `2026-11-28`. */
export const firstOfLast = (days: number, today: string): string =>
  new Date(Date.parse(today) - (days - 1) * 86_400_000).toISOString().slice(0, 10)
