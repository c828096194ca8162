import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { accountsQuery, brandsQuery } from '#web/client/queries.ts'
import { QueryError } from '#web/components/feedback/query-error.tsx'
import { Delayed } from '#web/components/feedback/skeletons.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { useNow } from '#web/lib/dom/use-now.ts'
import { messageOf } from '#web/lib/format/message-of.ts'
import { POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import { CalendarFilters } from './calendar-filters.tsx'
import { CalendarHead } from './calendar-head.tsx'
import classes from './calendar.module.css'
import { Dialogs, type Asked } from './dialogs/dialogs.tsx'
import type { Board } from './grid/board.ts'
import { ListView } from './grid/list-view.tsx'
import { MonthGrid } from './grid/month-grid.tsx'
import { useGridKeys } from './grid/use-grid-keys.ts'
import { WeekGrid } from './grid/week-grid.tsx'
import { calendarQuery } from './model/calendar-query.ts'
import { byDay, clockIn, entriesOf, type Entry } from './model/entries.ts'
import { daysOf } from './model/range.ts'
import { useCalendarPlace } from './use-calendar-place.ts'

/** What goes out and went out, by month, week or as a list. */
export function CalendarScreen() {
  const zone = useZone()
  const clock = useMemo(() => clockIn(zone), [zone])
  const now = clock(useNow())
  const place = useCalendarPlace(now.slice(0, 10))
  const { range, filter } = place
  const { link } = useLivePosts()
  const brands = useQuery(brandsQuery)
  const accounts = useQuery(accountsQuery())
  const calendar = useQuery({
    ...calendarQuery(range, zone, filter),
    ...(link === 'reconnecting' && { refetchInterval: POLL_MS }),
  })
  const [asked, setAsked] = useState<Asked | null>(null)
  const onOpen = useCallback((entry: Entry) => setAsked({ what: 'entry', entry }), [setAsked])
  const onOpenDay = useCallback((day: string) => setAsked({ what: 'day', day }), [setAsked])
  const entries = useMemo(
    () => (calendar.data ? entriesOf(calendar.data, clock) : []),
    [calendar.data, clock],
  )
  const titles = useMemo(
    () => new Map(brands.data?.map(({ brand_id, title }) => [brand_id, title])),
    [brands.data],
  )
  const days = daysOf(range)
  const board: Board = {
    range,
    days,
    entries: byDay(days, entries),
    zone,
    now,
    brandTitle: ({ of }) => (of.brand_id === null ? null : (titles.get(of.brand_id) ?? null)),
    onOpen,
    onOpenDay,
  }
  return (
    <>
      <CalendarHead
        range={range}
        zone={zone}
        today={now.slice(0, 10)}
        isReconnecting={link === 'reconnecting'}
        onGo={place.go}
      />
      <CalendarFilters
        filter={filter}
        brands={brands.data ?? []}
        accounts={accounts.data ?? []}
        onFilter={place.setFilter}
      />
      {calendar.status === 'error' && (
        <QueryError query={calendar}>{messageOf(calendar.error, TEXTS.unknownError)}</QueryError>
      )}
      {calendar.status === 'pending' && <CalendarSkeleton />}
      {calendar.status === 'success' && (
        <>
          {entries.length === 0 && <p className={classes.empty}>{NOTHING[range.view]}</p>}
          {calendar.data.more && (
            <p className={classes.empty}>Only the first {calendar.data.posts.length} posts are shown.</p>
          )}
          <Grid board={board} />
        </>
      )}
      <Dialogs asked={asked} board={board} onAsk={setAsked} onClose={() => setAsked(null)} />
    </>
  )
}

const NOTHING = {
  month: 'Nothing is planned in this month.',
  week: 'Nothing is planned in this week.',
  list: 'Nothing is planned in these four weeks.',
} as const

function Grid({ board }: { board: Board }) {
  const keys = useGridKeys()
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- for the keys of the chips inside
    <div {...keys}>
      {board.range.view === 'month' && <MonthGrid board={board} />}
      {board.range.view === 'week' && <WeekGrid board={board} />}
      {board.range.view === 'list' && <ListView board={board} />}
    </div>
  )
}

const CalendarSkeleton = () => (
  <Delayed>
    <VisuallyHidden component="output">Loading</VisuallyHidden>
    <div aria-hidden="true">
      <Skeleton height={600} radius="md" />
    </div>
  </Delayed>
)
