import { resultsEndpoints, ResultsAge } from '#contract/results.ts'
import {
  formatListConditions,
  type ListConditions,
  parseListConditions,
  withoutUndefined,
} from '#web/platforms/list-conditions.ts'
import { type ShowView, useAddressView } from '#web/ui/use-address-view.ts'

const Sort = resultsEndpoints.listResults.query.shape.sort.removeDefault()

/** The state of the results is in their address, so that one can come back to it. */
export type ResultsView = {
  readonly age: ResultsAge
  readonly sort: 'newest' | 'views'
  /** The last days, up to the present one, in place of fixed days among the conditions; null: not chosen. */
  readonly days: Period | null
  readonly conditions: ListConditions
}

export const PERIODS = [7, 28, 90] as const
type Period = (typeof PERIODS)[number]

export const useResultsView = (): [ResultsView, ShowView<ResultsView>] =>
  useAddressView(parseResultsAddress, formatResultsAddress)

/** Reads the address; invalid values are ignored. */
export function parseResultsAddress(params: URLSearchParams): ResultsView {
  const days = PERIODS.find((period) => String(period) === params.get('days')) ?? null
  const conditions = parseListConditions(params)
  return {
    age: ResultsAge.safeParse(params.get('age')).data ?? '24h',
    sort: Sort.safeParse(params.get('sort')).data ?? 'newest',
    days,
    conditions: days === null ? conditions : withoutDays(conditions),
  }
}

export const withoutDays = (conditions: ListConditions): ListConditions =>
  withoutUndefined({ ...conditions, from: undefined, to: undefined })

/** Writes only what differs from all posts after 24 hours, newest first. */
export const formatResultsAddress = ({ age, sort, days, conditions }: ResultsView): URLSearchParams =>
  new URLSearchParams({
    ...(age !== '24h' && { age }),
    ...(sort !== 'newest' && { sort }),
    ...(days !== null && { days: String(days) }),
    ...formatListConditions(conditions),
  })

/** The conditions with the first of the last days, today included. @param today as `2026-11-28` */
export const datedConditions = (
  { days, conditions }: Pick<ResultsView, 'days' | 'conditions'>,
  today: string,
): ListConditions =>
  days === null
    ? conditions
    : {
        ...conditions,
        from: new Date(Date.parse(today) - (days - 1) * 86_400_000).toISOString().slice(0, 10),
      }
