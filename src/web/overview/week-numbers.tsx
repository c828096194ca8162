import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { counted } from '#web/lib/amounts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { compact, exactViews } from '#web/results/numbers.ts'
import { resultsWeekQuery } from '#web/results/results-query.ts'
import { More, OverviewSection } from './overview-section.tsx'
import classes from './week-numbers.module.css'

/** The last 7 days in three numbers; nothing if no post went live, or while they cannot be read. */
export default function WeekNumbers() {
  const week = useQuery(resultsWeekQuery).data
  if (week === undefined || week.live === 0) return null
  return (
    <OverviewSection title="Results of the last 7 days" id="week">
      <dl className={classes.week}>
        <Figure word="Went live" about="posts, one per account">
          <span>{week.live.toLocaleString('en')}</span>
        </Figure>
        {week.views
          .filter(({ counted: read }) => read > 0)
          .map(({ platform, views, counted: read, of }) => (
            <Figure
              key={platform}
              word={`${PLATFORM_NAMES[platform]} views`}
              about={`after 24 hours, ${read === of ? '' : `${read} of `}${counted(of, 'post')}`}
            >
              <span title={exactViews(views)}>{compact(views)}</span>
            </Figure>
          ))}
        {week.compared > 0 && (
          <Figure word="Above usual" about="after 24 hours">
            <span>{`${week.above} of ${week.compared}`}</span>
          </Figure>
        )}
      </dl>
      <More to={PATHS.results}>See all results</More>
    </OverviewSection>
  )
}

type FigureProps = { word: string; about: string; children: ReactNode }

const Figure = ({ word, about, children }: FigureProps) => (
  <div>
    <dt>{word}</dt>
    <dd className={classes.figure}>{children}</dd>
    <dd>{about}</dd>
  </div>
)
