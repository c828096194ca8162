import type { Metric } from '#contract/platforms/index.ts'
import { DAY_MS, markAt, nextReadAt, retryReadAt } from './schedule.ts'

/** Why a reading lacks some metrics while it has others: no permission for them, or their own call failed. */
export const WITHHELD = ['not_allowed', 'missed'] as const
export type Withheld = (typeof WITHHELD)[number]

/** Whole numbers, times in ms. A metric that is not there was not reported. */
export type Numbers = { readonly [metric in Metric]?: number | Withheld }

/** The answer of one reading about a post. */
export type Found =
  | { readonly kind: 'numbers'; readonly numbers: Numbers }
  /** The platform does not show it: deleted, private or under review. */
  | { readonly kind: 'absent' }
  /** The platform has not told the post's id yet. */
  | { readonly kind: 'no_id' }
  | { readonly kind: 'not_allowed' }
  /** The call for this post failed, which says nothing of it. */
  | { readonly kind: 'failed' }

/** A live post whose numbers are read. Times are epoch ms. */
export type Followed = {
  readonly liveAt: number
  /** The first of the readings that did not find it, since one last did. */
  readonly missedAt: number | null
  /** The same, once a reading a day later did not find it either. */
  readonly goneAt: number | null
}

export type Mark = {
  readonly ageH: number
  readonly missing: 'not_yet' | 'not_allowed' | 'gone' | null
  readonly numbers: Numbers
}

/** The values to save after a reading; `latest: null`: the numbers before it stay. */
export type Reading = {
  readonly missedAt: number | null
  readonly goneAt: number | null
  readonly latest: Numbers | null
  readonly nextAt: number | null
  readonly mark: Mark | null
}

const MISSING = { numbers: null, absent: 'gone', no_id: 'not_yet', not_allowed: 'not_allowed' } as const

export function takeReading(post: Followed, found: Found, now: number): Reading {
  const { missedAt, goneAt } = sightings(post, found, now)
  if (found.kind === 'failed') {
    const nextAt = retryReadAt(post.liveAt, now, goneAt !== null)
    return { missedAt, goneAt, latest: null, nextAt, mark: null }
  }
  const ageH = markAt(post.liveAt, now)
  const numbers = found.kind === 'numbers' ? found.numbers : {}
  const isPartial = Object.values(numbers).includes('missed')
  return {
    missedAt,
    goneAt,
    latest: Object.keys(numbers).length > 0 ? numbers : null,
    nextAt: (isPartial ? retryReadAt : nextReadAt)(post.liveAt, now, goneAt !== null),
    mark: ageH === null ? null : { ageH, missing: MISSING[found.kind], numbers },
  }
}

/** One miss may be a review of the platform's own; two a day apart are a post that is gone. A later hit brings it back. */
function sightings(post: Followed, { kind }: Found, now: number): Pick<Followed, 'missedAt' | 'goneAt'> {
  if (kind === 'numbers') return { missedAt: null, goneAt: null }
  if (kind !== 'absent') return post
  const missedAt = post.missedAt ?? now
  return { missedAt, goneAt: now - missedAt >= DAY_MS ? missedAt : post.goneAt }
}
