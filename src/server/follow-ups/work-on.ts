import type { Logger } from 'pino'
import { type FollowUpEvent, stepFollowUp } from '#domain/follow-up/follow-up.ts'
import type { LinkDeps } from './link-call.ts'
import { keepLease, type Lease, type LeaseTiming } from '../lease/keep-lease.ts'
import { nextFollowUpEvent } from './next-event.ts'
import {
  type FollowUpClaim,
  type FollowUpSaved,
  type FollowUpTo,
  releaseFollowUp,
  renewFollowUp,
  saveFollowUp,
} from './store.ts'

export type FollowUpDeps = LinkDeps & { readonly log: Logger }

/** Events of calls that we ended ourselves and that may be made again. */
const MAY_BE_OUR_ABORT: ReadonlySet<FollowUpEvent['type']> = new Set(['setback', 'unreadable'])

type FollowUpLease = Lease<FollowUpClaim, FollowUpTo, FollowUpSaved>

/** Takes one follow-up as far as it goes now: call, decide, save, until it must wait. */
export async function workOnFollowUp(
  deps: FollowUpDeps,
  timing: LeaseTiming,
  first: FollowUpClaim,
  stopping: AbortSignal,
): Promise<void> {
  const lease: FollowUpLease = keepLease(
    {
      about: { follow_up: first.followUpId, delivery: first.deliveryId },
      renew: (claim, leaseMs) => renewFollowUp(deps.db, claim, leaseMs),
      save: (claim, to, leaseMs) => saveFollowUp(deps.db, claim, to, leaseMs),
    },
    deps.log,
    timing,
    first,
  )
  try {
    let callSaved = false
    while (lease.claim.wakeAt !== null && lease.claim.wakeAt <= deps.now()) {
      if (stopping.aborted && !callSaved) break
      const result = await oneStep(deps, lease, stopping, callSaved)
      if (result === 'stopped') break
      if (result === 'lost') {
        deps.log.warn(`lease lost: follow-up ${first.followUpId} (deleted, or another worker takes it up)`)
        return
      }
      callSaved = result === 'saved' && lease.claim.record.state.kind === 'commenting'
    }
  } finally {
    lease.end()
  }
  await releaseFollowUp(deps.db, lease.claim)
}

/** @param callSaved this run has saved `commenting` and not made the irreversible call yet */
async function oneStep(
  deps: FollowUpDeps,
  lease: FollowUpLease,
  stopping: AbortSignal,
  callSaved: boolean,
): Promise<FollowUpSaved['kind'] | 'stopped'> {
  const { signal } = lease.beginCall(stopping)
  const afterwards: (() => Promise<void>)[] = []
  const event = await nextFollowUpEvent(deps, lease.claim, {
    signal,
    mayCall: () => {
      if (!callSaved) return 'not_ours'
      return lease.isSafe() && !stopping.aborted ? 'yes' : 'no'
    },
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
