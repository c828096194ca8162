import { type Failure, isAccountGone } from '#domain/delivery/failure.ts'
import type {
  Committing,
  DeliveryEvent,
  Earlier,
  InInbox,
  Processing,
  Session,
  Unconfirmed,
} from '#domain/delivery/state.ts'
import { hasTakenTooLong } from '#domain/delivery/backoff.ts'
import { eventOfCheck, eventOfCommit, eventOfOpen, eventOfSend } from '#platforms/kit/events.ts'
import type { CheckOutcome, LimitedCall, Progress } from '#platforms/kit/platform.ts'
import type { CallPermission } from '../../lease/keep-lease.ts'
import { recordFailure } from '../../rate-limit/circuit-breaker.ts'
import { endAccess, type NoAccess, renewAccessOnce } from '../account-access.ts'
import { beginUnlessPaused } from '../find-pause.ts'
import type { Claim } from '../store.ts'
import { eventIfLate, eventWhilePaused, type LateDeps, eventIfPaused } from './late-delivery.ts'
import {
  callRepeatable,
  failureOfResult,
  postponement,
  prepareCall,
  type Prepared,
  type PublishDeps,
  recordCommit,
} from './platform-call.ts'

/** `signal` ends repeatable calls early. */
export type Run = {
  readonly signal: AbortSignal
  readonly mayCall: () => CallPermission
  readonly report: (progress: Progress) => Promise<void>
  /** This run has reserved the opening call and not made it yet. */
  readonly openReserved: boolean
  /** Runs once the event is saved. */
  readonly afterwards: (work: () => Promise<void>) => void
}

export type EventDeps = PublishDeps & LateDeps

/** Makes the one call that the delivery's state asks for, and returns what happened as an event. Decides nothing. */
export async function nextEvent(deps: EventDeps, claim: Claim, run: Run): Promise<DeliveryEvent> {
  const { state } = claim
  switch (state.kind) {
    case 'scheduled':
      return (
        (await eventIfPaused(deps, claim)) ??
        (await eventIfLate(deps, claim, state)) ??
        (await postponement(deps, claim, 'open')) ??
        (state.earlier === null ? { type: 'due' } : recheckEarlier(deps, claim, run, state.earlier))
      )
    case 'blocked':
      return state.cause === 'paused' ? eventWhilePaused(deps, claim, state) : { type: 'due' }
    case 'preparing':
      return (
        (await eventIfPaused(deps, claim)) ??
        (state.session === null ? open(deps, claim, run) : send(deps, claim, run, state.session))
      )
    case 'committing':
      return commit(deps, claim, run, state)
    case 'processing':
    case 'unconfirmed':
    case 'in_inbox':
      return check(deps, claim, run, state)
    case 'published':
    case 'failed':
    case 'cancelled':
      throw new Error(`A delivery that is "${state.kind}" has nothing to do, yet it was due.`)
  }
}

/** A call that may be repeated: `limit` names the rate limit it counts against, `null` if it counts against none now. */
type LimitedRequest<T> = {
  readonly limit: LimitedCall | null
  readonly call: (prepared: Pick<Prepared, 'platform' | 'job'>) => Promise<T>
  readonly failureOf: (outcome: T) => Failure | null
  readonly eventOf: (answer: T | NoAccess) => DeliveryEvent | Promise<DeliveryEvent>
}

/** Makes the call as soon as the platform's limits allow it; until then the delivery is postponed. */
async function callWithinLimits<T>(
  deps: PublishDeps,
  claim: Claim,
  run: Run,
  { limit, call, failureOf, eventOf }: LimitedRequest<T>,
): Promise<DeliveryEvent> {
  const postponed = limit === null ? null : await postponement(deps, claim, limit)
  if (postponed !== null) return postponed
  return eventOf(await callRepeatable(deps, claim, run.signal, call, failureOf))
}

/** The user said that nothing came of the earlier session; only a definite answer of the platform overrules that. */
const recheckEarlier = (
  deps: PublishDeps,
  claim: Claim,
  run: Run,
  { session, since }: Earlier,
): Promise<DeliveryEvent> =>
  callWithinLimits(deps, claim, run, {
    limit: 'check',
    call: async ({ platform, job }) => platform.check(job, session),
    failureOf: failureOfCheck,
    eventOf: (seen) =>
      'ok' in seen ? eventWithoutAccess(seen.failure) : eventOfRecheck(seen, since, deps.now()),
  })

