import { waitAfterUnexpected, waitAfterUnreachable } from '../delivery/backoff.ts'
import type { Failure } from '../delivery/failure.ts'

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

/** Later the post has been seen, and the user decides. */
const PATIENCE_MS = 24 * 3_600_000

/** The next try (epoch ms) after `waitS`; null: too long since `since`, so the user decides. */
export function nextTryAt(since: number, waitS: number | null, now: number): number | null {
  if (waitS === null) return null
  const at = now + waitS * 1000
  return at > since + PATIENCE_MS ? null : at
}

const POST_UNKNOWN_S = [2, 5, 10, 30, 60, 300]
export const waitForPost = (tries: number): number => POST_UNKNOWN_S[tries] ?? 900
