import type { Blocked, Preparing, Scheduled } from './state.ts'
import { blocked, refuse, stepTo, type Context, type EventOf, type Step } from './transition.ts'

/** Fallback for a pause that ended without a resume, such as with a deleted queue. */
const PAUSE_LOOK_MS = 3_600_000
/** A session that may still publish is kept, and checked this often. */
const CONTESTED_LOOK_MS = 60_000

/**
 * Whether a late delivery is held for its user: not when it had started or its user had retried it, because then somebody has
 * decided.
 */
export const isHeldWhenLate = ({ attempt, earlier }: Scheduled): boolean => attempt === 1 && earlier === null

/** Its time has passed: only its user can let it go out. */
export function holdMissed(state: Scheduled | Blocked, event: EventOf<'missed'>): Step {
  const { dueAt, earlier } = state
  const isHeld = state.kind === 'scheduled' ? isHeldWhenLate(state) : state.cause === 'paused'
  return isHeld
    ? blocked(state, { cause: 'missed', reason: event.reason, dueAt, earlier })
    : refuse(state, event)
}

/** What had started begins a new attempt after the pause, unless its session may still publish. */
export function pause(
  state: Scheduled | Preparing | Blocked,
  event: EventOf<'paused'>,
  { now }: Context,
): Step {
  const byPause = { cause: 'paused', reason: event.reason, until: now + PAUSE_LOOK_MS } as const
  switch (state.kind) {
    case 'scheduled':
      return blocked(state, { ...byPause, dueAt: state.dueAt, earlier: state.earlier })
    case 'preparing':
      return state.commits === 0
        ? blocked({ attempt: state.attempt + 1, repeats: state.repeats }, { ...byPause, dueAt: now })
        : stepTo({ ...state, reason: event.reason }, now + CONTESTED_LOOK_MS)
    case 'blocked':
      return state.cause === 'paused'
        ? blocked(state, { ...byPause, dueAt: state.dueAt, earlier: state.earlier })
        : refuse(state, event)
  }
}

export function resume(state: Blocked, event: EventOf<'resumed'>): Step {
  if (state.cause !== 'paused') return refuse(state, event)
  const { attempt, repeats, earlier } = state
  const { dueAt, reason } = event
  return stepTo({ kind: 'scheduled', attempt, repeats, dueAt, reason, earlier }, dueAt)
}
