import type { Logger } from 'pino'
import { deliveryMoves } from '#base/metrics.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { step, type Step } from '#domain/delivery/step.ts'
import type { BandwidthMeter } from '../claim/bandwidth.ts'
import { laneOf, type Lane } from '../claim/claim-due.ts'
import { explainSlowUpload, type UploadFacts } from '../claim/upload-facts.ts'
import { keepLease, type Lease, type LeasedWork, type LeaseTiming } from '../../lease/keep-lease.ts'
import { save, type Claim, type Saved } from '../store.ts'
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

/** The next step is done in the lane that was claimed. */
const fitsLane = (job: Job, { state, platform }: Claim): boolean =>
  laneOf({ state: state.kind, platform }, job.facts.push) === job.lane

type To = Omit<Parameters<typeof save>[3], 'leaseMs'>
type DeliveryLease = Lease<Claim, To, Saved>
type SaveResult = 'saved' | 'changed' | 'lost'

export async function deliver(
  deps: DeliverDeps,
  timing: LeaseTiming,
  first: Claim,
  job: Job,
  stopping: AbortSignal,
): Promise<void> {
  const { deliveryId: id, fence } = first
  const work: LeasedWork<Claim, To, Saved> = {
    row: { table: 'deliveries', id, fence },
    name: `delivery ${id}`,
    about: { delivery: id, post: first.postId, account: first.accountId },
    save: (claim, to, leaseMs) => save(deps.db, deps.encrypter, claim, { ...to, leaseMs }),
    isCalling: ({ state }) => state.kind === 'committing',
  }
  const lease = keepLease(deps, work, timing, first, stopping)
  await deps.crashPoint(`claimed ${first.state.kind}`)
  let openReserved = false
  await lease.workWhileDue(async () => {
    if (!lease.isCallSaved() && !fitsLane(job, lease.claim)) return 'stopped'
    const { result, event } = await oneStep(deps, lease, job, { stopping, openReserved })
    openReserved = result === 'saved' && event === 'due' && lease.claim.state.kind === 'preparing'
    return result
  })
}

async function oneStep(
  deps: DeliverDeps,
  lease: DeliveryLease,
  job: Job,
  { stopping, openReserved }: { readonly stopping: AbortSignal; readonly openReserved: boolean },
): Promise<{ readonly result: SaveResult | 'stopped'; readonly event: DeliveryEvent['type'] }> {
  const call = lease.beginCall()
  const afterwards: (() => Promise<void>)[] = []
  let overtaken: 'changed' | 'lost' | null = null
  const run: Run = {
    signal: call.signal,
    mayCall: () => lease.mayCall(),
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

/** An arrival is recorded whatever the user has done meanwhile, and keeps the post from being sent again. */
async function moveOrRecordArrival(
  deps: DeliverDeps,
  lease: DeliveryLease,
  event: DeliveryEvent,
): Promise<SaveResult> {
  const saved = await move(deps, lease, event)
  const { kind } = lease.claim.state
  const hasArrived = event.type === 'live' || event.type === 'in_inbox'
  const isStillTrue = saved === 'changed' && hasArrived && (kind === 'scheduled' || kind === 'unconfirmed')
  return isStillTrue ? move(deps, lease, event) : saved
}

async function move(deps: DeliverDeps, lease: DeliveryLease, event: DeliveryEvent): Promise<SaveResult> {
  const firstChecksS = deps.platforms[lease.claim.platform]?.capabilities.firstChecksS
  return saveStep(deps, lease, step(lease.claim.state, event, deps.now(), firstChecksS))
}

async function saveStep(deps: DeliverDeps, lease: DeliveryLease, result: Step): Promise<SaveResult> {
  if ('refused' in result) throw new Error(result.refused)
  const { to, wakeAt } = result
  const { platform, state: before } = lease.claim
  await deps.crashPoint(`before save ${to.kind}`)
  const saved = await lease.save({ state: to, wakeAt, now: deps.now() })
  await deps.crashPoint(`after save ${to.kind}`)
  // Progress keeps the state.
  if (saved === 'saved' && to.kind !== before.kind) {
    deliveryMoves.labels(platform, to.kind).inc()
    const { deliveryId: delivery, postId: post, accountId: account } = lease.claim
    const reason = 'reason' in to ? to.reason?.code : undefined
    deps.log.info(
      { delivery, post, account, platform, from: before.kind, to: to.kind, reason },
      'delivery moved',
    )
  }
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
