import { REASONS } from './reasons.ts'
import type { Blocked, Failed, Preparing, Scheduled, Unconfirmed } from './state.ts'
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
  state.kind === 'blocked' && state.cause === 'account'
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
