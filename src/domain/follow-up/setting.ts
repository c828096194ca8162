import type { Failure } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from './reasons.ts'
import type { Moved, Transitions } from './transitions.ts'
import { tryAgain, waitAfter, waitForPost } from './waits.ts'

/** Changes something of a live post: turns its comments off, sets its cover. The call may be repeated. Times are epoch ms. */
export type SettingState = Waiting | Done | NotDone

type Waiting = {
  readonly kind: 'waiting'
  readonly since: number
  readonly tries: number
  readonly reason: Reason | null
}

type Done = { readonly kind: 'done'; readonly at: number }

type NotDone = {
  readonly kind: 'failed'
  readonly at: number
  readonly reason: Reason
  readonly dismissed: boolean
}

export type SettingEvent =
  /** The id of the live post is unknown. `searching`: Reelay is still looking for it. */
  | { readonly type: 'post_unknown'; readonly searching: boolean }
  | { readonly type: 'postponed'; readonly until: number; readonly reason: Reason }
  | { readonly type: 'setback'; readonly failure: Failure }
  | { readonly type: 'set' }
  | { readonly type: 'retry' }
  | { readonly type: 'dismiss' }

const settingTransitions = (postUnknown: Reason): Transitions<SettingState, SettingEvent> => ({
  waiting: {
    post_unknown: (state, { searching }, now) =>
      tryLater(state, postUnknown, searching ? waitForPost(state.tries) : null, now),
    postponed: (state, { until, reason }) => ({ to: { ...state, reason }, wakeAt: until }),
    setback: (state, { failure }, now) =>
      tryLater(state, failure.reason, waitAfter(failure, state.tries), now),
    set: (_state, _event, now) => ({ to: { kind: 'done', at: now }, wakeAt: null }),
  },
  done: {},
  failed: {
    retry: (_state, _event, now) => ({ to: initialSetting(now), wakeAt: now }),
    dismiss: (state) => ({ to: { ...state, dismissed: true }, wakeAt: null }),
  },
})

export const COMMENTS_OFF_TRANSITIONS = settingTransitions(FOLLOW_UP_REASONS.postUnknownToClose)
export const COVER_TRANSITIONS = settingTransitions(FOLLOW_UP_REASONS.postUnknownToCover)

export const initialSetting = (now: number): Waiting => ({
  kind: 'waiting',
  since: now,
  tries: 0,
  reason: null,
})

const tryLater = (state: Waiting, reason: Reason, waitS: number | null, now: number): Moved<SettingState> =>
  tryAgain(state, { kind: 'failed', at: now, reason, dismissed: false } as const, waitS, now)
