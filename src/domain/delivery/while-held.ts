import type { Blocked, Preparing, Scheduled } from './state.ts'
import { blocked, refuse, stepTo, type Context, type EventOf, type Step } from './transition.ts'

/** A pause that nobody ended by a resume is looked at this often, so that nothing stays behind. */
const PAUSE_LOOK_MS = 3_600_000
/** What has a session that may still publish keeps it, and waits in short steps. */
const CONTESTED_LOOK_MS = 60_000

/**
 * Whether a delivery that comes too late is held for its user. Not what was begun before, or what its user has sent again:
 * somebody has decided on that.
 */
export const isHeldWhenLate = ({ attempt, earlier }: Scheduled): boolean => attempt === 1 && earlier === null

/** Its time has passed: only its user says what becomes of it. */
export function holdMissed(state: Scheduled | Blocked, event: EventOf<'missed'>): Step {
  const { dueAt, earlier } = state
  const isHeld = state.kind === 'scheduled' ? isHeldWhenLate(state) : state.cause === 'paused'
  return isHeld
    ? blocked(state, { cause: 'missed', reason: event.reason, dueAt, earlier })
    : refuse(state, event)
}

/** Nothing irreversible is begun while it lasts. What had begun starts afresh after it, unless its session may still publish. */
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
