import { REASONS } from './reasons.ts'
import type { Blocked, DeliveryState, Failed, Preparing, Scheduled, Unconfirmed } from './state.ts'
import {
  failed,
  inInbox,
  stepTo,
  published,
  refuse,
  startedAgain,
  type Context,
  type EventOf,
  type Step,
} from './transition.ts'

/** Once `committing` is saved the call may be out, and it cannot be taken back. */
export const cancel = (
  state: Scheduled | Preparing | Blocked,
  event: EventOf<'cancel'>,
  { now }: Context,
): Step =>
  state.kind === 'preparing' && state.commits > 0
    ? refuse(state, event)
    : {
        to: { kind: 'cancelled', attempt: state.attempt, repeats: state.repeats, at: now },
        wakeAt: null,
      }

export const retry = (state: Failed | Blocked, event: EventOf<'retry'>, { now }: Context): Step =>
  mayRetry(state) ? stepTo(startedAgain(state, now), now) : refuse(state, event)

/** A replaced failure stays one: the post that took its place is the one to retry. */
const mayRetry = (state: Failed | Blocked): boolean =>
  state.kind === 'failed'
    ? state.settled?.kind !== 'replaced'
    : state.cause !== 'account' && state.cause !== 'paused'

/** Dismissing a dismissed failure again changes nothing: the first answer may have been lost. */
export function dismiss(state: Failed, event: EventOf<'dismiss'>, { now }: Context): Step {
  switch (state.settled?.kind) {
    case undefined:
      return { to: { ...state, settled: { kind: 'dismissed', at: now } }, wakeAt: null }
    case 'dismissed':
      return { to: state, wakeAt: null }
    case 'replaced':
      return refuse(state, event)
  }
}

/** If there are several replacements, the last is named. */
export const replace = (state: Failed, { postId }: EventOf<'replaced'>, { now }: Context): Step => ({
  to: { ...state, settled: { kind: 'replaced', at: now, postId } },
  wakeAt: null,
})

/** The user says whether the post is live. For a delivery that is held after a restore, `retry` says that it is not. */
export function resolve(state: Unconfirmed | Blocked, event: EventOf<'resolve'>, { now }: Context): Step {
  const { outcome } = event
  if (state.kind === 'blocked') {
    if (state.cause !== 'restored') return refuse(state, event)
    const session = state.earlier?.session ?? null
    if (outcome === 'live') return published({ ...state, session }, { postId: null, url: null }, now)
    return outcome === 'in_inbox' && session !== null
      ? inInbox({ ...state, session }, now, now)
      : refuse(state, event)
  }
  if (outcome === 'live') return published(state, { postId: null, url: null }, now)
  if (outcome === 'in_inbox') return inInbox(state, now, now)
  // Its account is erased, so it cannot be sent again either.
  return state.reason.code === REASONS.cannotBeAsked.code
    ? failed(state, REASONS.accountErased, now)
    : stepTo(startedAgain(state, now), now)
}

/** Nothing of it is at the platform. After an unconfirmed attempt it is not editable: that attempt is checked against what was sent. */
export const isEditable = (state: DeliveryState | null): state is Scheduled | Blocked =>
  (state?.kind === 'scheduled' || state?.kind === 'blocked') && state.earlier === null

/**
 * A new time does not release it: only linking ends the wait for an account, and after a restore only its user knows whether it went
 * out, or that no other copy of the data posts it.
 */
export const staysHeld = (state: DeliveryState | null): boolean =>
  state?.kind === 'blocked' && (state.cause === 'account' || state.cause === 'restored')

/** A new time releases it as a retry does, although its user may have posted it in another way meanwhile. */
export const isReleasedByTime = (state: DeliveryState | null): boolean =>
  state?.kind === 'blocked' && (state.cause === 'missed' || state.cause === 'limit')

/** A new time ends every wait that does not stay. */
export function reschedule(
  state: Scheduled | Blocked,
  event: EventOf<'rescheduled'>,
  { now }: Context,
): Step {
  if (!isEditable(state)) return refuse(state, event)
  const dueAt = Math.max(event.dueAt, now)
  if (state.kind === 'scheduled') return stepTo({ ...state, dueAt, reason: null }, dueAt)
  if (staysHeld(state)) return { to: { ...state, dueAt }, wakeAt: null }
  // A missed or paused delivery had not begun, or its next attempt is already counted.
  const attempt = state.cause === 'limit' ? state.attempt + 1 : state.attempt
  return stepTo({ ...startedAgain(state, now), attempt, dueAt }, dueAt)
}

/** Saved although the state stays: a worker that has read the old text must lose its save. */
export function edit(state: Scheduled | Blocked, event: EventOf<'edited'>, { now }: Context): Step {
  if (!isEditable(state)) return refuse(state, event)
  if (state.kind === 'scheduled') return stepTo(state, Math.max(state.dueAt, now))
  return { to: state, wakeAt: state.until === null ? null : Math.max(state.until, now) }
}
