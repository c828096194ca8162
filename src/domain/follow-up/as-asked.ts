import { type Failure, isAccountGone } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import type { Moved, Transitions } from './transitions.ts'

/** Looks, after the publication, whether the post is live as it was asked for. All calls are read-only. Times are epoch ms. */
export type AsAskedState = Looking | AsAsked | Differs

type Looking = {
  readonly kind: 'waiting'
  readonly since: number
  /** Answers so far. */
  readonly looks: number
  /** Looks in a row that failed. */
  readonly tries: number
}

/** `seen: false`: the platform could not be asked. */
type AsAsked = { readonly kind: 'done'; readonly at: number; readonly seen: boolean }

type Differs = {
  readonly kind: 'failed'
  readonly at: number
  readonly reason: Reason
  readonly dismissed: boolean
}

export type AsAskedEvent =
  | { readonly type: 'post_unknown'; readonly searching: boolean }
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  | { readonly type: 'as_asked' }
  | { readonly type: 'differs'; readonly reason: Reason }
  | { readonly type: 'unreadable'; readonly failure: Failure }
  | { readonly type: 'retry' }
  | { readonly type: 'dismiss' }

type Step = Moved<AsAskedState>

/** Seconds after the publication: what a platform decides at once, within the hour, and after a claim. */
export const LOOKS_S = [0, 3600, 86_400, 7 * 86_400] as const

export const AS_ASKED_TRANSITIONS: Transitions<AsAskedState, AsAskedEvent> = {
  waiting: {
    post_unknown: (state, { searching }, now) => (searching ? tryLater(state, 0, now) : unseen(now)),
    postponed: (state, { until }) => ({ to: state, wakeAt: until }),
    as_asked: (state, _event, now) => {
      const looks = state.looks + 1
      const nextS = LOOKS_S[looks]
      return nextS === undefined
        ? { to: { kind: 'done', at: now, seen: true }, wakeAt: null }
        : { to: { ...state, looks, tries: 0 }, wakeAt: Math.max(state.since + nextS * 1000, now) }
    },
    differs: (_state, { reason }, now) => ({
      to: { kind: 'failed', at: now, reason, dismissed: false },
      wakeAt: null,
    }),
    unreadable: (state, { failure }, now) =>
      isAccountGone(failure)
        ? unseen(now)
        : tryLater(state, failure.kind === 'throttled' ? failure.retryAfterS : 0, now),
  },
  done: {},
  failed: {
    // The user has changed it at the platform.
    retry: (_state, _event, now) => ({ to: initialAsAsked(now), wakeAt: now }),
    dismiss: (state) => ({ to: { ...state, dismissed: true }, wakeAt: null }),
  },
}

export const initialAsAsked = (now: number): Looking => ({ kind: 'waiting', since: now, looks: 0, tries: 0 })

const AGAIN_S = [30, 300, 3600, 6 * 3600, 24 * 3600]

function tryLater(state: Looking, atLeastS: number, now: number): Step {
  const waitS = AGAIN_S[state.tries]
  return waitS === undefined
    ? unseen(now)
    : { to: { ...state, tries: state.tries + 1 }, wakeAt: now + Math.max(waitS, atLeastS) * 1000 }
}

const unseen = (now: number): Step => ({ to: { kind: 'done', at: now, seen: false }, wakeAt: null })
