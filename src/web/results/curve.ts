import type { DeliveryResults, MissingReason } from '#contract/results.ts'
import { reasonOf } from './numbers.ts'

/** The views of a post on one account at one age; `views` is null where they are missing. */
export type CurvePoint = {
  readonly ageHours: number
  readonly views: number | null
  readonly missing: MissingReason | null
  /** The last reading, which is at no fixed age. */
  readonly isLatest: boolean
}

const HOUR_MS = 3_600_000

type Read = Pick<DeliveryResults, 'live_at' | 'marks' | 'latest'>

/** The fixed ages that the post has reached, and its last reading, youngest first. `now`: epoch ms. */
export function pointsOf({ live_at, marks, latest }: Read, now: number): CurvePoint[] {
  const age = (now - Date.parse(live_at)) / HOUR_MS
  const points = marks
    .filter(({ age_hours, read_at }) => age_hours <= age || read_at !== null)
    .map(({ age_hours, values }): CurvePoint => {
      const { views } = values
      const isMissing = views.value === null
      return {
        ageHours: age_hours,
        views: views.value,
        missing: isMissing ? reasonOf(views) : null,
        isLatest: false,
      }
    })
  if (latest === null || latest.values.views.value === null) return points
  const ageHours = (Date.parse(latest.read_at) - Date.parse(live_at)) / HOUR_MS
  // A mark's own reading is the latest one until the next.
  if (points.some((point) => point.views !== null && point.ageHours >= ageHours - 0.5)) return points
  return [...points, { ageHours, views: latest.values.views.value, missing: null, isLatest: true }].toSorted(
    (a, b) => a.ageHours - b.ageHours,
  )
}

export type ReadPoint = CurvePoint & { readonly views: number }
const isRead = (point: CurvePoint): point is ReadPoint => point.views !== null

/** Runs of points without a gap: no line crosses a missing one. */
export function segmentsOf(points: readonly CurvePoint[]): ReadPoint[][] {
  const segments: ReadPoint[][] = [[]]
  for (const point of points)
    if (isRead(point)) segments.at(-1)?.push(point)
    else segments.push([])
  return segments.filter((segment) => segment.length > 0)
}

/** Where an age stands on the axis, from 0 to 1. The first day has as much room as the weeks after: a square root does that. */
export const placeOfAge = (hours: number, maxHours: number): number =>
  Math.sqrt(Math.max(0, hours) / Math.max(1, maxHours))

/** Few ages for the axis: no two are nearer than `room`, and the first hour gives way to the first day. */
export function ageTicks(maxHours: number, room: number): number[] {
  const ticks: number[] = []
  for (const tick of [24, 168, 672, Math.round(maxHours), 1344, 2016, 1]) {
    const place = placeOfAge(tick, maxHours)
    if (
      tick <= maxHours + 0.5 &&
      ticks.every((other) => Math.abs(placeOfAge(other, maxHours) - place) >= room)
    )
      ticks.push(tick)
  }
  return ticks.toSorted((a, b) => a - b)
}

/** Round numbers from 0 to at least `max`, three to five of them. */
export function viewTicks(max: number): number[] {
  const step = Math.max(1, niceStep(max / 4))
  const top = Math.max(step, Math.ceil(max / step) * step)
  return Array.from({ length: Math.round(top / step) + 1 }, (_, nth) => nth * step)
}

function niceStep(rough: number): number {
  if (rough <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const nice = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10
  // Views are whole: 2.5 is no step below ten.
  return nice === 2.5 && power < 10 ? 5 * power : nice * power
}

/** A point of one of the lines. */
export type PointPlace = { readonly id: number; readonly ageHours: number }

/** Where a key leads from a point: along its line, or to the nearest age on another one; null: it is not a key for that. */
export function nextPoint(
  lines: readonly { readonly id: number; readonly points: readonly ReadPoint[] }[],
  from: PointPlace,
  key: string,
): PointPlace | null {
  const nth = lines.findIndex(({ id }) => id === from.id)
  const points = lines[nth]?.points ?? []
  const place = points.findIndex(({ ageHours }) => ageHours === from.ageHours)
  const along = (to: number): PointPlace => ({ id: from.id, ageHours: points[to]?.ageHours ?? from.ageHours })
  const across = (to: number): PointPlace => {
    const line = lines[to]
    const distance = ({ ageHours }: ReadPoint) => Math.abs(ageHours - from.ageHours)
    const [nearest] = line?.points.toSorted((a, b) => distance(a) - distance(b)) ?? []
    return line && nearest ? { id: line.id, ageHours: nearest.ageHours } : from
  }
  switch (key) {
    case 'ArrowRight':
      return along(place + 1)
    case 'ArrowLeft':
      return along(place - 1)
    case 'Home':
      return along(0)
    case 'End':
      return along(points.length - 1)
    case 'ArrowDown':
      return across(nth + 1)
    case 'ArrowUp':
      return across(nth - 1)
    default:
      return null
  }
}
