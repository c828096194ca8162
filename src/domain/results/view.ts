import {
  COUNTED,
  COUNTED_IF_ALLOWED,
  type Metric,
  METRICS,
  type PlatformId,
  RESULTS_KEPT_DAYS,
} from '#contract/platforms/index.ts'
import type { Measured, MissingReason, ResultMark } from '#contract/results.ts'
import type { Mark, Numbers } from './reading.ts'
import { DAY_MS, dueAt, latenessMs } from './schedule.ts'

/**
 * A platform that reports nothing for so long never will. Instagram, media insights, 2026-06-18: 48 hours. YouTube Analytics: up to 72
 * hours after a day has ended.
 */
const REPORTED_WITHIN_MS = 4 * DAY_MS

/** Each metric's value or the reason why it has none. @param ageMs the post's age at the reading */
export function describeNumbers(
  platform: PlatformId,
  numbers: Numbers,
  ageMs: number,
): Record<Metric, Measured> {
  return each((metric) => {
    const value = numbers[metric]
    if (typeof value === 'number') return { value, missing: null }
    if (value !== undefined) return { value: null, missing: value }
    const isToCome = COUNTED[platform].includes(metric) && ageMs < REPORTED_WITHIN_MS
    return { value: null, missing: isToCome ? 'not_yet' : 'not_offered' }
  })
}

/** Times are epoch ms. */
export type MarkedPost = {
  readonly platform: PlatformId
  readonly liveAt: number
  /** null: it is linked. */
  readonly unlinkedAt: number | null
}

/** The numbers that were kept of an age. @param mark undefined: none were */
export function describeMark(
  post: MarkedPost,
  ageH: number,
  mark: (Mark & { readonly readAt: number }) | undefined,
  now: number,
): ResultMark {
  const isOver = now > dueAt(post.liveAt, ageH) + latenessMs(ageH)
  const missing = mark ? whyMissing(mark, isOver) : whyNoMark(post, ageH, now)
  const readAt = mark?.missing === null ? mark.readAt : null
  // A number that was not there at that age will never be.
  const ageMs = isOver ? Infinity : now - post.liveAt
  return {
    age_hours: ageH,
    read_at: readAt === null ? null : new Date(readAt).toISOString(),
    values: missing ? nothingFor(missing) : describeNumbers(post.platform, mark?.numbers ?? {}, ageMs),
  }
}

/** A post whose id the platform had not named by then could not be read. */
const whyMissing = ({ missing }: Mark, isOver: boolean): MissingReason | null =>
  missing === 'not_yet' && isOver ? 'missed' : missing

/** The reason why an age has no reading. */
export function whyNoMark(post: MarkedPost, ageH: number, now: number): MissingReason {
  const due = dueAt(post.liveAt, ageH)
  const last = due + latenessMs(ageH)
  const keptDays = RESULTS_KEPT_DAYS[post.platform]
  if (post.unlinkedAt !== null && (post.unlinkedAt < last || keptDays !== null)) return 'unlinked'
  if (now <= last) return 'not_yet'
  return keptDays !== null && now > due + keptDays * DAY_MS ? 'not_kept' : 'missed'
}

/** A post without latest numbers. @param post.isAllowed its account has granted the permission `results` */
export function describeNoLatest(
  post: MarkedPost & { readonly isGone: boolean; readonly isAllowed: boolean },
  now: number,
): Record<Metric, Measured> {
  if (post.isGone) return nothingFor('gone')
  if (post.unlinkedAt !== null) return nothingFor('unlinked')
  const missing = now - post.liveAt < REPORTED_WITHIN_MS ? 'not_yet' : 'missed'
  return each((metric) => ({
    value: null,
    missing:
      !post.isAllowed && COUNTED_IF_ALLOWED[post.platform].includes(metric)
        ? 'not_allowed'
        : COUNTED[post.platform].includes(metric)
          ? missing
          : 'not_offered',
  }))
}

/** Every metric without a value, for this reason. */
const nothingFor = (missing: MissingReason): Record<Metric, Measured> =>
  each(() => ({ value: null, missing }))

const each = (of: (metric: Metric) => Measured): Record<Metric, Measured> =>
  Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Record<Metric, Measured> // all of them
