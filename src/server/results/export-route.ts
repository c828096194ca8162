import type { FastifyInstance } from 'fastify'
import { accountName } from '#contract/accounts.ts'
import { API } from '#contract/api/api.ts'
import { METRICS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { ResultsAge } from '#contract/results.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { createClock } from '../csv/export-rows.ts'
import { toCsv } from '../csv/export-route.ts'
import { type MountDeps, requireUser } from '../http/mount.ts'
import { parse } from '../http/parse.ts'
import { eachResult, readFilter } from './list-results.ts'
import { type ResultsFilter, valuesOf } from './read.ts'

type ExportDeps = Pick<MountDeps, 'authenticate' | 'userLimit'> & {
  readonly db: Db
  readonly now: () => number
}

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

/** `GET /results/export` streams, so that neither side holds the whole file. */
export function mountResultsExport(app: FastifyInstance, { db, now, ...deps }: ExportDeps): void {
  const endpoint = API.exportResults
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const user = await requireUser(deps, endpoint, request)
      if (!user) throw new Error('The export is for signed-in users.')
      await deps.userLimit.enter(user.user_id, reply.raw)
      const query = parse(endpoint.query, request.query, 'malformed')
      const track = <T>(work: () => Promise<T>) => deps.userLimit.track(reply.raw, work)
      const filter = await track(() => readFilter(db, user, query))
      // Fastify would make the whole file and then discard it.
      if (request.method === 'HEAD') return reply.type('text/csv; charset=utf-8').send()
      const lines = resultLines({ db, now }, user, filter, track)
      return reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="reelay-results-${new Date(now()).toISOString().slice(0, 10)}.csv"`,
        })
        .send(toCsv(lines, RESULTS_COLUMNS))
    },
  })
}

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
    const values = valuesOf(row, age, now())
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
