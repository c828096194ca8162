import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { ServerFacts } from '#contract/operator.ts'
import { SERVER_PROCESSES_SHOWN } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'

const BEAT_MS = 60_000
/** Longer than the time between two heartbeats. */
const SILENT_MS = 5 * BEAT_MS
/** A process that is silent for this long was killed long ago. */
const KEPT_MS = 24 * 3_600_000

export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))).version

type Role = ServerFacts['processes'][number]['role']
type ProcessDeps = { readonly db: Db; readonly now: () => number; readonly log: Pick<Logger, 'warn'> }

/** Tells the other processes each minute that this one runs, until it is stopped. */
export function startProcessBeat({ db, now, log }: ProcessDeps, role: Role): { stop(): Promise<void> } {
  const process_id = randomUUID()
  const started_at = new Date(now())
  const beat = async () => {
    const seen_at = new Date(now())
    await db
      .insertInto('server_processes')
      .values({ process_id, role, host: hostname(), version: VERSION, started_at, seen_at })
      .onConflict((conflict) => conflict.column('process_id').doUpdateSet({ seen_at }))
      .execute()
    // A silent one of the same machine is what this process replaces.
    await db
      .deleteFrom('server_processes')
      .where((row) =>
        row.or([
          row('seen_at', '<', new Date(now() - KEPT_MS)),
          row.and([row('host', '=', hostname()), row('seen_at', '<', new Date(now() - SILENT_MS))]),
        ]),
      )
      .execute()
  }
  let running = Promise.resolve()
  const next = () => {
    running = running
      .then(beat)
      .catch((error: unknown) =>
        log.warn({ err: error }, 'no heartbeat of this process: it tries again in a minute'),
      )
  }
  next()
  const timer = setInterval(next, BEAT_MS)
  return {
    async stop() {
      clearInterval(timer)
      await running
      await db
        .deleteFrom('server_processes')
        .where('process_id', '=', process_id)
        .execute()
        // The others see that it is silent.
        .catch((error: unknown) => log.warn({ err: error }, 'this process could not be taken off the list'))
    },
  }
}

/** The longest silent first. */
export async function listProcesses(db: Db): Promise<ServerFacts['processes']> {
  const rows = await db
    .selectFrom('server_processes')
    .selectAll()
    .orderBy('seen_at')
    .limit(SERVER_PROCESSES_SHOWN)
    .execute()
  return rows.map((row) => ({
    ...row,
    role: row.role as Role, // as the table's check has it
    started_at: row.started_at.toISOString(),
    seen_at: row.seen_at.toISOString(),
  }))
}
