import { COUNTED_IF_ALLOWED, type Metric, METRICS } from '#contract/platforms/index.ts'
import type { DeliveryResults, Measured } from '#contract/results.ts'

type Read = Pick<DeliveryResults, 'platform' | 'marks' | 'latest' | 'linked' | 'allowed'>

/** The last number of a metric. Without any reading: why there is none. */
export function currentValue({ platform, marks, latest, linked, allowed }: Read, metric: Metric): Measured {
  const value = latest?.values[metric]
  if (value) return value
  if (!linked) return { value: null, missing: 'unlinked' }
  if (!allowed && COUNTED_IF_ALLOWED[platform].includes(metric))
    return { value: null, missing: 'not_allowed' }
  // What is not offered is so at every age.
  return { value: null, missing: marks[0]?.values[metric].missing ?? 'not_yet' }
}

/** The metrics of which at least one of these accounts has a number, or may get one. */
export const shownMetrics = (deliveries: readonly Read[]): Metric[] =>
  METRICS.filter(
    (metric) =>
      metric === 'views' ||
      deliveries.some((delivery) => {
        const { value, missing } = currentValue(delivery, metric)
        return value !== null || missing === 'not_yet' || missing === 'missed'
      }),
  )

/** Those with most views first; those without a number last. */
export const byViews = <T extends Read>(deliveries: readonly T[]): T[] =>
  deliveries.toSorted((a, b) => viewsOf(b) - viewsOf(a))
const viewsOf = (delivery: Read): number => currentValue(delivery, 'views').value ?? -1