function eventWithoutAccess(failure: Failure): DeliveryEvent {
  if (isAccountGone(failure)) return { type: 'due' }
  // It cannot be sent before the account is linked again, and by then it can be asked about.
  return failure.kind === 'account'
    ? { type: 'relink', reason: failure.reason }
    : { type: 'unreadable', failure }
}

function eventOfRecheck(seen: CheckOutcome, since: number, now: number): DeliveryEvent {
  switch (seen.kind) {
    case 'live':
    case 'in_inbox':
    case 'unreadable':
      return eventOfCheck(seen)
    case 'accepted':
      return hasTakenTooLong(since, now) ? { type: 'due' } : eventOfCheck(seen)
    case 'pending':
    case 'uncommitted':
    case 'rejected':
      return { type: 'due' }
  }
}

const open = (deps: PublishDeps, claim: Claim, run: Run): Promise<DeliveryEvent> =>
  callWithinLimits(deps, claim, run, {
    limit: run.openReserved ? null : 'open',
    call: async ({ platform, job }) => platform.open(job),
    failureOf: failureOfResult,
    eventOf: eventOfOpen,
  })

const send = (deps: PublishDeps, claim: Claim, run: Run, session: Session): Promise<DeliveryEvent> =>
  callWithinLimits(deps, claim, run, {
    limit: 'send',
    call: async ({ platform, job }) => platform.send(job, session, run.report),
    failureOf: (outcome) => (outcome.kind === 'setback' ? outcome.failure : null),
    eventOf: (sent) =>
      'ok' in sent ? { type: 'setback', failure: sent.failure, session } : eventOfSend(sent),
  })

/** The irreversible call: made once, and never repeated here whatever comes back. */
async function commit(deps: PublishDeps, claim: Claim, run: Run, state: Committing): Promise<DeliveryEvent> {
  if (run.mayCall() === 'not_ours') return { type: 'interrupted' }
  // Nothing ends this call early: an answer that we do not wait for is an outcome that we do not know.
  let isCalled = false
  const unlessBroken = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      if (isCalled) throw error
      // Thrown once it is saved that nothing was called: what breaks again and again is tried again as its lease ends.
      run.afterwards(() => Promise.reject(error))
      return null
    })
  const prepared = await unlessBroken(prepareCall(deps, claim, new AbortController().signal))
  if (!prepared?.ok) return { type: 'unsent', failure: prepared?.failure ?? null }
  await deps.crashPoint('before commit')
  const { platform, job, usages } = prepared.value
  const begin = () => {
    // Asked right before the call: renewing access may have outlasted the lease.
    if (run.mayCall() !== 'yes') return null
    isCalled = true
    return platform.commit(job, state.session)
  }
  const begun = await unlessBroken(beginUnlessPaused(deps.db, claim, begin))
  if (begun === null) return { type: 'unsent', failure: null }
  const outcome = await begun.outcome
  await deps.crashPoint('after commit')
  // The outcome is saved before anything else.
  run.afterwards(() => recordCommit(deps, claim, usages, outcome))
  if (outcome.kind !== 'refused' || outcome.failure.kind !== 'account') return eventOfCommit(outcome)
  const access = await renewAccessOnce(deps, claim.accountId, job.account, outcome.failure, state.renewed)
  // Refused for its token alone and not executed: with a new one the same session may commit.
  return access.ok && outcome.session !== null
    ? { type: 'not_ready', session: outcome.session, reason: outcome.failure.reason, renewed: true }
    : { type: 'refused', failure: access.ok ? outcome.failure : access.failure, session: outcome.session }
}

const check = (
  deps: PublishDeps,
  claim: Claim,
  run: Run,
  state: Processing | Unconfirmed | InInbox,
): Promise<DeliveryEvent> =>
  callWithinLimits(deps, claim, run, {
    limit: 'check',
    call: async ({ platform, job }) => ({ job, outcome: await platform.check(job, state.session) }),
    failureOf: ({ outcome }) => failureOfCheck(outcome),
    eventOf: async (seen) => {
      if ('ok' in seen) return { type: 'unreadable', failure: seen.failure }
      const { job, outcome } = seen
      if (outcome.kind === 'rejected') {
        const { platform, accountId } = claim
        await recordFailure(deps.db, { platform, accountId, now: deps.now() }, outcome.failure)
        // The post failed because its access was taken away: no other can go out before the account is linked again.
        if (outcome.failure.kind === 'account') {
          await endAccess(deps, accountId, job.account, outcome.failure)
        }
      }
      return eventOfCheck(outcome)
    },
  })

const failureOfCheck = (outcome: CheckOutcome): Failure | null =>
  outcome.kind === 'unreadable' ? outcome.failure : null
