import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { EXPORT_COLUMNS } from '#contract/planning/csv.ts'
import { knownZone, parseDayRange } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { ownsBrand } from '../accounts/store.ts'
import { type CallerDeps, requireCaller } from '../http/caller.ts'
import type { MountDeps } from '../http/mount.ts'
import { parse } from '../http/parse.ts'
import { exportRows } from './export-rows.ts'
import { withoutFormulas } from './formulas.ts'

export type ExportDeps = CallerDeps &
  Pick<MountDeps, 'userLimit'> & {
    readonly db: Db
    readonly now: () => number
  }

type Track = <T>(work: () => Promise<T>) => Promise<T>
type Owner = { readonly user_id: number; readonly timezone: string }

/** A file of the user's: its columns, the name of its subject, and its rows, whose reads `track` counts. */
type CsvFile<Q extends z.ZodObject> = {
  readonly subject: string
  readonly columns: readonly string[]
  readonly open: (user: Owner, query: z.output<Q>, track: Track) => Promise<AsyncIterable<object>>
}

/** Mounts a call that streams a CSV file, so that neither side holds the whole of it. */
export function mountCsv<Q extends z.ZodObject>(
  app: FastifyInstance,
  { now, ...deps }: Omit<ExportDeps, 'db'>,
  endpoint: Endpoint & { readonly query: Q },
  { subject, columns, open }: CsvFile<Q>,
): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const { user } = await requireCaller(deps, endpoint, request, reply)
      await deps.userLimit.enter(user.user_id, reply.raw)
      const query = parse(endpoint.query, request.query, 'malformed')
      const rows = await open(user, query, (work) => deps.userLimit.track(reply.raw, work))
      // Fastify would make the whole file and then discard it.
      if (request.method === 'HEAD') return reply.type('text/csv; charset=utf-8').send()
      return reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="reelay-${subject}-${new Date(now()).toISOString().slice(0, 10)}.csv"`,
        })
        .send(toCsv(rows, columns))
    },
  })
}

export const mountExport = (app: FastifyInstance, { db, ...deps }: ExportDeps): void =>
  mountCsv(app, deps, API.exportPosts, {
    subject: 'posts',
    columns: EXPORT_COLUMNS,
    open: async (user, { brandId = null, from, to }, track) => {
      const isTheirs = brandId === null || (await track(() => ownsBrand(db, user.user_id, brandId)))
      if (!isTheirs) throw notFound('brand')
      const timezone = knownZone(user.timezone)
      const asked = {
        userId: user.user_id,
        brandId,
        timezone,
        ...parseDayRange({ from, to }, timezone),
      }
      return exportRows(db, asked, track)
    },
  })

/** RFC 4180. Spreadsheets recognise UTF-8 by the byte order mark, and text by a leading apostrophe. */
export function toCsv(rows: AsyncIterable<object>, columns: readonly string[]): Readable {
  const lines = stringify({
    header: true,
    columns: [...columns],
    bom: true,
    record_delimiter: 'windows',
    // Other programs treat a bare line break as the end of a line, the writer only its own.
    quoted: true,
    quoted_empty: true,
    cast: { string: withoutFormulas },
  })
  // Ends each stream when the other fails or the client leaves; Fastify logs the failure.
  pipeline(Readable.from(rows), lines, () => undefined)
  return lines
}
