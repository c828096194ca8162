import type { Failure } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'
import type { Moved, Transitions } from './transitions.ts'
import { tryAgain, waitAfter, waitForPost } from './waits.ts'

/** Turns off the comments of a live post. The call may be repeated. Times are epoch ms. */
export type CommentsOffState = Waiting | Off | StillOn

type Waiting = {
  readonly kind: 'waiting'
  readonly since: number
  readonly tries: number
  readonly reason: Reason | null
}

type Off = { readonly kind: 'done'; readonly at: number }

type StillOn = {
  readonly kind: 'failed'
  readonly at: number
  readonly reason: Reason
  readonly dismissed: boolean
}

export type CommentsOffEvent =
  /** The id of the live post is unknown. `searching`: Reelay is still looking for it. */
  | { readonly type: 'post_unknown'; readonly searching: boolean }
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  | { readonly type: 'setback'; readonly failure: Failure }
  | { readonly type: 'turned_off' }
  | { readonly type: 'retry' }
  | { readonly type: 'dismiss' }

export const COMMENTS_OFF_TRANSITIONS: Transitions<CommentsOffState, CommentsOffEvent> = {
  waiting: {
    post_unknown: (state, { searching }, now) =>
      tryLater(state, FOLLOW_UP_REASONS.postUnknownToClose, searching ? waitForPost(state.tries) : null, now),
    postponed: (state, { until, reason }) => ({ to: { ...state, reason }, wakeAt: until }),
    setback: (state, { failure }, now) =>
      tryLater(state, failure.reason, waitAfter(failure, state.tries), now),
    turned_off: (_state, _event, now) => ({ to: { kind: 'done', at: now }, wakeAt: null }),
  },
  done: {},
  failed: {
    retry: (_state, _event, now) => ({ to: initialCommentsOff(now), wakeAt: now }),
    dismiss: (state) => ({ to: { ...state, dismissed: true }, wakeAt: null }),
  },
}

export const initialCommentsOff = (now: number): Waiting => ({
  kind: 'waiting',
  since: now,
  tries: 0,
  reason: null,
})

const tryLater = (
  state: Waiting,
  reason: Reason,
  waitS: number | null,
  now: number,
): Moved<CommentsOffState> =>
  tryAgain(state, { kind: 'failed', at: now, reason, dismissed: false } as const, waitS, now)
