import { FIRST_CHECKS_S } from './backoff.ts'
import { blockForAccount, endContested, goOnNow, unblockAccount } from './by-account.ts'
import { cancel, dismiss, edit, replace, reschedule, resolve, retry } from './by-user.ts'
import { holdMissed, holdRestored, pause, resume } from './while-held.ts'
import { REASONS } from './reasons.ts'
import type {
  DeliveryEvent,
  DeliveryState,
  InInbox,
  Preparing,
  Processing,
  Scheduled,
  Unconfirmed,
} from './state.ts'
import {
  failed,
  stepTo,
  leaveToUser,
  refuse,
  type Context,
  type EventOf,
  type Step,
  type TransitionsOf,
} from './transition.ts'
import { WHILE_IN_INBOX, WHILE_PROCESSING, WHILE_UNCONFIRMED } from './while-checking.ts'
import { WHILE_COMMITTING } from './while-committing.ts'
import { dueAfterLimit, WHILE_PREPARING, WHILE_SCHEDULED } from './while-preparing.ts'

export type { Step } from './transition.ts'

/**
 * Every event that a state takes; any other is refused. No way leads from `committing` or `unconfirmed` to a new session unless
 * the platform said that nothing was or will be published (`refused`, `rejected`), or the user did (`resolve`).
 */
const TRANSITIONS: { readonly [K in DeliveryState['kind']]: TransitionsOf<K> } = {
  scheduled: {
    ...WHILE_SCHEDULED,
    postponed: postponeWithReason,
    relink: blockForAccount,
    cancel,
    rescheduled: reschedule,
    edited: edit,
    missed: holdMissed,
    paused: pause,
    held: holdRestored,
  },
  preparing: {
    ...WHILE_PREPARING,
    postponed: postponeWithReason,
    relink: blockForAccount,
    erased: endContested,
    cancel,
    linked_again: goOnNow,
    paused: pause,
    held: holdRestored,
  },
  committing: { ...WHILE_COMMITTING, held: holdRestored },
  processing: {
    ...WHILE_PROCESSING,
    postponed: postpone,
    erased: leaveToUser,
    linked_again: goOnNow,
    held: holdRestored,
  },
  unconfirmed: {
    ...WHILE_UNCONFIRMED,
    postponed: postpone,
    erased: leaveToUser,
    linked_again: goOnNow,
    resolve,
    held: holdRestored,
  },
  published: {},
  in_inbox: { ...WHILE_IN_INBOX, postponed: postpone },
  failed: { retry, dismiss, replaced: replace },
  blocked: {
    due: dueAfterLimit,
    relink: blockForAccount,
    erased: (state, _event, { now }) => failed(state, REASONS.accountErased, now),
    cancel,
    retry,
    rescheduled: reschedule,
    edited: edit,
    linked_again: unblockAccount,
    missed: holdMissed,
    paused: pause,
    resumed: resume,
    resolve,
    held: holdRestored,
  },
  cancelled: {},
}

/**
 * The only code that moves a delivery. Pure: the same state, event and time give the same answer. A refused event changes
 * nothing.
 */
export function step(
  state: DeliveryState,
  event: DeliveryEvent,
  now: number,
  firstChecksS: readonly number[] = FIRST_CHECKS_S,
): Step {
  // The row of a state has transitions from that state only.
  const row = TRANSITIONS[state.kind] as Readonly<Partial<Record<DeliveryEvent['type'], AnyTransition>>>
  return row[event.type]?.(state, event, { now, firstChecksS }) ?? refuse(state, event)
}

type AnyTransition = (state: DeliveryState, event: DeliveryEvent, context: Context) => Step

function postponeWithReason(state: Scheduled | Preparing, event: EventOf<'postponed'>): Step {
  return stepTo({ ...state, reason: event.reason }, event.until)
}

/** The wait is not shown: its present text is more important. */
function postpone(state: Processing | Unconfirmed | InInbox, event: EventOf<'postponed'>): Step {
  return stepTo(state, event.until)
}
