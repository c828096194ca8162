import type { Logger } from 'pino'
import type { ServerCheck } from '#contract/operator.ts'
import type { Db } from '#base/db/open.ts'
import type { Health } from '../health/health.ts'
import type { Config } from '../runtime/config.ts'
import type { Storage } from '../storage/storage.ts'

export type DoctorDeps = {
  readonly db: Db
  readonly config: Config
  readonly storage: Storage
  readonly health: Pick<Health, 'getReadiness'>
  /** Epoch ms, by the database's clock. */
  readonly now: () => number
  readonly log: Logger
}

export type Found = Pick<ServerCheck, 'severity' | 'sentence' | 'remedy'> & Partial<Pick<ServerCheck, 'link'>>

/** A row of the table of checks. */
export type CheckRow = Pick<ServerCheck, 'id' | 'title' | 'owner' | 'link'> & {
  readonly run: (deps: DoctorDeps) => Promise<Found[]>
}
