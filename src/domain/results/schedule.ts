import { MARK_AGES_H } from '#contract/results.ts'

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Until then a post is read daily, afterwards at its marks. */
const DAILY_UNTIL_H = 672
/** The readings of the first day, beside its marks. */
const FIRST_DAY_H = [3, 6, 12]
const DAILY_H = Array.from({ length: DAILY_UNTIL_H / 24 }, (_, day) => (day + 1) * 24)
const READ_AT_H = [...new Set([...MARK_AGES_H, ...FIRST_DAY_H, ...DAILY_H])].toSorted((a, b) => a - b)
const RETRIES = 4
const MARKS: ReadonlySet<number> = new Set(MARK_AGES_H)

/** A reading between two marks may be that early, so that several posts go into one call. */
export const EARLY_MS = 12 * HOUR_MS
export const LAST_AGE_MS = (MARK_AGES_H.at(-1) ?? 0) * HOUR_MS

/** How late (ms) a reading may be and still count for the age: a quarter of it, from half an hour to a day. */
export const latenessMs = (ageH: number): number =>
  Math.min(Math.max((ageH / 4) * HOUR_MS, HOUR_MS / 2), DAY_MS)

export const dueAt = (liveAt: number, ageH: number): number => liveAt + ageH * HOUR_MS

/** The age (hours) that a reading at this time counts for; null: it is between two. Times are epoch ms. */
export const markAt = (liveAt: number, at: number): number | null =>
  MARK_AGES_H.findLast((ageH) => {
    const due = dueAt(liveAt, ageH)
    return due <= at && at <= due + latenessMs(ageH)
  }) ?? null

export const isMarkDue = (liveAt: number, dueMs: number): boolean =>
  MARKS.has(Math.round((dueMs - liveAt) / HOUR_MS))

/** When a post that was read `at` is read next (epoch ms); null: no more. @param gone only its marks are read */
export function nextReadAt(liveAt: number, at: number, gone = false): number | null {
  const next = READ_AT_H.find((ageH) => {
    const due = dueAt(liveAt, ageH)
    if (due <= at) return false
    if (MARKS.has(ageH)) return true
    // A post that was just read early is not read again at its time.
    const early = ageH > 24 ? EARLY_MS : 0
    return !gone && due > at + early
  })
  return next === undefined ? null : dueAt(liveAt, next)
}

/** When a post whose reading failed `at` is read again (epoch ms): soon, as long as that counts for the same age. */
export function retryReadAt(liveAt: number, at: number, gone = false): number | null {
  const ageH = READ_AT_H.findLast((one) => dueAt(liveAt, one) <= at)
  if (ageH === undefined) return nextReadAt(liveAt, at, gone)
  const retryAt = at + latenessMs(ageH) / RETRIES
  return retryAt <= dueAt(liveAt, ageH) + latenessMs(ageH) ? retryAt : nextReadAt(liveAt, at, gone)
}
