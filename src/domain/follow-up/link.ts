import { type Failure, isAccountGone } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'
import type { Moved, Transitions } from './transitions.ts'

/** The address of a live post that its platform did not tell at once. All calls are read-only. Times are epoch ms. */
export type LinkState = Asking | Found | GaveUp

export type Asking = {
  readonly kind: 'waiting'
  readonly since: number
  readonly asks: number
  /** The platform may tell the post's id before its address. */
  readonly postId: string | null
  /** The reason why the last check failed. */
  readonly reason: Reason | null
}

/** `url: null`: the platform has no address for it. */
type Found = {
  readonly kind: 'done'
  readonly at: number
  readonly postId: string | null
  readonly url: string | null
}

type GaveUp = {
  readonly kind: 'failed'
  readonly at: number
  readonly postId: string | null
  readonly reason: Reason
}

export type LinkEvent =
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  | { readonly type: 'link_found'; readonly postId: string | null; readonly url: string }
  | { readonly type: 'link_unknown'; readonly postId: string | null }
  | { readonly type: 'no_link' }
  | { readonly type: 'unreadable'; readonly failure: Failure }
  | { readonly type: 'retry' }

type Step = Moved<LinkState>

export const LINK_TRANSITIONS: Transitions<LinkState, LinkEvent> = {
  waiting: {
    postponed: (state, { until }) => ({ to: state, wakeAt: until }),
    link_found: (state, { postId, url }, now) => known(postId ?? state.postId, url, now),
    link_unknown: (state, { postId }, now, askedS) =>
      askLater({ ...state, postId: postId ?? state.postId, reason: null }, 0, now, askedS),
    no_link: ({ postId }, _event, now) => known(postId, null, now),
    unreadable: (state, { failure }, now, askedS) =>
      isAccountGone(failure)
        ? gaveUp(state, failure.reason, now)
        : askLater(
            { ...state, reason: failure.reason },
            failure.kind === 'throttled' ? failure.retryAfterS : 0,
            now,
            askedS,
          ),
  },
  done: {},
  failed: {
    retry: ({ postId }, _event, now) => ({ to: { ...initialLink(now), postId }, wakeAt: now }),
  },
}

export const initialLink = (now: number): Asking => ({
  kind: 'waiting',
  since: now,
  asks: 0,
  postId: null,
  reason: null,
})

const DAY_S = 86_400
/** TikTok tells the address of a public post only after moderation. */
const PATIENCE_S = 30 * DAY_S
const FIRST_DAY_S = 900
const LATER_S = 3600

function askLater(state: Asking, atLeastS: number, now: number, askedS: readonly number[]): Step {
  const asks = state.asks + 1
  const usualS = now - state.since < DAY_S * 1000 ? FIRST_DAY_S : LATER_S
  const wakeAt = now + Math.max(askedS[asks] ?? usualS, atLeastS) * 1000
  return wakeAt > state.since + PATIENCE_S * 1000
    ? gaveUp(state, FOLLOW_UP_REASONS.linkNotTold, now)
    : { to: { ...state, asks }, wakeAt }
}

const known = (postId: string | null, url: string | null, now: number): Step => ({
  to: { kind: 'done', at: now, postId, url },
  wakeAt: null,
})

const gaveUp = ({ postId }: Asking, reason: Reason, now: number): Step => ({
  to: { kind: 'failed', at: now, postId, reason },
  wakeAt: null,
})
