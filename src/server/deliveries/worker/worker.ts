import type { Logger } from 'pino'
import type { Encrypter } from '#base/encryption.ts'
import type { Bus } from '../../db/bus.ts'
import { type BandwidthMeter, createBandwidthMeter } from '../claim/bandwidth.ts'
import {
  claimDue,
  freeLane,
  nextWakeAt,
  type Claimed,
  type ClaimRequest,
  type Lane,
} from '../claim/claim-due.ts'
import { createTurns, type Turns } from '../claim/turns.ts'
import { type UploadFacts, uploadFacts } from '../claim/upload-facts.ts'
import { startClaimLoop } from '../../lease/claim-loop.ts'
import type { RestoreGuard } from '../../restore/restore-guard.ts'
import { createHeartbeat } from '../outages.ts'
import { openClaim } from '../store.ts'
import { deliver, type DeliverDeps, type Job } from './deliver.ts'
import type { PublishDeps } from './platform-call.ts'

export type DeliveryWorkerDeps = PublishDeps & {
  readonly bandwidth?: BandwidthMeter
  readonly encrypter: Encrypter
  readonly bus: Bus
  readonly log: Logger
  readonly restoreGuard: RestoreGuard
}

export type Worker = {
  /** When it last asked for due deliveries and got an answer: a time of `performance.now()`. */
  claimedAt(): number
  /** Claims nothing new, ends repeatable calls, begins no irreversible one, and waits for those that are out. */
  stop(): Promise<void>
}

/** A dead worker is noticed when its lease ends and the next poll finds that: well within a minute. */
export type WorkerSettings = {
  readonly leaseMs: number
  readonly renewMs: number
  readonly pollMs: number
  /** One process does so much at a time. Uploads take up to an hour each, and have lanes of their own. */
  readonly lanes: { readonly calls: number; readonly uploads: number }
  /** A gap between heartbeats that is longer than this counts as an outage. */
  readonly outageMs: number
}
export const WORKER_SETTINGS: WorkerSettings = {
  leaseMs: 30_000,
  renewMs: 10_000,
  pollMs: 5_000,
  lanes: { calls: 32, uploads: 16 },
  outageMs: 300_000,
}

type ClaimedJob = { readonly claimed: Claimed; readonly job: Job }

/** Works off what is due until it is stopped. Any number of these may run, on any number of machines. */
export function startDeliveryWorker(
  deps: DeliveryWorkerDeps,
  settings: WorkerSettings = WORKER_SETTINGS,
): Worker {
  const bandwidth = deps.bandwidth ?? createBandwidthMeter()
  const turns = { call: createTurns(), upload: createTurns() }
  const beat = createHeartbeat(deps, settings.outageMs)
  return startClaimLoop<ClaimedJob>(deps, {
    what: 'deliveries',
    pollMs: settings.pollMs,
    async *claim(running) {
      await beat()
      // Keys that an operator enters change them.
      const facts = uploadFacts(deps.platforms)
      const request = () => {
        const jobs = running().map(({ job }) => job)
        return claimRequest(settings, { facts, bandwidth, turns, jobs, now: deps.now() })
      }
      for await (const batch of claimDue(deps, request)) {
        for (const claimed of batch) {
          turns[claimed.lane].take(claimed.row.user_id)
          yield { claimed, job: jobOf(claimed, facts, deps.now()) }
        }
      }
    },
    work: ({ claimed, job }, stopping) =>
      runJob({ ...deps, bandwidth, beat }, settings, claimed, job, stopping),
    nextAt: () => nextWakeAt(deps.db, { now: deps.now(), ...uploadFacts(deps.platforms) }),
  })
}

const jobOf = ({ row, lane, bytes }: Claimed, facts: UploadFacts, now: number): Job => ({
  lane,
  userId: row.user_id,
  startedAt: now,
  facts,
  bytes,
  bytesLeft: bytes,
})

/** Whatever breaks, the lease ends by itself and the delivery is claimed again; only its lane is freed at once. */
async function runJob(
  deps: DeliverDeps,
  settings: WorkerSettings,
  { row }: Claimed,
  job: Job,
  stopping: AbortSignal,
): Promise<void> {
  const storage = deps.bandwidth.measure(
    deps.storage,
    (sent) => (job.bytesLeft = Math.max(job.bytesLeft - sent, 0)),
  )
  try {
    await deliver({ ...deps, storage }, settings, openClaim(row, deps.encrypter), job, stopping)
  } catch (error) {
    const { delivery_id: delivery, post_id: post, account_id: account } = row
    const about = { delivery, post, account }
    deps.log.error({ err: error, ...about }, `delivery ${delivery} failed: claimed again once its lease ends`)
    await freeLane(deps.db, row).catch((cause: unknown) =>
      deps.log.warn({ err: cause, ...about }, `lane of delivery ${delivery} not freed: its lease ends it`),
    )
  }
}

function claimRequest(
  settings: WorkerSettings,
  current: {
    readonly facts: UploadFacts
    readonly bandwidth: BandwidthMeter
    readonly turns: Readonly<Record<Lane, Turns>>
    readonly jobs: readonly Job[]
    readonly now: number
  },
): ClaimRequest {
  const { facts, bandwidth, turns, jobs, now } = current
  return {
    now,
    leaseMs: settings.leaseMs,
    push: facts.push,
    pull: facts.pull,
    calls: {
      lanes: settings.lanes.calls,
      usedBy: jobs.filter(({ lane }) => lane === 'call').map(({ userId }) => userId),
      turns: turns.call.users(),
    },
    uploads: {
      lanes: settings.lanes.uploads,
      turns: turns.upload.users(),
      running: jobs
        .filter(({ lane }) => lane === 'upload')
        .map(({ userId, bytesLeft, startedAt }) => ({
          userId,
          bytesLeft,
          elapsedS: Math.max(now - startedAt, 0) / 1000,
        })),
      uplink: {
        bytesPerS: bandwidth.bytesPerS(),
        isMeasured: bandwidth.isMeasured(),
        lifeS: facts.lifeS,
      },
    },
  }
}
