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

/** An answer that we do not know: it may be a passing fault, more likely it is not. */
const UNEXPECTED_S = [5, 30]

/** Any opening costs calls or places of an allowance. */
const OPENING_MIN_S = 15
/** Each lost opening may have left a session behind that counts against an allowance: two repeats, then the user decides. */
const LOST_OPENING_S = [15, 120]

/** Seconds to wait before try number `tries + 1`, or null when it is time to stop. */
export function waitAfterUnreachable(tries: number, opening: boolean): number | null {
  const waitS = UNREACHABLE_S[tries]
  if (waitS === undefined) return null
  return opening ? Math.max(waitS, OPENING_MIN_S) : waitS
}
/** The same after the answer to an opening was lost for the `lost`th time in a row. */
export const waitAfterLostOpening = (lost: number): number | null => LOST_OPENING_S[lost - 1] ?? null
/** The same for an answer that we do not know. */
export const waitAfterUnexpected = (tries: number): number | null => UNEXPECTED_S[tries] ?? null

/** The first waits between questions whether a post is live; a platform may have others. */
export const FIRST_CHECKS_S: readonly number[] = [3, 5, 10]

/**
 * Seconds until the platform is asked again whether a post is live, after `checks` answers, by how long it has been at work:
 * often at first, when most finish (TikTok: "512 MB under 30 s"), rarely later.
 */
export function waitBeforeCheck(elapsedS: number, checks: number, first: readonly number[]): number {
  const early = first[checks]
  if (early !== undefined) return early
  if (elapsedS < minutes(5)) return Math.max(15, first.at(-1) ?? 0)
  if (elapsedS < hours(1)) return Math.max(60, first.at(-1) ?? 0)
  if (elapsedS < hours(24)) return minutes(15)
  return hours(24)
}

const LAST_LOOK_S = [2, 5, 10, 30, 60, minutes(5)]
/**
 * Seconds until the platform is asked again whether a post is there that the user wants sent again, after `looks` questions
 * that failed. null: it cannot tell, and the user's word stands.
 */
export const waitBeforeLastLook = (looks: number): number | null => LAST_LOOK_S[looks] ?? null

const COMMIT_AGAIN_S = [2, 5, 15, 60, minutes(5), minutes(15)]
/**
 * Seconds until an irreversible call that had no effect, by the platform's own word, is made again in the same session: long
 * enough in all for the platform's bad quarter of an hour. null: it was made often enough.
 */
export const waitBeforeCommitAgain = (commits: number): number | null => COMMIT_AGAIN_S[commits - 1] ?? null

const NOT_READY_S = [5, 15, 30, 60, minutes(2), minutes(5), minutes(10), minutes(15)]
/**
 * Seconds until a call to publish is made again that the platform has answered `refusals` times in a row with "not ready", and
 * so did not carry out. null: it was made often enough.
 */
export const waitWhileNotReady = (refusals: number): number | null => NOT_READY_S[refusals - 1] ?? null

/** A post that a platform has processed for longer is unconfirmed: TikTok promises no figure, all seen were far below. */
const PROCESSING_MAX_S = hours(24)

export const hasTakenTooLong = (since: number, now: number): boolean => now - since > PROCESSING_MAX_S * 1000

const REFRESH_FAILED_S = [hours(6), hours(12), hours(24)]
/** Refreshing more often than this helps nobody, however little is left. */
const REFRESH_MIN_S = minutes(5)
/**
 * Seconds until access that still works is renewed again after `failures` vain tries in a row: unhurried, since renewing was
 * ahead of time, and sooner only where less than that is left (`leftS`) until nothing can be renewed any more.
 */
export const waitAfterFailedRefresh = (failures: number, leftS: number): number =>
  Math.max(REFRESH_MIN_S, Math.min(REFRESH_FAILED_S[failures - 1] ?? hours(24), Math.floor(leftS / 4)))

const days = (n: number) => hours(24) * n
/** Thirty days in all: TikTok tells the id of a public post once its moderation is over. */
const LOCATE_S = [
  2,
  5,
  15,
  60,
  minutes(5),
  minutes(15),
  hours(1),
  hours(6),
  ...[1, 1, 2, 3, 4, 5, 6, 7.7].map(days),
]
/** Seconds until the address of a live post is asked for again; null: enough, it is best effort. */
export const waitBeforeLocate = (tries: number): number | null => LOCATE_S[tries] ?? null
