import { waitWhileNotReady } from './backoff.ts'
import { afterFailure, afterFailureOfContested } from './after-failure.ts'
import { REASONS } from './reasons.ts'
import type { Committing } from './state.ts'
import {
  backToPreparing,
  stepTo,
  processing,
  published,
  reasonWhileAsked,
  reasonWhileRepeated,
  unconfirmed,
  type EventOf,
  type Step,
  type TransitionsOf,
} from './transition.ts'

export const WHILE_COMMITTING = {
  accepted: (state, { session }, context) => processing({ ...state, session, since: context.now }, context),
  live: (state, event, { now }) => published(state, event, now),
  not_ready: (state, event, { now }) => afterNotReady(state, event, now),
  refused: (state, { failure, session }, { now }) => {
    // A throttled call says nothing about the post; any other refusal counts, so that no session is tried for ever.
    const commits = state.commits - (failure.kind === 'throttled' ? 1 : 0)
    return afterFailure({ ...backToPreparing(state, state.session), commits }, failure, session, now)
  },
  unanswered: (state, { failure, session }, { now }) =>
    unconfirmed({ ...state, session: session ?? state.session }, reasonWhileAsked(failure.reason), now),
  unsent: (state, event, { now }) => afterUnsent(state, event, now),
  interrupted: (state, _event, { now }) => unconfirmed(state, REASONS.interrupted, now),
} as const satisfies TransitionsOf<'committing'>

/**
 * The platform says that it did not execute the call, so it does not count as a commit. After the last of such calls the
 * platform is asked, read-only, before anything ends.
 */
function afterNotReady(state: Committing, event: EventOf<'not_ready'>, now: number): Step {
  const { session, renewed } = event
  const notReady = state.notReady + 1
  const commits = state.commits - 1
  const waitS = waitWhileNotReady(notReady)
  if (waitS === null) return unconfirmed({ ...state, session, commits }, reasonWhileAsked(event.reason), now)
  const reason = reasonWhileRepeated(event)
  const next = { ...backToPreparing(state, session), commits, notReady, renewed, reason }
  return stepTo(next, now + waitS * 1000)
}

/** Nothing left this machine: the state is as before the decision to commit, earlier commits included. */
function afterUnsent(state: Committing, { failure }: EventOf<'unsent'>, now: number): Step {
  const { session, notReady, renewed, tries } = state
  const commits = state.commits - 1
  const before = { ...backToPreparing(state, session), commits, notReady, renewed, tries }
  if (failure === null) return stepTo(before, now)
  return commits === 0
    ? afterFailure(before, failure, session, now)
    : afterFailureOfContested(before, failure, session, now)
}
