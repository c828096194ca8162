import type { Logger } from 'pino'
import { type FollowUpEvent, stepFollowUp } from '#domain/follow-up/follow-up.ts'
import type { Bus } from '../db/bus.ts'
import type { DeliveryWorkerDeps } from '../deliveries/worker/worker.ts'
import { startClaimLoop } from '../lease/claim-loop.ts'
import { keepLease, type Lease, type LeasedWork, type LeaseTiming } from '../lease/keep-lease.ts'
import { nextAsAskedEvent } from './as-asked-call.ts'
import { type FollowUpRun, nextCommentEvent } from './comment-call.ts'
import { type LinkDeps, nextLinkEvent } from './link-call.ts'
import { nextSettingEvent } from './setting-call.ts'
import {
  claimFollowUps,
  type FollowUpClaim,
  type FollowUpRow,
  type FollowUpSaved,
  type FollowUpTo,
  nextFollowUpAt,
  openFollowUp,
  saveFollowUp,
} from './store.ts'

type FollowUpDeps = LinkDeps & { readonly log: Logger }

/** Calls take a second, so that a few at a time are enough and leave the connections to the posts. */
const AT_A_TIME = 4

/** Works off follow-ups that are due until it is stopped. */
export function startFollowUpWorker(
  deps: FollowUpDeps & Pick<DeliveryWorkerDeps, 'restoreGuard'> & { readonly bus: Pick<Bus, 'onWake'> },
  settings: LeaseTiming & { readonly pollMs: number },
): { stop(): Promise<void> } {
  const { db, log, now } = deps
  return startClaimLoop<FollowUpRow>(deps, {
    what: 'follow-ups',
    pollMs: settings.pollMs,
    async *claim(running) {
      const limit = AT_A_TIME - running().length
      yield* await claimFollowUps(db, { now: now(), leaseMs: settings.leaseMs, limit })
    },
    work: (row, stopping) =>
      workOnFollowUp(deps, settings, row, stopping).catch((error: unknown) => {
        const { follow_up_id: id, delivery_id: delivery } = row
        const about = { err: error, follow_up: id, delivery }
        log.error(about, `follow-up ${id} failed: claimed again once its lease ends`)
      }),
    nextAt: () => nextFollowUpAt(db, now()),
  })
}

/** Events of calls that we ended ourselves and that may be made again. */
const MAY_BE_OUR_ABORT: ReadonlySet<FollowUpEvent['type']> = new Set(['setback', 'unreadable'])

async function workOnFollowUp(
  deps: FollowUpDeps,
  timing: LeaseTiming,
  row: FollowUpRow,
  stopping: AbortSignal,
): Promise<void> {
  const first = openFollowUp(row)
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
    mayCall: () => lease.mayCall(),
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

/** Makes the one call that the follow-up's state asks for, and returns what happened as an event. Decides nothing. */
function nextFollowUpEvent(deps: LinkDeps, claim: FollowUpClaim, run: FollowUpRun): Promise<FollowUpEvent> {
  const { kind, state } = claim.record
  switch (kind) {
    case 'first_comment':
      return nextCommentEvent(deps, claim, state, run)
    case 'public_link':
      return nextLinkEvent(deps, claim, state, run)
    case 'comments_off':
    case 'cover':
      return nextSettingEvent(deps, claim, kind, state, run)
    case 'as_asked':
      return nextAsAskedEvent(deps, claim, state, run)
  }
}
