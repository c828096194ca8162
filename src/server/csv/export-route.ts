import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { FastifyInstance } from 'fastify'
import { API } from '#contract/api/api.ts'
import { EXPORT_COLUMNS } from '#contract/planning/csv.ts'
import { addDays, knownZone, startOfDay } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { ownsBrand } from '../accounts/store.ts'
import { type MountDeps, requireUser } from '../http/mount.ts'
import { parse } from '../http/parse.ts'
import { exportRows } from './export-rows.ts'
import { withoutFormulas } from './formulas.ts'

type ExportDeps = Pick<MountDeps, 'authenticate' | 'userLimit'> & {
  readonly db: Db
  readonly now: () => number
}

/** `GET /posts/export` streams, so that neither side holds the whole file. */
export function mountExport(app: FastifyInstance, { db, now, ...deps }: ExportDeps): void {
  const endpoint = API.exportPosts
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const user = await requireUser(deps, endpoint, request)
      if (!user) throw new Error('The export is for signed-in users.')
      await deps.userLimit.enter(user.user_id, reply.raw)
      const { brandId = null, from, to } = parse(endpoint.query, request.query, 'malformed')
      const track = <T>(work: () => Promise<T>) => deps.userLimit.track(reply.raw, work)
      const isTheirs = brandId === null || (await track(() => ownsBrand(db, user.user_id, brandId)))
      if (!isTheirs) throw notFound('brand')
      // Fastify would make the whole file and then discard it.
      if (request.method === 'HEAD') return reply.type('text/csv; charset=utf-8').send()
      const timezone = knownZone(user.timezone)
      const asked = {
        userId: user.user_id,
        brandId,
        timezone,
        from: from === undefined ? null : startOfDay(from, timezone),
        to: to === undefined ? null : startOfDay(addDays(to, 1), timezone),
      }
      const rows = exportRows(db, asked, track)
      return reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="reelay-posts-${new Date(now()).toISOString().slice(0, 10)}.csv"`,
        })
        .send(toCsv(rows, EXPORT_COLUMNS))
    },
  })
}

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
