import { waitAfterUnexpected, waitAfterUnreachable } from '../delivery/backoff.ts'
import type { Failure } from '../delivery/failure.ts'
import type { Reason } from '../delivery/reasons.ts'
import type { Moved } from './transitions.ts'

/** Seconds until a read-only or refused call is repeated, after `tries` in a row; null: the user decides. */
export function waitAfter(failure: Failure, tries: number): number | null {
  switch (failure.kind) {
    case 'rejected':
      return failure.againInS?.[tries] ?? null
    case 'throttled': {
      const later = failure.laterS ?? []
      return tries === 0
        ? failure.retryAfterS
        : (later[Math.min(tries, later.length) - 1] ?? failure.retryAfterS)
    }
    case 'unreachable':
      return waitAfterUnreachable(tries, false)
    case 'unexpected':
      return waitAfterUnexpected(tries)
    case 'account':
      return null
  }
}

type Waiting = { readonly since: number; readonly tries: number; readonly reason: Reason | null }

/** After a day the post has been seen, so the user decides. */
const PATIENCE_MS = 24 * 3_600_000

/** Tries again after `waitS`; null, or too long since it began: it is given up, and the user decides. */
export function tryAgain<W extends Waiting, F extends { readonly reason: Reason }>(
  state: W,
  givenUp: F,
  waitS: number | null,
  now: number,
): Moved<W | F> {
  const wakeAt = waitS === null ? Infinity : now + waitS * 1000
  return wakeAt > state.since + PATIENCE_MS
    ? { to: givenUp, wakeAt: null }
    : { to: { ...state, tries: state.tries + 1, reason: givenUp.reason }, wakeAt }
}

const POST_UNKNOWN_S = [2, 5, 10, 30, 60, 300]
export const waitForPost = (tries: number): number => POST_UNKNOWN_S[tries] ?? 900
