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
  state.kind === 'blocked' && (state.cause === 'account' || state.cause === 'paused')
    ? refuse(state, event)
    : stepTo(startedAgain(state, now), now)

/** The user says whether the post is there. */
export function resolve(state: Unconfirmed, { outcome }: EventOf<'resolve'>, { now }: Context): Step {
  if (outcome === 'live') return published(state, { postId: null, url: null }, now)
  if (outcome === 'in_inbox') return inInbox(state, now, now)
  // Its account is erased, so it cannot be sent again either.
  return state.reason.code === REASONS.cannotBeAsked.code
    ? failed(state, REASONS.accountErased, now)
    : stepTo(startedAgain(state, now), now)
}

/**
 * Whether its post may still be changed: nothing of it is at the platform. An earlier unconfirmed attempt is checked once more, so
 * what it was sent with must stay.
 */
export const isEditable = (state: DeliveryState | null): state is Scheduled | Blocked =>
  (state?.kind === 'scheduled' || state?.kind === 'blocked') && state.earlier === null

/** Only linking ends the wait for an account; a new time ends every other wait. */
export function reschedule(
  state: Scheduled | Blocked,
  event: EventOf<'rescheduled'>,
  { now }: Context,
): Step {
  if (!isEditable(state)) return refuse(state, event)
  const dueAt = Math.max(event.dueAt, now)
  if (state.kind === 'scheduled') return stepTo({ ...state, dueAt, reason: null }, dueAt)
  if (state.cause === 'account') return { to: { ...state, dueAt }, wakeAt: null }
  // What was missed or paused had not begun, or counts its next attempt already.
  const attempt = state.cause === 'limit' ? state.attempt + 1 : state.attempt
  return stepTo({ ...startedAgain(state, now), attempt, dueAt }, dueAt)
}

/** Saved although the state stays: a worker that has read the old text must lose its save. */
export function edit(state: Scheduled | Blocked, event: EventOf<'edited'>, { now }: Context): Step {
  if (!isEditable(state)) return refuse(state, event)
  if (state.kind === 'scheduled') return stepTo(state, Math.max(state.dueAt, now))
  return { to: state, wakeAt: state.until === null ? null : Math.max(state.until, now) }
}
