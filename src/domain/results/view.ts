import {
  COUNTED,
  type Metric,
  METRICS,
  type PlatformId,
  RESULTS_KEPT_DAYS,
} from '#contract/platforms/index.ts'
import type { Measured, MissingReason, ResultMark } from '#contract/results.ts'
import type { Mark, Numbers } from './reading.ts'
import { DAY_MS, dueAt, latenessMs } from './schedule.ts'

/** A platform that tells nothing for so long never will: Instagram, media insights, 2026-06-18 has 48 hours. */
const TOLD_WITHIN_MS = 3 * DAY_MS

/** Each metric's value or the reason why it has none. @param ageMs the post's age at the reading */
export function describeNumbers(
  platform: PlatformId,
  numbers: Numbers,
  ageMs: number,
): Record<Metric, Measured> {
  return each((metric) => {
    const value = numbers[metric]
    if (value !== undefined) return { value, missing: null }
    const isToCome = COUNTED[platform].includes(metric) && ageMs < TOLD_WITHIN_MS
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

/** What was kept of an age. @param mark undefined: nothing was */
export function describeMark(
  post: MarkedPost,
  ageH: number,
  mark: (Mark & { readonly readAt: number }) | undefined,
  now: number,
): ResultMark {
  const missing = mark ? mark.missing : whyNoMark(post, ageH, now)
  const readAt = mark?.missing === null ? mark.readAt : null
  return {
    age_hours: ageH,
    read_at: readAt === null ? null : new Date(readAt).toISOString(),
    values: missing
      ? nothingFor(missing)
      : describeNumbers(post.platform, mark?.numbers ?? {}, (readAt ?? now) - post.liveAt),
  }
}

export function whyNoMark(post: MarkedPost, ageH: number, now: number): MissingReason {
  const last = dueAt(post.liveAt, ageH) + latenessMs(ageH)
  if (post.unlinkedAt !== null && post.unlinkedAt < last) return 'unlinked'
  if (now <= last) return 'not_yet'
  const keptDays = RESULTS_KEPT_DAYS[post.platform]
  return keptDays !== null && now > last + keptDays * DAY_MS ? 'not_kept' : 'missed'
}

/** No value at all, for this reason. */
export const nothingFor = (missing: MissingReason): Record<Metric, Measured> =>
  each(() => ({ value: null, missing }))

const each = (of: (metric: Metric) => Measured): Record<Metric, Measured> =>
  Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Record<Metric, Measured> // all of them
