import type { Failure } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'

/** The first comment of a live post is public at once, so it is added at most once. Times are epoch ms. */
export type CommentState = Waiting | Calling | Unconfirmed | Done | Failed

/** Nothing was added: no call was made yet, or the platform refused every one. */
export type Waiting = {
  readonly kind: 'waiting'
  /** When the post became live, or the user retried. */
  readonly since: number
  readonly tries: number
  /** The time of the first call; from then on the platform is asked before another one. */
  readonly calledAt: number | null
  /** The last call was refused only for its access, which was renewed since. */
  readonly renewed: boolean
  readonly reason: Reason | null
}

/** The irreversible call may have been made. A worker that finds this state did not make it: the outcome is unknown. */
export type Calling = Omit<Waiting, 'kind' | 'reason'> & {
  readonly kind: 'commenting'
  readonly at: number
}

/** It may be public; only the platform knows. It is never called again. */
export type Unconfirmed = {
  readonly kind: 'unconfirmed'
  readonly calledAt: number
  readonly checks: number
  readonly asking: boolean
  readonly reason: Reason
  /** The user has seen it, so it needs no attention any more. */
  readonly dismissed: boolean
}

export type Done = { readonly kind: 'done'; readonly at: number; readonly commentId: string | null }

export type Failed = {
  readonly kind: 'failed'
  readonly at: number
  readonly calledAt: number | null
  readonly reason: Reason
  readonly dismissed: boolean
}

export type CommentEvent =
  /** The id of the live post is unknown. `searching`: Reelay is still looking for it. */
  | { readonly type: 'post_unknown'; readonly searching: boolean }
  /** The next call would exceed a limit of the platform. */
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  /** A read-only call failed. */
  | { readonly type: 'setback'; readonly failure: Failure }
  | { readonly type: 'ready' }
  | { readonly type: 'commented'; readonly commentId: string | null }
  /** Definitely not executed. `renewed`: refused only for its access, which has been renewed. */
  | { readonly type: 'refused'; readonly failure: Failure; readonly renewed: boolean }
  | { readonly type: 'unanswered'; readonly failure: Failure }
  /** The call never left this machine. `failure: null`: the worker is stopping. */
  | { readonly type: 'unsent'; readonly failure: Failure | null }
  | { readonly type: 'interrupted' }
  | { readonly type: 'found'; readonly commentId: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly failure: Failure }
  /** The data were restored or copied: another copy may have added the comment. */
  | { readonly type: 'held' }
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

/** The comment is not added automatically, because another copy of the data may have added it since. A retry looks for it first. */
export const heldComment = (since: number, now: number): Failed => ({
  kind: 'failed',
  at: now,
  calledAt: since,
  reason: FOLLOW_UP_REASONS.restored,
  dismissed: false,
})
