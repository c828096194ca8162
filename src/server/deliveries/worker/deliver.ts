import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { step, type Step } from '#domain/delivery/step.ts'
import type { BandwidthMeter } from '../claim/bandwidth.ts'
import { laneOf, type Lane } from '../claim/claim-due.ts'
import { explainSlowUpload, type UploadFacts } from '../claim/upload-facts.ts'
import { release, type Claim } from '../store.ts'
import { keepLease, type Lease } from './lease.ts'
import { type EventDeps, nextEvent, type Run } from './publish.ts'

export type DeliverDeps = EventDeps & {
  readonly log: Logger
  readonly bandwidth: BandwidthMeter
}

/** A delivery that this process works on. */
export type Job = {
  readonly lane: Lane
  readonly userId: number
  readonly startedAt: number
  readonly facts: UploadFacts
  readonly bytes: number
  bytesLeft: number
}

/** Events of calls that we ended ourselves and that may be made again. */
const MAY_BE_OUR_ABORT: ReadonlySet<DeliveryEvent['type']> = new Set(['setback', 'due', 'unreadable'])

/** Whether what comes next is done in the lane that was claimed. */
const fitsSlot = (job: Job, { state, platform }: Claim): boolean =>
  laneOf({ state: state.kind, platform }, job.facts.push) === job.lane

type SaveResult = 'saved' | 'changed' | 'lost'

/** Takes one delivery as far as it goes now: call, decide, save, until it must wait. */
export async function deliver(
  deps: DeliverDeps,
  timing: Parameters<typeof keepLease>[1],
  first: Claim,
  job: Job,
  stopping: AbortSignal,
): Promise<void> {
  const lease = keepLease(deps, timing, first)
  await deps.crashPoint(`claimed ${first.state.kind}`)
  try {
    let commitSaved = false
    let openReserved = false
    while (lease.claim.wakeAt !== null && lease.claim.wakeAt <= deps.now()) {
      if (stopping.aborted && !commitSaved) break
      // The next step needs a lane of the other kind: release it, to be claimed for one.
      if (!commitSaved && !fitsSlot(job, lease.claim)) break
      const outcome = await oneStep(deps, lease, job, { stopping, commitSaved, openReserved })
      if (outcome.result === 'stopped') break
      if (outcome.result === 'lost') {
        deps.log.warn(`lease lost: delivery ${first.deliveryId} (another worker takes it up)`)
        return
      }
      const { kind } = lease.claim.state
      const saved = outcome.result === 'saved'
      commitSaved = saved && kind === 'committing'
      openReserved = saved && outcome.event === 'due' && kind === 'preparing'
    }
  } finally {
    lease.end()
  }
  await release(deps.db, lease.claim)
}

type StepContext = {
  readonly stopping: AbortSignal
  /** This run has saved `committing` and not made the irreversible call yet. */
  readonly commitSaved: boolean
  readonly openReserved: boolean
}

async function oneStep(
  deps: DeliverDeps,
  lease: Lease,
  job: Job,
  { stopping, commitSaved, openReserved }: StepContext,
): Promise<{ readonly result: SaveResult | 'stopped'; readonly event: DeliveryEvent['type'] }> {
  const call = lease.beginCall(stopping)
  const afterwards: (() => Promise<void>)[] = []
  let overtaken: 'changed' | 'lost' | null = null
  const run: Run = {
    signal: call.signal,
    mayCommit: () => {
      if (!commitSaved) return 'not_ours'
      return lease.isSafe() && !stopping.aborted ? 'yes' : 'no'
    },
    openReserved,
    afterwards: (work) => afterwards.push(work),
    report: async (progress) => {
      if (overtaken !== null) return
      const saved = await move(deps, lease, { type: 'progress', ...progress, waitS: 0 })
      if (saved === 'saved') return
      overtaken = saved
      call.abort()
    },
  }
  const happened = await nextEvent(deps, lease.claim, run)
  const event = explainSlowUpload(happened, { ...job, bandwidth: deps.bandwidth })
  // Our own stopping is not the platform's setback.
  if (stopping.aborted && MAY_BE_OUR_ABORT.has(event.type)) return { result: 'stopped', event: event.type }
  const result = overtaken ?? (await moveOrRecordArrival(deps, lease, event))
  for (const work of afterwards) await work()
  return { result, event: event.type }
}

/** That a post has arrived is true whatever the user has done meanwhile, and keeps it from being sent again. */
async function moveOrRecordArrival(
  deps: DeliverDeps,
  lease: Lease,
  event: DeliveryEvent,
): Promise<SaveResult> {
  const saved = await move(deps, lease, event)
  const { kind } = lease.claim.state
  const hasArrived = event.type === 'live' || event.type === 'in_inbox'
  const isStillTrue = saved === 'changed' && hasArrived && (kind === 'scheduled' || kind === 'unconfirmed')
  return isStillTrue ? move(deps, lease, event) : saved
}

async function move(deps: DeliverDeps, lease: Lease, event: DeliveryEvent): Promise<SaveResult> {
  const firstChecksS = deps.platforms[lease.claim.platform]?.capabilities.firstChecksS
  return saveStep(deps, lease, step(lease.claim.state, event, deps.now(), firstChecksS))
}

const SAVE_AGAIN_MS = 500

/** What came of the irreversible call is known here alone: where the database fails it is saved again while the lease lasts. */
async function saveSurely(deps: DeliverDeps, lease: Lease, to: Parameters<Lease['save']>[0]) {
  for (;;) {
    try {
      return await lease.save(to)
    } catch (error) {
      if (lease.claim.state.kind !== 'committing' || !lease.isSafe()) throw error
      deps.log.warn({ err: error, delivery: lease.claim.deliveryId }, 'outcome not saved: tried again')
      await sleep(SAVE_AGAIN_MS)
    }
  }
}

async function saveStep(deps: DeliverDeps, lease: Lease, result: Step): Promise<SaveResult> {
  if ('refused' in result) throw new Error(result.refused)
  const { to, wakeAt } = result
  await deps.crashPoint(`before save ${to.kind}`)
  const saved = await saveSurely(deps, lease, { state: to, wakeAt, now: deps.now() })
  await deps.crashPoint(`after save ${to.kind}`)
  switch (saved) {
    case 'crowded':
      return move(deps, lease, { type: 'crowded' })
    case 'erased':
      return saveStep(deps, lease, step(to, { type: 'erased' }, deps.now()))
    case 'linked':
      return saveStep(deps, lease, step(to, { type: 'linked_again', freeAt: deps.now() }, deps.now()))
    case 'saved':
    case 'changed':
    case 'lost':
      return saved
  }
}
