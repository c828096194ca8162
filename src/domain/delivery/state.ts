import type { BlockedCause } from '#contract/deliveries.ts'
import type { Failure } from './failure.ts'
import type { Reason } from './reasons.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** An upload session of a platform. Only the platform that made it looks inside. */
export type Session = { readonly [key: string]: Json }

/**
 * Times are milliseconds since the epoch. `attempt` counts fresh starts at the platform; `repeats` those that happened by
 * themselves since the user last decided. Waiting for a limit is no repeat.
 */
export type Attempted = { readonly attempt: number; readonly repeats: number }

/** A post on its way to one account. The order is the order of its life. */
export type DeliveryState =
  | Scheduled
  | Preparing
  | Committing
  | Processing
  | Published
  | InInbox
  | Failed
  | Blocked
  | Unconfirmed
  | Cancelled

/** The states in which something of a delivery is, or may be, at the platform. */
export const IN_FLIGHT = ['preparing', 'committing', 'processing', 'unconfirmed'] as const

/** In these states a delivery may still go out without its user. */
export const UNDECIDED = ['scheduled', 'blocked', ...IN_FLIGHT] as const

/** Waits for its time or for a limit. */
export type Scheduled = Attempted & {
  readonly kind: 'scheduled'
  readonly dueAt: number
  readonly reason: Reason | null
  readonly earlier: Earlier | null
}

/** The user said that nothing was published from this session. The platform is asked once more before another is opened. */
export type Earlier = {
  readonly session: Session
  readonly since: number
  /** Checks that failed. */
  readonly looks: number
}

/** A session is opened and the bytes go up. Every call of this state may be repeated. */
export type Preparing = Attempted & {
  readonly kind: 'preparing'
  readonly session: Session | null
  readonly sent: number
  /** Setbacks in a row; any progress clears them. */
  readonly tries: number
  /** Openings in a row whose answer was lost. */
  readonly lostOpenings: number
  /** Irreversible calls that were made in this session and are known to have had no effect. */
  readonly commits: number
  /** Irreversible calls of this session that were not carried out because the platform was not ready. */
  readonly notReady: number
  /** The last call was refused for its access alone, which was renewed since. */
  readonly renewed: boolean
  readonly reason: Reason | null
}

/** The irreversible call may be out. A worker that finds this state did not make it: the outcome is unknown. */
export type Committing = Attempted & {
  readonly kind: 'committing'
  readonly session: Session
  readonly since: number
  readonly commits: number
  /** Setbacks in a row before it, which a call that never leaves this machine goes on counting. */
  readonly tries: number
  readonly notReady: number
  readonly renewed: boolean
}

/** Accepted; the platform works on it. Only read from here on. */
export type Processing = Attempted & {
  readonly kind: 'processing'
  readonly session: Session
  readonly since: number
  readonly checks: number
  readonly commits: number
  readonly reason: Reason | null
}

/** Live: the platform said so, or the user did. */
export type Published = Attempted & {
  readonly kind: 'published'
  readonly at: number
  readonly session: Session | null
  readonly postId: string | null
  readonly url: string | null
  /** The user had said that it is not there, and the platform says that it is. */
  readonly afterAll: boolean
}

/** A draft in the inbox of the account's owner, who is notified: an end here, unless the platform reports that it was posted. */
export type InInbox = Attempted & {
  readonly kind: 'in_inbox'
  readonly at: number
  readonly session: Session
  /** Checks so far whether it was posted. */
  readonly checks: number
}

export type Failed = Attempted & {
  readonly kind: 'failed'
  readonly at: number
  readonly reason: Reason
  readonly settled: Settled | null
}

export type Settled =
  | { readonly kind: 'dismissed'; readonly at: number }
  /** Its user sent it again as the post `postId`, which speaks for it from now on, whatever becomes of it. */
  | { readonly kind: 'replaced'; readonly at: number; readonly postId: number }

/**
 * Nothing of it is at the platform, as far as these data tell. It waits for the account to be linked again, for a limit to end, for its
 * user because its time has passed (`missed`) or because the data were restored or copied (`restored`), or for a pause to end.
 */
export type Blocked = Attempted & {
  readonly kind: 'blocked'
  readonly cause: BlockedCause
  /** The time of the next check. */
  readonly until: number | null
  /** The time at which it was due; if it had started, the time at which it was paused or held. */
  readonly dueAt: number | null
  readonly reason: Reason
  readonly earlier: Earlier | null
}

