import { hasTakenTooLong, waitBeforeCommitAgain, waitBeforeResendCheck } from './backoff.ts'
import { afterFailure, afterFailureOfContested, askAboutContested } from './after-failure.ts'
import { REASONS } from './reasons.ts'
import type { Blocked, Preparing, Scheduled } from './state.ts'
import {
  stepTo,
  preparing,
  processing,
  published,
  inInbox,
  refuse,
  startedAgain,
  type Context,
  type EventOf,
  type Step,
  type TransitionsOf,
} from './transition.ts'

/** The wait while another post of the account makes its irreversible call. */
const CROWDED_S = 3

const beginPreparing = (state: Scheduled, now: number): Step => stepTo(preparing(state), now)

/**
 * The user said that nothing came of the earlier session. If the platform says that it is live or being processed, nothing is
 * sent again; any other answer lets the user's word stand.
 */
export const WHILE_SCHEDULED = {
  due: (state, _event, { now }) => beginPreparing(state, now),
  live(state, event, { now }) {
    const { earlier } = state
    return earlier === null
      ? refuse(state, event)
      : published({ ...state, session: earlier.session }, event, now, true)
  },
  in_inbox(state, event, { now }) {
    return state.earlier === null
      ? refuse(state, event)
      : inInbox({ ...state, session: event.session }, now, now)
  },
  unreadable(state, event, { now }) {
    const { earlier } = state
    if (earlier === null) return refuse(state, event)
    const waitS = waitBeforeResendCheck(earlier.looks)
    if (waitS === null) return beginPreparing(state, now)
    const dueAt = now + waitS * 1000
    return stepTo({ ...state, dueAt, earlier: { ...earlier, looks: earlier.looks + 1 } }, dueAt)
  },
  accepted(state, event, context) {
    const { earlier } = state
    // After so long the user was asked whether it is live, and that answer counts.
    if (earlier === null || hasTakenTooLong(earlier.since, context.now)) return refuse(state, event)
    return processing({ ...state, session: event.session, since: earlier.since, commits: 1 }, context)
  },
} as const satisfies TransitionsOf<'scheduled'>

export const dueAfterLimit = (state: Blocked, event: EventOf<'due'>, { now }: Context): Step =>
  state.cause === 'limit'
    ? stepTo({ ...startedAgain(state, now), repeats: state.repeats }, now)
    : refuse(state, event)

export const WHILE_PREPARING = {
  opened(state, event, { now }) {
    // A second session could publish the post twice.
    if (state.session !== null) return refuse(state, event)
    return stepTo({ ...state, session: event.session, sent: 0, lostOpenings: 0, reason: null }, now)
  },
  progress(state, event, { now }) {
    if (state.session === null) return refuse(state, event)
    const { session, sent } = event
    return stepTo({ ...state, session, sent, tries: 0, reason: null }, now + event.waitS * 1000)
  },
  setback: (state, event, { now }) =>
    state.commits === 0
      ? afterFailure(state, event.failure, event.session, now)
      : afterFailureOfContested(state, event.failure, event.session ?? state.session, now),
  crowded: (state, _event, { now }) => stepTo(state, now + CROWDED_S * 1000),
  ready: (state, event, { now }) =>
    state.session === null ? refuse(state, event) : commit(state, event, now),
} as const satisfies TransitionsOf<'preparing'>

function commit(state: Preparing, { session }: EventOf<'ready'>, now: number): Step {
  // Each commit is made only after the platform said that the one before had no effect.
  if (state.commits > 0 && waitBeforeCommitAgain(state.commits) === null) {
    return askAboutContested(state, session, REASONS.tooManyCommits, now)
  }
  const { attempt, repeats, tries, notReady, renewed } = state
  return stepTo(
    {
      kind: 'committing',
      attempt,
      repeats,
      session,
      since: now,
      commits: state.commits + 1,
      tries,
      notReady,
      renewed,
    },
    now,
  )
}
