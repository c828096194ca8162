import type { Failure } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'
import {
  heldComment,
  initialComment,
  type Calling,
  type CommentEvent,
  type CommentState,
  type Unconfirmed,
  type Waiting,
} from './comment-state.ts'
import type { Moved, Transitions } from './transitions.ts'
import { tryAgain, waitAfter, waitForPost } from './waits.ts'

type Step = Moved<CommentState>

/**
 * Other events are refused. Nothing leads from `commenting` or `unconfirmed` to another call, unless the platform refused
 * the call or it never left this machine.
 */
export const COMMENT_TRANSITIONS: Transitions<CommentState, CommentEvent> = {
  waiting: {
    post_unknown: (state, { searching }, now) =>
      tryLater(state, FOLLOW_UP_REASONS.postUnknown, searching ? waitForPost(state.tries) : null, now),
    postponed: (state, { until, reason }) => ({ to: { ...state, reason }, wakeAt: until }),
    setback: (state, { failure }, now) => afterFailure(state, failure, now),
    ready: ({ since, tries, calledAt, renewed }, _event, now) => ({
      to: { kind: 'commenting', since, tries, calledAt, renewed, at: now },
      wakeAt: now,
    }),
    found: (_state, { commentId }, now) => done(commentId, now),
    held: ({ calledAt, since }, _event, now) => ({ to: heldComment(calledAt ?? since, now), wakeAt: null }),
  },
  commenting: {
    commented: (_state, { commentId }, now) => done(commentId, now),
    refused(state, { failure, renewed }, now) {
      const next = { ...before(state), calledAt: firstCallAt(state) }
      return renewed
        ? { to: { ...next, renewed, reason: failure.reason }, wakeAt: now }
        : afterFailure(next, failure, now)
    },
    unsent: (state, { failure }, now) =>
      failure === null ? { to: before(state), wakeAt: now } : afterFailure(before(state), failure, now),
    unanswered: (state, { failure }, now) => unconfirmed(state, failure.reason, now),
    interrupted: (state, _event, now) => unconfirmed(state, FOLLOW_UP_REASONS.interrupted, now),
  },
  unconfirmed: {
    found: (_state, { commentId }, now) => done(commentId, now),
    missing: (state, _event, now) => askLater(state, 0, now),
    unreadable: (state, { failure }, now) =>
      // Without access the platform cannot be asked until the user links the account again.
      failure.kind === 'account'
        ? { to: { ...state, asking: false }, wakeAt: null }
        : askLater(state, failure.kind === 'throttled' ? failure.retryAfterS : 0, now),
    postponed: (state, { until }) => ({ to: state, wakeAt: until }),
    retry: (state, _event, now) =>
      state.asking ? null : { to: { ...state, checks: 0, asking: true }, wakeAt: now },
    dismiss: (state, _event, now) => ({
      to: { ...state, dismissed: true },
      wakeAt: state.asking ? now : null,
    }),
  },
  failed: {
    retry: ({ calledAt }, _event, now) => ({ to: { ...initialComment(now), calledAt }, wakeAt: now }),
    dismiss: (state) => ({ to: { ...state, dismissed: true }, wakeAt: null }),
  },
  done: {},
}

/** Waits between checks of an open outcome; after these only the user's retry checks. */
const CHECKS_S = [3, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600]

/** The comment is not public: the platform says so, or nothing was sent. */
function afterFailure(state: Waiting, failure: Failure, now: number): Step {
  return tryLater(state, failure.reason, waitAfter(failure, state.tries), now)
}

function tryLater(state: Waiting, reason: Reason, waitS: number | null, now: number): Step {
  const { calledAt } = state
  return tryAgain(state, { kind: 'failed', at: now, calledAt, reason, dismissed: false } as const, waitS, now)
}

const before = ({ since, tries, calledAt, renewed }: Calling): Waiting => ({
  kind: 'waiting',
  since,
  tries,
  calledAt,
  renewed,
  reason: null,
})

const firstCallAt = ({ calledAt, at }: Calling): number => calledAt ?? at

/** Checked at once: the platform most often can tell what its lost answer would have said. */
const unconfirmed = (state: Calling, reason: Unconfirmed['reason'], now: number): Step => ({
  to: {
    kind: 'unconfirmed',
    calledAt: firstCallAt(state),
    checks: 0,
    asking: true,
    reason,
    dismissed: false,
  },
  wakeAt: now,
})

function askLater(state: Unconfirmed, atLeastS: number, now: number): Step {
  const waitS = CHECKS_S[state.checks]
  const checks = state.checks + 1
  return waitS === undefined
    ? { to: { ...state, checks, asking: false }, wakeAt: null }
    : { to: { ...state, checks }, wakeAt: now + Math.max(waitS, atLeastS) * 1000 }
}

const done = (commentId: string | null, now: number): Step => ({
  to: { kind: 'done', at: now, commentId },
  wakeAt: null,
})
