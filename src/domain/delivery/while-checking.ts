import { hasTakenTooLong, waitBeforeCheck, waitBeforeCommitAgain } from './backoff.ts'
import { afterDefiniteNo } from './after-failure.ts'
import { isAccountGone } from './failure.ts'
import { ANSWERS, type Reason, REASONS } from './reasons.ts'
import { holdAfterNo } from './while-held.ts'
import type { InInbox, Processing, Session, Unconfirmed } from './state.ts'
import {
  backToPreparing,
  failed,
  inInbox,
  stepTo,
  leaveToUser,
  processing,
  published,
  reasonWhileAsked,
  unconfirmed,
  type Context,
  type EventOf,
  type Step,
  type TransitionsOf,
} from './transition.ts'

export const WHILE_PROCESSING = {
  live: (state, event, { now }) => published(state, event, now),
  in_inbox: (state, { session }, { now }) => inInbox({ ...state, session }, now, now),
  accepted: (state, { session }, context) =>
    stillProcessing({ ...state, session, reason: null }, nextCheckAt(state, context), context),
  pending: (state, { session }, context) =>
    stillProcessing({ ...state, session, reason: null }, nextCheckAt(state, context), context),
  unreadable: (state, event, context) =>
    isAccountGone(event.failure)
      ? leaveToUser(state)
      : stillProcessing(
          { ...state, reason: reasonWhileAsked(event.failure.reason) },
          afterUnreadable(state, event, context),
          context,
        ),
  uncommitted: (state, { session }, { now }) =>
    stepTo(backToPreparing(state, session), now + (waitBeforeCommitAgain(state.commits) ?? 0) * 1000),
  rejected: (state, { failure }, { now }) => afterDefiniteNo(state, failure, now),
} as const satisfies TransitionsOf<'processing'>

export const WHILE_UNCONFIRMED = {
  live: (state, event, { now }) => published(state, event, now),
  in_inbox: (state, { session }, { now }) => inInbox({ ...state, session }, now, now),
  accepted: (state, { session }, context) =>
    state.restored || hasTakenTooLong(state.since, context.now)
      ? stillOpen(state, session, ANSWERS.working, nextCheckAt(state, context), context)
      : processing({ ...state, session }, context),
  pending: (state, { session }, context) =>
    stillOpen(state, session, ANSWERS.pending, nextCheckAt(state, context), context),
  unreadable: (state, event, context) =>
    isAccountGone(event.failure)
      ? leaveToUser(state)
      : stillOpen(
          state,
          state.session,
          event.failure.reason,
          afterUnreadable(state, event, context),
          context,
        ),
  uncommitted(state, { session }, context) {
    const { now } = context
    if (state.restored)
      return stillOpen(state, session, ANSWERS.uncommitted, nextCheckAt(state, context), context)
    // Every call was refused as not ready, and the platform confirms that none had an effect.
    if (state.commits === 0) return failed(state, REASONS.neverReady, now)
    const waitS = waitBeforeCommitAgain(state.commits)
    return waitS === null
      ? stillOpen(state, session, ANSWERS.uncommitted, nextCheckAt(state, context), context)
      : stepTo(backToPreparing(state, session), now + waitS * 1000)
  },
  rejected: (state, { failure }, { now }) =>
    state.restored ? holdAfterNo(state, now) : afterDefiniteNo(state, failure, now),
} as const satisfies TransitionsOf<'unconfirmed'>

/**
 * The owner of the account decides what becomes of a draft, so nothing is sent again by itself: a second one would be a second
 * notification. Whatever a question brings but "live" or "failed", the draft is where it was.
 */
export const WHILE_IN_INBOX = {
  live: (state, event, { now }) => published(state, event, now),
  in_inbox: stillInInbox,
  accepted: stillInInbox,
  pending: stillInInbox,
  uncommitted: stillInInbox,
  unreadable: (state, event, context) =>
    isAccountGone(event.failure) ? { to: state, wakeAt: null } : stillInInbox(state, event, context),
  rejected: (state, { failure }, { now }) => failed(state, failure.reason, now),
} as const satisfies TransitionsOf<'in_inbox'>

function stillInInbox(state: InInbox, _event: unknown, { now }: Context): Step {
  return inInbox(state, state.at, now, state.checks + 1)
}

function nextCheckAt(state: Processing | Unconfirmed, { now, firstChecksS }: Context): number {
  // The first check of an unconfirmed delivery is made at once, before any wait.
  const waits = state.kind === 'unconfirmed' ? state.checks : state.checks + 1
  return now + waitBeforeCheck((now - state.since) / 1000, waits, firstChecksS) * 1000
}

/** The question failed, which proves nothing about the post. */
function afterUnreadable(
  state: Processing | Unconfirmed,
  { failure }: EventOf<'unreadable'>,
  context: Context,
): number {
  const allowedAt = failure.kind === 'throttled' ? context.now + failure.retryAfterS * 1000 : context.now
  return Math.max(nextCheckAt(state, context), allowedAt)
}

const stillProcessing = (state: Processing, checkAt: number, { now }: Context): Step =>
  hasTakenTooLong(state.since, now)
    ? unconfirmed(state, state.reason ?? REASONS.tooLong, now)
    : stepTo({ ...state, checks: state.checks + 1 }, checkAt)

const stillOpen = (
  state: Unconfirmed,
  session: Session,
  { message, text }: Reason,
  checkAt: number,
  { now }: Context,
): Step => {
  const answer = { at: now, message, ...(text && { text }) }
  return stepTo({ ...state, session, checks: state.checks + 1, answer }, checkAt)
}
