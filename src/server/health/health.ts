import { setTimeout } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { isDiskFull, systemCode } from '#base/system-error.ts'
import type { Db } from '#base/db/open.ts'
import type { Problem } from '#base/problem.ts'
import type { Config } from '../runtime/config.ts'
import type { RestoreGuard } from '../restore/restore-guard.ts'
import type { Storage } from '../storage/storage.ts'

export type Health = {
  /** Fails only if a restart of this process would help. Needs neither database nor disk, so their outage cannot delay it. */
  getLiveness(): Promise<HealthAnswer>
  /** Fails if this process cannot work now. */
  getReadiness(): Promise<HealthAnswer>
}
/** `degraded`: it works but needs attention. Anybody may ask, so `reason` names no file of this machine. */
export type HealthAnswer = {
  readonly status: 'ok' | 'degraded' | 'failing'
  readonly reason?: string
  readonly posting?: 'held'
}

type HealthDeps = {
  readonly config: Pick<Config, 'hold'>
  readonly db: Db
  readonly storage: Pick<Storage, 'probe' | 'room'>
  readonly log: Logger
  /** Null: this process has no worker. @see Worker.claimedAt */
  readonly worker?: { claimedAt(): number } | null
  readonly restoreGuard: Pick<RestoreGuard, 'waitsFor'>
  /** Monotonic, in ms. */
  readonly clock?: () => number
}

/** The maximum age of an answer, which bounds the cost of frequent checks. */
const FRESH_MS = 2_000
const ANSWER_MS = 5_000
/** Less than the second that probes usually wait. */
const LIVENESS_MS = 500
/** A worker looks for due work every 5 s at least. */
const STUCK_MS = 60_000

type CheckResult = {
  readonly database: string | null
  readonly disk: string | null
  readonly restore: string | null
  readonly worker: string | null
}

export function createHealth({
  config,
  db,
  storage,
  log,
  worker = null,
  restoreGuard,
  clock = () => performance.now(),
}: HealthDeps): Health {
  const writeDatabase = createProbe(() => touchHeartbeat(db))
  const writeDisk = createProbe(() => storage.probe())
  let answersSince: number | null = null

  const checkDatabase = async (): Promise<string | null> => {
    try {
      await writeDatabase()
      answersSince ??= clock()
      return null
    } catch (error) {
      answersSince = null
      log.warn({ err: error }, 'the database cannot be written')
      // SQLSTATE 53100: its disk is full; 25006: it is read-only.
      const isUnwritable = ['53100', '25006'].includes(systemCode(error) ?? '')
      return isUnwritable ? 'The database cannot be written.' : 'The database does not answer.'
    }
  }

  const checkDisk = async (): Promise<string | null> => {
    try {
      await writeDisk()
      return (await storage.room()) > 0 ? null : 'The disk of the videos is nearly full: uploads are refused.'
    } catch (error) {
      log.warn({ err: error }, 'the storage of the videos cannot be written')
      return isDiskFull(error)
        ? 'The disk of the videos is full: uploads are refused.'
        : 'The storage of the videos cannot be written.'
    }
  }

  /** A worker cannot claim without the database, and a restart would not help. */
  const checkWorker = (): string | null => {
    if (worker === null || answersSince === null) return null
    const idleMs = clock() - Math.max(worker.claimedAt(), answersSince)
    return idleMs > STUCK_MS ? 'The worker no longer asks for posts that are due.' : null
  }

  const check = async (): Promise<CheckResult> => {
    const [database, disk] = await Promise.all([checkDatabase(), checkDisk()])
    const restore = restoreGuard.waitsFor()
    // A restart would only repeat the wait.
    return { database, disk, restore, worker: restore === null ? checkWorker() : null }
  }
  let last: { readonly at: number; readonly found: Promise<CheckResult> } | null = null
  const find = (): Promise<CheckResult> => {
    if (last === null || clock() - last.at > FRESH_MS) last = { at: clock(), found: check() }
    return last.found
  }
  return {
    async getLiveness() {
      const idleMs = worker === null ? 0 : clock() - worker.claimedAt()
      if (idleMs <= STUCK_MS) return { status: 'ok' }
      // Only now the database matters: without it no worker claims, and a restart would not help.
      const found = await Promise.race([find(), setTimeout(LIVENESS_MS, null, { ref: false })])
      const stuck = found?.worker ?? null
      return stuck === null ? { status: 'ok' } : { status: 'failing', reason: stuck }
    },
    async getReadiness() {
      const { database, disk, restore, worker: stuck } = await find()
      const reasons = [database, disk, restore, stuck].filter((reason) => reason !== null)
      const posting = config.hold ? { posting: 'held' as const } : {}
      if (reasons.length === 0) return { status: 'ok', ...posting }
      const isFailing = database !== null || stuck !== null
      return { status: isFailing ? 'failing' : 'degraded', reason: reasons.join(' '), ...posting }
    },
  }
}

/** Writes a row that workers also write, unless one is writing it now. */
async function touchHeartbeat(db: Db): Promise<void> {
  await sql`with unlocked as (select ctid as place from worker_heartbeat for update skip locked)
    update worker_heartbeat set seen_at = seen_at from unlocked where ctid = place`.execute(db)
}

/** Fails after a time limit. A probe that hangs is not started again: each would occupy a thread or a connection. */
function createProbe(probe: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return async () => {
    running ??= probe().finally(() => (running = null))
    const late = Promise.withResolvers<never>()
    const timer = globalThis.setTimeout(
      () => late.reject(new Error(`no answer within ${ANSWER_MS / 1000} s`)),
      ANSWER_MS,
    )
    try {
      await Promise.race([running, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** `GET` and `HEAD /healthz` and `/readyz`. `refuse`: the reason why this process takes no new work, whatever its health. */
export function mountHealth(app: FastifyInstance, health: Health, refuse: () => Problem | null): void {
  const mount = (path: string, get: () => Promise<HealthAnswer>) =>
    app.get(path, async (_request, reply) => {
      const answer = await get()
      reply.header('cache-control', 'no-store')
      return reply.status(answer.status === 'failing' ? 503 : 200).send(answer)
    })
  mount('/healthz', () => health.getLiveness())
  mount('/readyz', () => {
    const problem = refuse()
    if (problem !== null) throw problem
    return health.getReadiness()
  })
}

export function buildHealthApp(health: Health): FastifyInstance {
  const app = Fastify({ connectionTimeout: 10_000, requestTimeout: 10_000, forceCloseConnections: true })
  mountHealth(app, health, () => null)
  app.setNotFoundHandler((_request, reply) => reply.status(404).send({ status: 'unknown address' }))
  return app
}