/** It may be live; only the platform knows, and it is asked. */
export type Unconfirmed = Attempted & {
  readonly kind: 'unconfirmed'
  readonly session: Session
  readonly since: number
  readonly checks: number
  /** 0: every call was answered "not ready", and the platform is asked once more before that is believed. */
  readonly commits: number
  readonly reason: Reason
  /** The platform's last answer to whether it is live. */
  readonly answer: ({ readonly at: number } & Pick<Reason, 'message' | 'text'>) | null
  /** The data were restored or copied since: another copy may be at it, so nothing but the user's word begins another attempt. */
  readonly restored: boolean
}

export type Cancelled = Attempted & { readonly kind: 'cancelled'; readonly at: number }

export type DeliveryEvent =
  // its time has come
  | { readonly type: 'due' }
  /** The next call would be one too many for the platform, or for a late post's account: it is made later, and nothing else changes. */
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason | null }
  // while preparing
  | { readonly type: 'opened'; readonly session: Session }
  | { readonly type: 'progress'; readonly session: Session; readonly sent: number; readonly waitS: number }
  | { readonly type: 'setback'; readonly failure: Failure; readonly session: Session | null }
  | { readonly type: 'ready'; readonly session: Session }
  /** Another post to the same account is at its irreversible call: wait for one's turn. */
  | { readonly type: 'crowded' }
  // the irreversible call
  | { readonly type: 'accepted'; readonly session: Session }
  | { readonly type: 'live'; readonly postId: string | null; readonly url: string | null }
  /** The platform has put it into the owner's inbox as a draft, as was asked for. */
  | { readonly type: 'in_inbox'; readonly session: Session }
  /** `renewed`: refused for its access alone, which has been renewed. */
  | {
      readonly type: 'not_ready'
      readonly session: Session
      readonly reason: Reason
      readonly renewed: boolean
    }
  | { readonly type: 'refused'; readonly failure: Failure; readonly session: Session | null }
  /** `session: null`: as it was. */
  | { readonly type: 'unanswered'; readonly failure: Failure; readonly session: Session | null }
  /** The worker reports that the call was never sent. `failure: null`: the worker is stopping. */
  | { readonly type: 'unsent'; readonly failure: Failure | null }
  | { readonly type: 'interrupted' }
  // asking
  | { readonly type: 'pending'; readonly session: Session }
  | { readonly type: 'uncommitted'; readonly session: Session }
  | { readonly type: 'rejected'; readonly failure: Failure }
  | { readonly type: 'unreadable'; readonly failure: Failure }
  // the account
  /** Nothing goes out for the account before it is linked again. */
  | { readonly type: 'relink'; readonly reason: Reason }
  /** The account's data was deleted: it can be neither asked nor linked again. */
  | { readonly type: 'erased' }
  // the user
  | { readonly type: 'cancel' }
  | { readonly type: 'retry' }
  /** The user wants to see the failure no more. */
  | { readonly type: 'dismiss' }
  /** A newer post of its user takes its place. */
  | { readonly type: 'replaced'; readonly postId: number }
  /** Its post goes out at another time. */
  | { readonly type: 'rescheduled'; readonly dueAt: number }
  /** Its text, video or options have changed; its time stays. */
  | { readonly type: 'edited' }
  | { readonly type: 'resolve'; readonly outcome: 'live' | 'in_inbox' | 'not_live' }
  /** `freeAt`: when the account has room for a late post. */
  | { readonly type: 'linked_again'; readonly freeAt: number }
  // overdue, and pauses
  /** It is later than the grace, and had not started. */
  | { readonly type: 'missed'; readonly reason: Reason }
  /** Its account, brand or posting schedule is paused, or its user is disabled. */
  | { readonly type: 'paused'; readonly reason: Reason }
  // data that were restored or copied
  /** It may go out, or may have gone out, from data that this server does not have. */
  | { readonly type: 'held' }
  /** Neither its account nor its brand nor its posting schedule is paused any more, or it need not be held after a restore. */
  | { readonly type: 'resumed'; readonly dueAt: number; readonly reason: Reason | null }

export const initial = (dueAt: number): Scheduled => ({
  kind: 'scheduled',
  attempt: 1,
  repeats: 0,
  dueAt,
  reason: null,
  earlier: null,
})
