/** Waits are tables, not formulas: a reader sees what will happen. All in seconds. */

const minutes = (n: number) => n * 60
const hours = (n: number) => n * 3600

/** Repeatable calls to a platform that cannot be reached: 13 more tries within about 4 hours, then the user decides. */
const UNREACHABLE_S = [
  2,
  5,
  10,
  30,
  60,
  minutes(2),
  minutes(5),
  minutes(10),
  minutes(20),
  hours(0.5),
  hours(1),
  hours(1),
  hours(1),
]

/** An unknown answer is probably not a temporary error. */
const UNEXPECTED_S = [5, 30]

/** Starting an upload counts against the platform's limits, so it is never retried sooner. */
const OPENING_MIN_S = 15
/** A lost answer may have left an upload that counts against a limit: two repeats, then the user decides. */
const LOST_OPENING_S = [15, 120]

/** Seconds until the next try, after `tries` earlier failures in a row; null: no more. `opening`: the call starts an upload. */
export function waitAfterUnreachable(tries: number, opening: boolean): number | null {
  const waitS = UNREACHABLE_S[tries]
  if (waitS === undefined) return null
  return opening ? Math.max(waitS, OPENING_MIN_S) : waitS
}
/** Seconds until an upload is started again after `lost` lost answers in a row; null: no more. */
export const waitAfterLostOpening = (lost: number): number | null => LOST_OPENING_S[lost - 1] ?? null
/** The same as `waitAfterUnreachable`, for an answer that no rule knows. */
export const waitAfterUnexpected = (tries: number): number | null => UNEXPECTED_S[tries] ?? null

/** The first waits between status checks; a platform may have others. */
export const FIRST_CHECKS_S: readonly number[] = [3, 5, 10]

/**
 * Seconds until the next status check, after `checks` answers, by processing time so far: often at first, when most posts
 * finish (TikTok: "512 MB under 30 s"), rarely later.
 */
export function waitBeforeCheck(elapsedS: number, checks: number, first: readonly number[]): number {
  const early = first[checks]
  if (early !== undefined) return early
  if (elapsedS < minutes(5)) return Math.max(15, first.at(-1) ?? 0)
  if (elapsedS < hours(1)) return Math.max(60, first.at(-1) ?? 0)
  if (elapsedS < hours(24)) return minutes(15)
  return hours(24)
}

const RESEND_CHECK_S = [2, 5, 10, 30, 60, minutes(5)]
/**
 * Seconds until the check that precedes a resend is repeated, after `checks` failed ones. null: the platform cannot tell, so
 * the post is sent again as the user asked.
 */
export const waitBeforeResendCheck = (checks: number): number | null => RESEND_CHECK_S[checks] ?? null

const COMMIT_AGAIN_S = [2, 5, 15, 60, minutes(5), minutes(15)]
/**
 * Seconds until an irreversible call is repeated that had no effect, as the platform says. In all they outlast a platform's
 * outage of a quarter of an hour. null: no more repeats.
 */
export const waitBeforeCommitAgain = (commits: number): number | null => COMMIT_AGAIN_S[commits - 1] ?? null

const NOT_READY_S = [5, 15, 30, 60, minutes(2), minutes(5), minutes(10), minutes(15)]
/**
 * Seconds until publishing is tried again after `refusals` answers "not ready" in a row, which are known not to have published.
 * null: no more tries.
 */
export const waitWhileNotReady = (refusals: number): number | null => NOT_READY_S[refusals - 1] ?? null

/** A post that a platform has processed for longer is unconfirmed: TikTok promises no figure, all seen were far below. */
const PROCESSING_MAX_S = hours(24)

export const hasTakenTooLong = (since: number, now: number): boolean => now - since > PROCESSING_MAX_S * 1000

const REFRESH_FAILED_S = [hours(6), hours(12), hours(24)]
/** Tokens are never refreshed more often than this, however soon they expire. */
const REFRESH_MIN_S = minutes(5)
/**
 * Seconds until a refresh is tried again after `failures` in a row while the access still works. Sooner only if the refresh
 * token expires in less (`leftS`).
 */
export const waitAfterFailedRefresh = (failures: number, leftS: number): number =>
  Math.max(REFRESH_MIN_S, Math.min(REFRESH_FAILED_S[failures - 1] ?? hours(24), Math.floor(leftS / 4)))

const days = (n: number) => hours(24) * n

/** A week in all: a draft is kept for about a day, and what its owner does with it is seen soon, or by a webhook. */
const INBOX_CHECK_S = [
  minutes(10),
  minutes(30),
  ...[1, 2, 4, 8, 12].map(hours),
  ...[1, 1, 1, 1, 1, 1].map(days),
]
/** Seconds until the platform is asked again whether a draft was posted, after `checks` answers; null: no more. */
export const waitBeforeInboxCheck = (checks: number): number | null => INBOX_CHECK_S[checks] ?? null
