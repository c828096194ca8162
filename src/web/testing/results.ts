import type { z } from 'zod'
import { type Metric, METRICS } from '#contract/platforms/index.ts'
import {
  MARK_AGES_H,
  type DeliveryResults as Results,
  type Measured,
  type MissingReason,
  type ResultMark,
} from '#contract/results.ts'

/** When the posts of these tests went live. */
export const LIVE_AT = '2026-11-01T12:00:00.000Z'
const timeAt = (hours: number): string => new Date(Date.parse(LIVE_AT) + hours * 3_600_000).toISOString()

export const measured = (value: number | null, missing: MissingReason = 'not_yet'): Measured => ({
  value,
  missing: value === null ? missing : null,
})

/** Values with these views; no platform of the tests reports the rest, but for `its`. */
const valuesOf = (views: Measured, its: Partial<Record<Metric, Measured>> = {}): Record<Metric, Measured> => {
  const rest = Object.fromEntries(METRICS.map((metric) => [metric, measured(null, 'not_offered')]))
  return { ...(rest as Record<Metric, Measured>), views, ...its } // fromEntries forgets the keys
}

export const mark = (hours: number, views: number | null, missing?: MissingReason): ResultMark => ({
  age_hours: hours,
  read_at: views === null ? null : timeAt(hours),
  values: valuesOf(measured(views, missing)),
})

type DeliveryResults = z.input<typeof Results>

type Sketch = Partial<Omit<DeliveryResults, 'latest'>> & {
  /** The views at some of the ages; younger ones that lack here were missed. */
  views?: Readonly<Record<number, number>>
  latest?: { hours: number; views: number; its?: Partial<Record<Metric, Measured>> }
}

/** The results of a post on one account. */
export function deliveryResults({ views = {}, latest, ...its }: Sketch = {}): DeliveryResults {
  const oldest = Math.max(0, ...Object.keys(views).map(Number))
  return {
    delivery_id: 1,
    account_id: 1,
    platform: 'tiktok',
    username: 'northwind',
    display_name: 'Northwind',
    avatar_url: null,
    linked: true,
    allowed: true,
    live_at: LIVE_AT,
    url: null,
    gone_since: null,
    marks: MARK_AGES_H.map((hours) =>
      mark(hours, views[hours] ?? null, hours < oldest ? 'missed' : 'not_yet'),
    ),
    latest: latest
      ? { read_at: timeAt(latest.hours), values: valuesOf(measured(latest.views), latest.its) }
      : null,
    next_reading_at: timeAt(5000),
    ...its,
  }
}
