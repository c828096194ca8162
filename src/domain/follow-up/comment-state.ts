import type { Reason } from '#contract/deliveries.ts'
import type { Failure } from '../delivery/failure.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'

/** The first comment of a live post: public at once, and so added at most once. Times are milliseconds since the epoch. */
export type CommentState = Waiting | Calling | Unconfirmed | Done | Failed

/** Nothing was added: no call was made yet, or the platform refused every one. */
export type Waiting = {
  readonly kind: 'waiting'
  /** When the post became live, or the user asked again. */
  readonly since: number
  /** Setbacks in a row. */
  readonly tries: number
  /** When the first call was made; from then on the platform is asked before another one. */
  readonly calledAt: number | null
  /** The last call was refused for its access alone, which was renewed since. */
  readonly renewed: boolean
  readonly reason: Reason | null
}

/** The irreversible call may be out. A worker that finds this state did not make it: the outcome is unknown. */
export type Calling = Omit<Waiting, 'kind' | 'reason'> & {
  readonly kind: 'commenting'
  /** When this call was decided on. */
  readonly at: number
}

/** It may be public; only the platform knows, and it is asked. It is never called again. */
export type Unconfirmed = {
  readonly kind: 'unconfirmed'
  readonly calledAt: number
  readonly checks: number
  /** The platform is still asked by itself. */
  readonly asking: boolean
  readonly reason: Reason
  /** The user has seen it, and it is named no longer. */
  readonly dismissed: boolean
}

export type Done = { readonly kind: 'done'; readonly at: number; readonly commentId: string | null }

/** Definitely not public. */
export type Failed = {
  readonly kind: 'failed'
  readonly at: number
  readonly calledAt: number | null
  readonly reason: Reason
  /** As above. */
  readonly dismissed: boolean
}

export type CommentEvent =
  // while waiting
  /** The id of the live post is not known. `searching`: it is still looked for. */
  | { readonly type: 'post_unknown'; readonly searching: boolean }
  /** The next call would be one too many for the platform. */
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  /** A call that changes nothing failed. */
  | { readonly type: 'setback'; readonly failure: Failure }
  | { readonly type: 'ready' }
  // the irreversible call
  | { readonly type: 'commented'; readonly commentId: string | null }
  /** Definitely not executed. `renewed`: for its access alone, which has been renewed. */
  | { readonly type: 'refused'; readonly failure: Failure; readonly renewed: boolean }
  | { readonly type: 'unanswered'; readonly failure: Failure }
  /** The call never left this machine. `failure: null`: the worker is stopping. */
  | { readonly type: 'unsent'; readonly failure: Failure | null }
  | { readonly type: 'interrupted' }
  // asking
  | { readonly type: 'found'; readonly commentId: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly failure: Failure }
  /** The data were restored or copied: it may have been added from data that this server does not have. */
  | { readonly type: 'held' }
  // the user
  | { readonly type: 'retry' }
  | { readonly type: 'dismiss' }

export const initialComment = (now: number): Waiting => ({
  kind: 'waiting',
  since: now,
  tries: 0,
  calledAt: null,
  renewed: false,
  reason: null,
})

/** Not added by itself, because another copy of the data may have added it since then. A retry looks for it first. */
export const heldComment = (since: number, now: number): Failed => ({
  kind: 'failed',
  at: now,
  calledAt: since,
  reason: FOLLOW_UP_REASONS.restored,
  dismissed: false,
})
