import { waitAfterLostOpening, waitAfterUnexpected, waitAfterUnreachable } from './backoff.ts'
import type { Failure } from './failure.ts'
import { REASONS } from './reasons.ts'
import type { Attempted, Preparing, Processing, Session, Unconfirmed } from './state.ts'
import {
  blocked,
  failed,
  stepTo,
  leaveToUser,
  reasonWhileAsked,
  reasonWhileRepeated,
  repeated,
  unconfirmed,
  type Step,
} from './transition.ts'

/** The most automatic fresh starts: enough for an outage, too few to look like abuse. */
const MAX_REPEATS = 5
/** The delay before checking a contested session: committed, with an unknown effect. */
const ASK_CONTESTED_AFTER_S = 60

type OfKind<K extends Failure['kind']> = Extract<Failure, { kind: K }>

/** Before the irreversible call nothing can be public, so any retry is safe. */
export function afterFailure(state: Preparing, failure: Failure, session: Session | null, now: number): Step {
  const retryAfter = (waitS: number | null, tries: number): Step => {
    const isDead = session === null && state.session !== null
    if (waitS === null || (isDead && state.repeats >= MAX_REPEATS)) return failed(state, failure.reason, now)
    const next = { ...state, session, tries, reason: reasonWhileRepeated(failure) }
    return stepTo(
      isDead ? { ...next, ...repeated(state), sent: 0, commits: 0, notReady: 0 } : next,
      now + waitS * 1000,
    )
  }
  if (
    (failure.kind === 'unreachable' || failure.kind === 'unexpected') &&
    state.session === null &&
    failure.mayHaveOpened
  ) {
    return afterLostOpening(state, failure, now)
  }
  switch (failure.kind) {
    case 'unreachable':
      return retryAfter(waitAfterUnreachable(state.tries, state.session === null), state.tries + 1)
    case 'unexpected':
      return retryAfter(waitAfterUnexpected(state.tries), state.tries + 1)
    case 'throttled':
      return failure.limit
        ? blocked(state, {
            cause: 'limit',
            until: now + failure.retryAfterS * 1000,
            reason: failure.reason,
          })
        : retryAfter(waitWhileThrottled(state, failure), triesOfThrottled(state, failure))
    case 'account':
      return afterLostAccess(state, failure, now)
    case 'rejected':
      return afterRejection(state, failure, now)
  }
}

/** The platform's own wait first, then the table of longer ones. */
const waitWhileThrottled = (
  { tries }: Preparing,
  { retryAfterS, laterS = [] }: OfKind<'throttled'>,
): number => (tries === 0 ? retryAfterS : (laterS[Math.min(tries, laterS.length) - 1] ?? retryAfterS))

/** Counted no further than the table of waits goes: being throttled never ends a delivery. */
const triesOfThrottled = ({ tries }: Preparing, { laterS = [] }: OfKind<'throttled'>): number =>
  Math.max(tries, Math.min(tries + 1, laterS.length))

function afterLostOpening(
  state: Preparing,
  failure: OfKind<'unreachable' | 'unexpected'>,
  now: number,
): Step {
  const lostOpenings = state.lostOpenings + 1
  const mayOpenAgain = lostOpenings <= (failure.openAgainMost ?? lostOpenings)
  const waitS = mayOpenAgain ? waitAfterLostOpening(lostOpenings) : null
  if (waitS !== null) {
    return stepTo({ ...state, lostOpenings, reason: reasonWhileRepeated(failure) }, now + waitS * 1000)
  }
  const { message, detail } = failure.reason
  return failed(state, { ...REASONS.openingLost, detail: detail ?? message }, now)
}

/** After a definite refusal: a fresh start if the platform documents that one may succeed, else the user decides. */
function afterRejection(state: Attempted, failure: OfKind<'rejected'>, now: number): Step {
  const waitS = failure.againInS?.[state.repeats]
  if (waitS === undefined || state.repeats >= MAX_REPEATS) return failed(state, failure.reason, now)
  const dueAt = now + waitS * 1000
  const reason = reasonWhileRepeated(failure)
  return stepTo({ kind: 'scheduled', ...repeated(state), dueAt, reason, earlier: null }, dueAt)
}

const afterLostAccess = (state: Attempted, failure: OfKind<'account'>, now: number): Step =>
  failure.gone
    ? failed(state, failure.reason, now)
    : blocked(state, { cause: 'account', reason: failure.reason })

/** Nothing was or will be published from the session. Decides who acts next. */
export function afterDefiniteNo(state: Processing | Unconfirmed, failure: Failure, now: number): Step {
  switch (failure.kind) {
    case 'rejected':
      return afterRejection(state, failure, now)
    case 'throttled': {
      const reason = failure.limit ? failure.reason : reasonWhileRepeated(failure)
      return blocked(state, { cause: 'limit', until: now + failure.retryAfterS * 1000, reason })
    }
    case 'account':
      return afterLostAccess(state, failure, now)
    case 'unreachable':
    case 'unexpected':
      return failed(state, failure.reason, now)
  }
}

/**
 * The session was committed without a known effect and may still publish: it is continued, or its outcome stays open. It is
 * never replaced by a new session.
 */
export function afterFailureOfContested(
  state: Preparing,
  failure: Failure,
  session: Session | null,
  now: number,
): Step {
  if (session === null) throw new Error('A session that was committed is gone.')
  if (failure.kind === 'account' && failure.gone) return leaveToUser({ ...state, session, since: now })
  const waitS = waitWhileContested(state, failure)
  if (waitS === null) return askAboutContested(state, session, reasonWhileAsked(failure.reason), now)
  const reason = reasonWhileRepeated(failure)
  return stepTo({ ...state, session, tries: state.tries + 1, reason }, now + waitS * 1000)
}

function waitWhileContested(state: Preparing, failure: Failure): number | null {
  switch (failure.kind) {
    case 'unreachable':
      return waitAfterUnreachable(state.tries, false)
    case 'unexpected':
      return waitAfterUnexpected(state.tries)
    case 'throttled':
      return waitWhileThrottled(state, failure)
    case 'account':
    case 'rejected':
      return null
  }
}

export const askAboutContested = (
  state: Preparing,
  session: Session,
  reason: Unconfirmed['reason'],
  now: number,
): Step => unconfirmed({ ...state, session, since: now }, reason, now + ASK_CONTESTED_AFTER_S * 1000)
