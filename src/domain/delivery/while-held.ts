import { REASONS } from './reasons.ts'
import type { Blocked, Committing, Preparing, Processing, Scheduled, Unconfirmed } from './state.ts'
import { blocked, refuse, stepTo, unconfirmed, type Context, type EventOf, type Step } from './transition.ts'

/** Fallback for a pause that ended without a resume, such as with a deleted posting schedule. */
const PAUSE_LOOK_MS = 3_600_000
/** A session that may still publish is kept, and checked this often. */
const CONTESTED_LOOK_MS = 60_000

/** A late delivery is not held if it had started or its user retried it: then somebody has decided. */
export const isHeldWhenLate = ({ attempt, earlier }: Scheduled): boolean => attempt === 1 && earlier === null

/** Its time has passed: only its user can let it go out. */
export function holdMissed(state: Scheduled | Blocked, event: EventOf<'missed'>): Step {
  const { dueAt, earlier } = state
  const isHeld = state.kind === 'scheduled' ? isHeldWhenLate(state) : isHeldByUs(state)
  return isHeld
    ? blocked(state, { cause: 'missed', reason: event.reason, dueAt, earlier })
    : refuse(state, event)
}

/** A delivery that had started begins a new attempt after the pause, unless its session may still publish. */
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
      return isHeldByUs(state)
        ? blocked(state, { ...byPause, dueAt: state.dueAt, earlier: state.earlier })
        : refuse(state, event)
  }
}

const isHeldByUs = ({ cause }: Blocked): boolean => cause === 'paused' || cause === 'restored'

export function resume(state: Blocked, event: EventOf<'resumed'>): Step {
  if (!isHeldByUs(state)) return refuse(state, event)
  const { attempt, repeats, earlier } = state
  const { dueAt, reason } = event
  return stepTo({ kind: 'scheduled', attempt, repeats, dueAt, reason, earlier }, dueAt)
}

/**
 * The data were restored or copied, and another copy may have gone on with it. What may be at the platform is asked about, read-only;
 * a session that was opened is asked about before its user's word opens another.
 */
export function holdRestored(
  state: Scheduled | Preparing | Committing | Processing | Unconfirmed | Blocked,
  event: EventOf<'held'>,
  { now }: Context,
): Step {
  switch (state.kind) {
    case 'scheduled':
      return held(state, state, now)
    case 'preparing': {
      const { session } = state
      if (session !== null && state.commits > 0)
        return askAboutRestored({ ...state, session, since: now }, now)
      const earlier = session === null ? null : { session, since: now, looks: 0 }
      return held(state, { dueAt: now, earlier }, now)
    }
    case 'committing':
    case 'processing':
      return askAboutRestored(state, now)
    case 'unconfirmed':
      return state.reason.code === REASONS.cannotBeAsked.code
        ? { to: { ...state, restored: true }, wakeAt: null }
        : stepTo({ ...state, restored: true }, now)
    case 'blocked':
      return state.cause === 'restored'
        ? refuse(state, event)
        : held(state, { dueAt: state.dueAt ?? state.until ?? now, earlier: state.earlier }, now)
  }
}

const askAboutRestored = (state: Omit<Parameters<typeof unconfirmed>[0], 'restored'>, now: number): Step =>
  unconfirmed({ ...state, restored: true }, REASONS.restoredOpen, now)

const held = (
  state: Scheduled | Preparing | Blocked,
  { dueAt, earlier }: Pick<Scheduled, 'dueAt' | 'earlier'>,
  now: number,
): Step => {
  // If another copy of the data posts too, what was due has gone out there, and what is planned will.
  const isPlanned = dueAt > now && earlier === null
  const reason = isPlanned ? REASONS.restoredPlanned : REASONS.restored
  return blocked(state, { cause: 'restored', reason, dueAt, earlier })
}

/** The platform's no concerns the session of these data. Another copy of the data may have published in a later one. */
export const holdAfterNo = (state: Unconfirmed, now: number): Step =>
  blocked(state, { cause: 'restored', reason: REASONS.restored, dueAt: now })
