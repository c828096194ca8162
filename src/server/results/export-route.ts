import type { FastifyInstance } from 'fastify'
import { accountName } from '#contract/accounts.ts'
import { API } from '#contract/api/api.ts'
import { METRICS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { ResultsAge } from '#contract/results.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { createClock } from '../csv/export-rows.ts'
import { type ExportDeps, mountCsv } from '../csv/export-route.ts'
import { eachResult, readFilter } from './list-results.ts'
import { type ResultsFilter, describeResult } from './read.ts'

export const RESULTS_COLUMNS = [
  'post_id',
  'platform',
  'account',
  'caption',
  'live_at',
  'zone',
  'age',
  ...METRICS,
  'missing',
] as const

export const mountResultsExport = (app: FastifyInstance, { db, ...deps }: ExportDeps): void =>
  mountCsv(app, deps, API.exportResults, {
    subject: 'results',
    columns: RESULTS_COLUMNS,
    open: async (user, query, track) => {
      const filter = await track(() => readFilter(db, user, query))
      return resultLines({ db, now: deps.now }, user, filter, track)
    },
  })

/** A line for each result of a filter. */
export async function* resultLines(
  { db, now }: Pick<ExportDeps, 'db' | 'now'>,
  user: { readonly timezone: string },
  filter: ResultsFilter & { readonly age: ResultsAge },
  track: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<Partial<Record<(typeof RESULTS_COLUMNS)[number], string>>> {
  const zone = knownZone(user.timezone)
  const clock = createClock(zone)
  const { age } = filter
  for await (const { row, post } of eachResult(db, filter, track)) {
    const values = describeResult(row, age, now())
    const missing = METRICS.flatMap((metric) => {
      const reason = values[metric].missing
      return reason === null ? [] : `${metric}: ${reason}`
    })
    yield {
      ...Object.fromEntries(METRICS.map((metric) => [metric, String(values[metric].value ?? '')])),
      post_id: String(row.post_id),
      platform: PLATFORM_NAMES[row.platform],
      account: accountName(row),
      caption: post.text,
      live_at: clock(row.live_at.toISOString()),
      zone,
      age,
      missing: missing.join(', '),
    }
  }
}
