import { spaced } from './overdue.ts'
import type { Blocked, DeliveryState, Preparing, Scheduled } from './state.ts'
import {
  blocked,
  stepTo,
  leaveToUser,
  refuse,
  startedAgain,
  type Context,
  type EventOf,
  type Step,
} from './transition.ts'

/** Only deliveries that wait or prepare are blocked. One that may be at the platform goes on, and is asked about when possible. */
export function blockForAccount(
  state: Scheduled | Preparing | Blocked,
  event: EventOf<'relink'>,
  { now }: Context,
): Step {
  const byAccount = { cause: 'account', reason: event.reason } as const
  switch (state.kind) {
    case 'scheduled':
      return blocked(state, { ...byAccount, dueAt: state.dueAt, earlier: state.earlier })
    case 'preparing':
      return state.commits === 0 ? blocked(state, byAccount) : refuse(state, event)
    case 'blocked': {
      // Missed and restored deliveries wait for their user: linking the account must not send them.
      if (state.cause === 'account' || state.cause === 'missed' || state.cause === 'restored')
        return refuse(state, event)
      const { attempt, repeats, earlier } = state
      if (state.cause === 'paused') return blocked(state, { ...byAccount, dueAt: state.dueAt, earlier })
      return blocked({ attempt: attempt + 1, repeats }, { ...byAccount, dueAt: state.until ?? now, earlier })
    }
  }
}

/** A delivery that had not begun keeps its time if that is yet to come; late ones of the account go out a minute apart. */
export function unblockAccount(state: Blocked, event: EventOf<'linked_again'>, { now }: Context): Step {
  if (state.cause !== 'account') return refuse(state, event)
  const attempt = state.dueAt === null ? state.attempt + 1 : state.attempt
  if (state.dueAt !== null && state.dueAt > now)
    return stepTo({ ...startedAgain(state, now), attempt, dueAt: state.dueAt }, state.dueAt)
  const late = spaced(event.freeAt, now)
  return stepTo({ ...startedAgain(state, now), attempt, ...late }, late.dueAt)
}

export const goOnNow = (state: DeliveryState, _event: EventOf<'linked_again'>, { now }: Context): Step =>
  stepTo(state, now)

/** The account is erased: what may be at the platform is the user's to answer. */
export const endContested = (state: Preparing, event: EventOf<'erased'>, { now }: Context): Step =>
  state.commits === 0 || state.session === null
    ? refuse(state, event)
    : leaveToUser({ ...state, session: state.session, since: now })
