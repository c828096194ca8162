import { queryOptions } from '@tanstack/react-query'
import type { BrandId } from '#contract/ids.ts'
import type { OwnReport } from '#contract/reports.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'

/** The report of one brand and month. */
export type ReportKey = { readonly brandId: BrandId; readonly month: string }

export const reportQuery = ({ brandId, month }: ReportKey) =>
  queryOptions({
    queryKey: ['results', 'report', brandId, month],
    queryFn: ({ signal }) => call('getReport', { params: { brandId, month }, signal }),
  })

/** Shows what a call has changed, without counting the whole month again. */
export const updateReport = (key: ReportKey, changed: Partial<OwnReport>): void =>
  void queryClient.setQueryData(
    reportQuery(key).queryKey,
    (report: OwnReport | undefined) => report && { ...report, ...changed },
  )

/** A report by the token of its address, the same for everybody. */
export const sharedReportQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared report', token],
    queryFn: ({ signal }) => call('getSharedReport', { params: { token }, signal }),
    staleTime: Infinity,
    meta: { keptAtLogOut: true },
  })
