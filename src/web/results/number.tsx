import { VisuallyHidden } from '@mantine/core'
import type { Metric } from '#contract/platforms/index.ts'
import type { Measured, MissingReason, ResultsCell } from '#contract/results.ts'
import { bandText, exact, exactViews, formatMetric, MISSING, METRIC_WORDS, reasonOf } from './numbers.ts'
import classes from './results.module.css'

/** A number of a metric, or a dash and why there is none. */
export function MetricNumber({ metric, of: measured }: { metric: Metric; of: Measured }) {
  if (measured.value === null) return <Missing reason={reasonOf(measured)} />
  const isTime = metric === 'average_watch_ms' || metric === 'total_watch_ms'
  const title = isTime ? METRIC_WORDS[metric] : `${METRIC_WORDS[metric]}: ${exact(measured.value)}`
  return (
    <span className={classes.value} title={title}>
      {formatMetric(metric, measured.value)}
    </span>
  )
}

/** The views of a post on an account, and how they compare with what is usual for it. */
export function CellNumber({ of: cell }: { of: ResultsCell }) {
  const { views } = cell
  if (views.value === null) return <Missing reason={reasonOf(views)} />
  const band = bandText(cell)
  return (
    <>
      <span className={classes.value} title={exactViews(views.value)}>
        {formatMetric('views', views.value)}
      </span>
      {band !== null && (
        <span className={classes.band} data-band={cell.band} title={band.title}>
          {band.sign !== '' && <span aria-hidden="true">{band.sign} </span>}
          <span>{band.text}</span>
        </span>
      )}
    </>
  )
}

export function Missing({ reason }: { reason: MissingReason }) {
  const { word, why } = MISSING[reason]
  return (
    <span className={classes.missing} title={why}>
      <span aria-hidden="true">–</span>
      <VisuallyHidden>No number: </VisuallyHidden>
      <span>{word}</span>
    </span>
  )
}
