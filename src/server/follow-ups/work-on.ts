import type { Logger } from 'pino'
import { type FollowUpEvent, stepFollowUp } from '#domain/follow-up/follow-up.ts'
import { keepLease, type Lease, type LeasedWork, type LeaseTiming } from '../lease/keep-lease.ts'
import type { LinkDeps } from './link-call.ts'
import { nextFollowUpEvent } from './next-event.ts'
import { type FollowUpClaim, type FollowUpSaved, type FollowUpTo, saveFollowUp } from './store.ts'

export type FollowUpDeps = LinkDeps & { readonly log: Logger }

/** Events of calls that we ended ourselves and that may be made again. */
const MAY_BE_OUR_ABORT: ReadonlySet<FollowUpEvent['type']> = new Set(['setback', 'unreadable'])

/** Takes one follow-up as far as it goes now. */
export async function workOnFollowUp(
  deps: FollowUpDeps,
  timing: LeaseTiming,
  first: FollowUpClaim,
  stopping: AbortSignal,
): Promise<void> {
  const { followUpId: id, deliveryId, fence } = first
  const work: LeasedWork<FollowUpClaim, FollowUpTo, FollowUpSaved> = {
    row: { table: 'follow_ups', id, fence },
    name: `follow-up ${id}`,
    about: { follow_up: id, delivery: deliveryId },
    save: (claim, to, leaseMs) => saveFollowUp(deps.db, claim, to, leaseMs),
    isCalling: ({ record }) => record.state.kind === 'commenting',
  }
  const lease = keepLease(deps, work, timing, first, stopping)
  await lease.workWhileDue(() => oneStep(deps, lease, stopping))
}

async function oneStep(
  deps: FollowUpDeps,
  lease: Lease<FollowUpClaim, FollowUpTo, FollowUpSaved>,
  stopping: AbortSignal,
): Promise<FollowUpSaved['kind'] | 'stopped'> {
  const { signal } = lease.beginCall()
  const afterwards: (() => Promise<void>)[] = []
  const event = await nextFollowUpEvent(deps, lease.claim, {
    signal,
    mayCall: lease.mayCall,
    afterwards: (work) => afterwards.push(work),
  })
  // Our own stopping is not the platform's setback.
  if (stopping.aborted && MAY_BE_OUR_ABORT.has(event.type)) return 'stopped'
  const result = stepFollowUp(lease.claim.record, event, deps.now(), lease.claim.platform)
  if ('refused' in result) throw new Error(result.refused)
  const { kind, state } = result.to
  await deps.crashPoint(`before save ${state.kind} ${kind}`)
  const saved = await lease.save({ record: result.to, wakeAt: result.wakeAt })
  await deps.crashPoint(`after save ${state.kind} ${kind}`)
  for (const work of afterwards) await work()
  return saved
}
