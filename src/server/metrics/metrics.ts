import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { isDatabaseDown } from '#base/database-down.ts'
import type { Db } from '#base/db/open.ts'
import { counted, requestSeconds } from '#base/metrics.ts'
import { readDue, readMails } from '../doctor/checks.ts'

export type MetricsDeps = {
  /** `metricsToken`: null where nobody may ask. */
  readonly config: { readonly metricsToken: string | null }
  readonly backgroundDb: Db
  /** Epoch ms. */
  readonly now: () => number
}

/** `GET /metrics` in Prometheus' text format, for who has the token. Without a token the address does not exist. */
export function mountMetrics(app: FastifyInstance, deps: MetricsDeps): void {
  const { metricsToken } = deps.config
  if (metricsToken === null) return
  const current = new Registry()
  collectDefaultMetrics({ register: current })
  const readDatabase = createDatabaseGauges(current, deps)
  app.addHook('onResponse', (request, reply, done) => {
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
    const { url: route = 'none' } = request.routeOptions
    if (!isStream)
      requestSeconds.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000)
    done()
  })
  const wanted = digest(`Bearer ${metricsToken}`)
  app.get('/metrics', async (request, reply) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), wanted))
      return reply
        .status(401)
        .header('www-authenticate', 'Bearer')
        .send('Send METRICS_TOKEN as the bearer token.\n')
    await readDatabase()
    const all = Registry.merge([counted, current])
    return reply
      .header('cache-control', 'no-store')
      .type(all.contentType)
      .send(await all.metrics())
  })
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Adds the figures of all processes together. @returns reads them from the database; while that is away, only says so */
function createDatabaseGauges(
  register: Registry,
  { backgroundDb: db, now }: MetricsDeps,
): () => Promise<void> {
  const addGauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `reelay_${name}`, help, labelNames, registers: [register] })
  const up = addGauge('database_up', '1 while the database answers. While it does not, its figures are old.')
  const due = addGauge('due_deliveries', 'Deliveries due that no worker has taken, counted up to 1000.')
  const oldestDue = addGauge('oldest_due_seconds', 'For how long the oldest of them has been due.')
  const mails = addGauge('waiting_mails', 'Mails that are not sent yet.')
  const failing = addGauge('failing_mails', 'Those of them that were tried in vain.')
  const oldestMail = addGauge('oldest_failing_mail_seconds', 'The age of the oldest of these.')
  const connections = addGauge('database_connections', 'Connections of all processes.', ['state'])
  const ageS = (since: Date | null): number => (since === null ? 0 : (now() - since.getTime()) / 1000)
  return async () => {
    try {
      const [dueNow, mailsNow, states] = await Promise.all([
        readDue(db, now()),
        readMails(db),
        readStates(db),
      ])
      due.set(dueNow.waiting)
      oldestDue.set(ageS(dueNow.oldest))
      mails.set(mailsNow.waiting)
      failing.set(mailsNow.failing)
      oldestMail.set(ageS(mailsNow.oldest))
      connections.reset()
      for (const { state, count } of states) connections.set({ state }, count)
      up.set(1)
    } catch (error) {
      if (!isDatabaseDown(error)) throw error
      up.set(0)
    }
  }
}

async function readStates(db: Db): Promise<{ state: string; count: number }[]> {
  const { rows } = await sql<{ state: string; count: number }>`
    select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'reelay' group by 1`.execute(db)
  return rows
}
