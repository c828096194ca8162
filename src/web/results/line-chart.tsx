import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import {
  ageTicks,
  nextPoint,
  placeOfAge,
  segmentsOf,
  viewTicks,
  type CurvePoint,
  type PointPlace,
  type ReadPoint,
} from './curve.ts'
import { lineLook } from './line-look.ts'
import { ageText, compact, exactViews } from './numbers.ts'
import classes from './chart.module.css'

export type ChartLine = {
  readonly id: number
  readonly name: string
  /** Its look is the same in the legend. */
  readonly nth: number
  readonly points: readonly CurvePoint[]
}

type Props = {
  lines: readonly ChartLine[]
  /** The line that stands out; null: none. */
  highlighted: number | null
  /** The line whose views the axis fits, so that a small account's is not flat; null: all. */
  fitted: number | null
  /** What the chart shows, for screen readers: the numbers are in a table beside it, too. */
  label: string
  /** The point that has the focus, in words; null: none has it. */
  onFocusPoint: (words: string | null) => void
}

const HEIGHT = 232
const MARGIN = { top: 12, right: 20, bottom: 28, left: 44 }
/** Until the page has measured it. */
const USUAL_WIDTH = 640
/** An age on the axis takes about this much room, in px. */
const AGE_LABEL_WIDTH = 72

/** The views on each account over the age of the post. Arrow keys walk along a line, and from line to line. */
export function LineChart({ lines, highlighted, fitted, label, onFocusPoint }: Props) {
  const clip = useId()
  const [last, setLast] = useState<PointPlace | null>(null)
  const { ref, width: measured } = useElementSize()
  const width = measured > 0 ? measured : USUAL_WIDTH
  const readLines = lines.map(({ id, points }) => ({ id, points: segmentsOf(points).flat() }))
  const read = readLines.flatMap(({ points }) => points)
  // The Tab key reaches one point: the one it left last.
  const isThere = readLines.some(({ id, points }) => points.some((point) => isPlace(id, point, last)))
  const [first] = readLines
  const [youngest] = first?.points ?? []
  const tabbed = isThere ? last : first && youngest ? { id: first.id, ageHours: youngest.ageHours } : null
  const walk = (event: KeyboardEvent<SVGElement>, id: number, { ageHours }: ReadPoint) => {
    const next = nextPoint(readLines, { id, ageHours }, event.key)
    if (next === null) return
    event.preventDefault()
    const point = event.currentTarget.ownerSVGElement?.querySelector<SVGElement>(
      `[data-point="${next.id} ${next.ageHours}"]`,
    )
    point?.focus()
  }
  const maxHours = Math.max(1, ...read.map(({ ageHours }) => ageHours))
  const measure = lines.filter(({ id }) => fitted === null || id === fitted)
  const ticks = viewTicks(
    Math.max(1, ...measure.flatMap(({ points }) => points.map(({ views }) => views ?? 0))),
  )
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom }
  const x = (hours: number) => MARGIN.left + placeOfAge(hours, maxHours) * inner.width
  const y = (views: number) => MARGIN.top + inner.height * (1 - views / (ticks.at(-1) ?? 1))
  const at = ({ ageHours, views }: ReadPoint) => `${round(x(ageHours))} ${round(y(views))}`
  // The one that stands out is painted over the others.
  const inOrder = lines.toSorted((a, b) => Number(a.id === highlighted) - Number(b.id === highlighted))
  return (
    <div ref={ref} className={classes.chart}>
      {/* oxlint-disable-next-line jsx-a11y/no-redundant-roles -- not every browser gives it this role */}
      <svg width={width} height={HEIGHT} role="graphics-document" aria-label={label}>
        {ticks.map((tick) => (
          <g key={tick} className={classes.tick}>
            <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {compact(tick)}
            </text>
          </g>
        ))}
        {ageTicks(maxHours, AGE_LABEL_WIDTH / inner.width).map((hours) => (
          <g key={hours} className={classes.tick}>
            <line x1={x(hours)} x2={x(hours)} y1={y(0)} y2={y(0) + 4} />
            <text x={x(hours)} y={HEIGHT - 8} textAnchor={anchorOf(hours, maxHours)}>
              {ageText(hours)}
            </text>
          </g>
        ))}
        <clipPath id={clip}>
          {/* As far up as a point at the top needs. */}
          <rect width={width} height={HEIGHT} y={MARGIN.top - 8} />
        </clipPath>
        <g clipPath={`url(#${clip})`}>
          {inOrder.map(({ id, name, nth, points }) => {
            const { color, dash, marker } = lineLook(nth)
            const segments = segmentsOf(points)
            return (
              <g
                key={id}
                className={classes.line}
                style={{ color }}
                data-faint={(highlighted !== null && highlighted !== id) || undefined}
              >
                {segments
                  .filter(({ length }) => length > 1)
                  .map((segment) => (
                    <polyline
                      key={segment[0]?.ageHours}
                      points={segment.map(at).join(' ')}
                      strokeDasharray={dash}
                    />
                  ))}
                {segments.flat().map((point) => (
                  <g
                    key={point.ageHours}
                    className={classes.point}
                    transform={`translate(${at(point)})`}
                    data-point={`${id} ${point.ageHours}`}
                    role="graphics-symbol"
                    aria-label={describePoint(name, point)}
                    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- points are walked with arrow keys
                    tabIndex={isPlace(id, point, tabbed) ? 0 : -1}
                    onFocus={() => {
                      setLast({ id, ageHours: point.ageHours })
                      onFocusPoint(describePoint(name, point))
                    }}
                    onBlur={() => onFocusPoint(null)}
                    onKeyDown={(event) => walk(event, id, point)}
                  >
                    <title>{describePoint(name, point)}</title>
                    <circle r="12" className={classes.target} />
                    <path d={marker} data-latest={point.isLatest || undefined} />
                  </g>
                ))}
              </g>
            )
          })}
        </g>
      </svg>
    </div>
  )
}

const isPlace = (id: number, { ageHours }: ReadPoint, place: PointPlace | null): boolean =>
  id === place?.id && ageHours === place.ageHours

const round = (px: number): number => Math.round(px * 10) / 10

/** The last age stays within the picture. */
const anchorOf = (hours: number, maxHours: number) => (placeOfAge(hours, maxHours) > 0.96 ? 'end' : 'middle')

const describePoint = (name: string, { ageHours, views, isLatest }: ReadPoint): string =>
  `${name}: ${exactViews(views)} after ${ageText(ageHours)}${isLatest ? ', the last reading' : ''}`

/** A piece of a line, for the legend. */
export function LineSample({ nth }: { nth: number }) {
  const { color, dash, marker } = lineLook(nth)
  return (
    <svg width="28" height="12" className={classes.line} style={{ color }} aria-hidden="true">
      <polyline points="0 6 28 6" strokeDasharray={dash} />
      <path d={marker} transform="translate(14 6)" />
    </svg>
  )
}
