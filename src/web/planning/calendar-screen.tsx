import { Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  memo,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Brand } from '#contract/brands.ts'
import type { Calendar } from '#contract/planning/calendar.ts'
import { TEXTS } from '#contract/texts.ts'
import { addDays } from '#domain/schedule/days.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { useNow } from '#web/lib/use-now.ts'
import { POSTS_POLL_MS, useLivePosts } from '#web/posts/use-live-posts.ts'
import { lazyDialog, lazyPart } from '#web/ui/lazy-part.tsx'
import { brandColor } from '#web/ui/brand-color.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed } from '#web/ui/skeletons.tsx'
import { UndoBar } from '#web/ui/undo-bar.tsx'
import { useZone } from '#web/ui/zone.tsx'
import type { Board } from './board.ts'
import { type CalendarFilter, useCalendarAddress } from './calendar-address.ts'
import type { OpenedDialog } from './calendar-dialogs.tsx'
import {
  clocksOf,
  type Clock,
  type Entry,
  byDay,
  clockIn,
  entriesOf,
  proposedTime,
  slotsOf,
} from './calendar-entries.ts'
import { CalendarHead } from './calendar-head.tsx'
import classes from './calendar.module.css'
import { FilterButton } from './filter-button.tsx'
import { ListView } from './list-view.tsx'
import { MonthGrid } from './month-grid.tsx'
import { shiftForKey } from './keyboard-moves.ts'
import { type Range, type View, listDays } from './range.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { type Held, type Moves, useMoves } from './use-moves.ts'
import { clockText, WeekGrid } from './week-grid.tsx'
import { minuteAt } from './week-layout.ts'

// The code of dialogs and popovers weighs more than the calendar.
const Dialogs = lazyDialog(() => import('./calendar-dialogs.tsx'))
const FilterPopover = lazyPart(() => import('./calendar-filter.tsx'))
const Tray = lazyPart(() => import('./tray.tsx'))
const DroppedVideos = lazyPart(async () => ({ default: (await import('./tray.tsx')).DroppedVideos }))

export function CalendarScreen() {
  const zone = useZone()
  const clock = useMemo(() => clockIn(zone), [zone])
  const now = clock(useNow())
  const address = useCalendarAddress(now.slice(0, 10))
  const { range, filter } = address
  const { link } = useLivePosts()
  const brands = useQuery(brandsQuery)
  const calendar = useQuery({
    ...calendarQuery(range, zone, filter),
    ...(link === 'reconnecting' && { refetchInterval: POSTS_POLL_MS }),
  })
  const [asked, setAsked] = useState<OpenedDialog | null>(null)
  const [hasTray, setTray] = useState(false)
  const [isFilterOpen, setFilterOpen] = useState(false)
  const toggleFilter = () => setFilterOpen(!isFilterOpen)
  const onOpen = useCallback((entry: Entry) => setAsked({ what: 'entry', entry }), [setAsked])
  const onOpenDay = useCallback(
    (day: string, from: string) => setAsked({ what: 'day', day, from }),
    [setAsked],
  )
  const moves = useMoves(clock, zone)
  const { entries, slots } = useEntries(calendar.data, clock, moves)
  const brandOf = useShownBrands(brands.data)
  const board = useBoard({ range, entries, slots, zone, now, brandOf, moves, onOpen, onOpenDay })
  const propose = (day: string, px: number, start: number | null) => {
    const local = start === null ? '' : `${day}T${clockText(minuteAt(px, start))}`
    return local > now ? local : proposedTime(day, now)
  }
  const { go } = address
  const onLeave = useCallback((day: string) => go({ anchor: day }), [go])
  useHotkeys([['mod+Z', () => asked === null && moves.undo()]])
  return (
    <>
      <CalendarHead
        range={range}
        today={now.slice(0, 10)}
        isReconnecting={link === 'reconnecting'}
        hasTray={hasTray}
        onTray={() => setTray(!hasTray)}
        onGo={go}
      >
        <Suspense fallback={<FilterButton filter={filter} onClick={toggleFilter} />}>
          <FilterPopover
            filter={filter}
            opened={isFilterOpen}
            onToggle={toggleFilter}
            onFilter={address.setFilter}
          />
        </Suspense>
      </CalendarHead>
      {calendar.status !== 'success' && <NotRead query={calendar} />}
      {calendar.status === 'success' && (
        <>
          <Notes
            isEmpty={entries.length === 0}
            view={range.view}
            shown={calendar.data.more ? calendar.data.posts.length : null}
            slots={calendar.data.more_slots ? calendar.data.slots.length : null}
          />
          <Beside
            hasTray={hasTray}
            onPlan={(movable) => setAsked({ what: 'move', movable, local: firstFree(board) })}
            onClose={() => setTray(false)}
          >
            <Grid board={board} moves={moves} onLeave={onLeave} clock={clock} />
          </Beside>
        </>
      )}
      <VisuallyHidden component="output" aria-label="Moves">
        {moves.said}
      </VisuallyHidden>
      <MoveUndo last={moves.last} onUndo={moves.undo} onDismiss={moves.dismiss} />
      <Suspense>
        <DroppedVideos zone={zone} propose={propose} />
      </Suspense>
      <Suspense>
        {asked !== null && (
          <Dialogs
            asked={asked}
            board={board}
            onAsk={setAsked}
            onMove={moves.move}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
    </>
  )
}

type BoardParts = Pick<Board, 'range' | 'zone' | 'now' | 'brandOf' | 'onOpen' | 'onOpenDay'> &
  ReturnType<typeof useEntries> & { moves: Moves }

/** Memoised, so that the grids render again only when something in it changes. */
function useBoard({ range, entries, slots, zone, now, brandOf, moves, onOpen, onOpenDay }: BoardParts) {
  const { held, move } = moves
  return useMemo<Board>(() => {
    const days = listDays(range)
    return {
      range,
      days,
      entries: byDay(days, entries),
      slots: byDay(days, slots),
      zone,
      now,
      brandOf,
      held: held && { key: held.entry.key, from: held.entry.local },
      onOpen,
      onOpenDay,
      onDrop: dropIn(zone, move),
    }
  }, [range, entries, slots, zone, now, brandOf, held, move, onOpen, onOpenDay])
}

type BesideProps = ComponentProps<typeof Tray> & { hasTray: boolean; children: ReactNode }

const Beside = ({ hasTray, children, ...tray }: BesideProps) => (
  <div className={hasTray ? classes.withTray : undefined}>
    <Suspense>{hasTray && <Tray {...tray} />}</Suspense>
    {children}
  </div>
)

/** The time proposed for a post without one: the first free slot shown, else tomorrow evening. */
const firstFree = ({ slots, now }: Board): string =>
  [...slots.values()].flat()[0]?.local ?? `${addDays(now.slice(0, 10), 1)}T18:00`

const NotRead = ({ query }: { query: UseQueryResult<Calendar> }) =>
  query.isError ? (
    <QueryError query={query}>{messageOf(query.error, TEXTS.unknownError)}</QueryError>
  ) : (
    <CalendarSkeleton />
  )

const dropIn =
  (zone: string, move: Moves['move']): Board['onDrop'] =>
  (movable, to) => {
    if (typeof to !== 'string') return move(movable, Date.parse(to.of.at), to.of.schedule_id)
    const at = instantOf(to, zone)
    if (at !== null) move(movable, at)
  }

/** How an entry's brand is shown: the only brand needs no name. */
function useShownBrands(brands: readonly Brand[] | undefined): Board['brandOf'] {
  const byId = useMemo(() => new Map(brands?.map((brand) => [brand.brand_id, brand])), [brands])
  return useCallback(
    ({ of }) => {
      const brand = of.brand_id === null ? undefined : byId.get(of.brand_id)
      const isMixed = of.brand_id === null && 'marks' in of && of.marks.length > 0
      return {
        brandTitle: byId.size < 2 ? '' : (brand?.title ?? (isMixed ? 'Several brands' : '')),
        color: brandColor(of.brand_id, brand?.color),
        logo: brand?.logo_url ?? null,
      }
    },
    [byId],
  )
}

/** The calendar as read, with the moves that are not stored yet. */
function useEntries(data: Calendar | undefined, clock: Clock, { held, moved }: Moves) {
  const entries = useMemo(
    () => (data ? withHeld(entriesOf(data, clock, moved), held, clock) : []),
    [data, clock, moved, held],
  )
  const slots = useMemo(() => (data ? slotsOf(data, clock) : []), [data, clock])
  return { entries, slots }
}

type NotesProps = { isEmpty: boolean; view: View; shown: number | null; slots: number | null }

/** `shown` and `slots`: how many of more posts and free slots are shown; null: all. */
const Notes = ({ isEmpty, view, shown, slots }: NotesProps) => (
  <>
    {isEmpty && <Note>{NOTHING[view]}</Note>}
    {shown !== null && <Note>Only the first {shown} posts are shown.</Note>}
    {slots !== null && <Note>Only the first {slots} free slots are shown.</Note>}
  </>
)

const NOTHING = {
  month: 'Nothing planned this month.',
  week: 'Nothing planned this week.',
  list: 'Nothing planned in these four weeks.',
} as const

type GridProps = {
  board: Board
  moves: Moves
  clock: Clock
  /** Called when a move leads to a day that is not shown. */
  onLeave: (day: string) => void
}

/** Memoised: opening one of thousands of posts renders none of them again. */
const Grid = memo(function Grid({ board, moves, clock, onLeave }: GridProps) {
  const keys = useGridKeys()
  const { view } = board.range
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { id } = event.target as HTMLElement // keys are pressed on elements
    const entry = [...board.entries.values()].flat().find(({ key }) => key === id)
    const shift = event.altKey ? shiftForKey(event.key, view) : null
    if (entry && shift) {
      event.preventDefault()
      const at = moves.shift(entry, shift)
      const day = at === null ? null : clock(at).slice(0, 10)
      if (day !== null && !board.days.includes(day)) onLeave(day)
    } else if (moves.held !== null && (event.key === 'Enter' || event.key === 'Escape')) {
      event.preventDefault()
      if (event.key === 'Enter') moves.keep()
      else moves.revert()
    } else keys.onKeyDown(event)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- for the keys of the chips inside
    <div {...keys} onKeyDown={onKeyDown}>
      {view === 'month' && <MonthGrid board={board} />}
      {view === 'week' && <WeekGrid board={board} />}
      {view === 'list' && <ListView board={board} />}
    </div>
  )
})

/** The entry that the keys are moving is where they have brought it, also among days that do not have it. */
function withHeld(entries: Entry[], held: Held | null, clock: Clock): Entry[] {
  if (held === null) return entries
  const shown = { ...held.entry, ...clocksOf(held.entry.of, held.at, clock) }
  return [...entries.filter(({ key }) => key !== shown.key), shown].toSorted((a, b) => a.at - b.at)
}

const CalendarSkeleton = () => (
  <Delayed>
    <VisuallyHidden component="output">Loading</VisuallyHidden>
    <div aria-hidden="true">
      <Skeleton height={600} radius="md" />
    </div>
  </Delayed>
)

type MoveUndoProps = {
  /** The last move; `key`: the id of what was moved. */
  last: { readonly text: string; readonly key: string | null } | null
  onUndo: () => void
  onDismiss: () => void
}

function MoveUndo({ last, onUndo, onDismiss }: MoveUndoProps) {
  const shown = useRef(last)
  useLayoutEffect(() => {
    // The focus that goes with the bar is then on what was moved, or where the keys reach the days.
    if (shown.current !== null && last === null && document.activeElement === document.body) {
      const chip = document.getElementById(shown.current.key ?? '')
      const stop = chip ?? document.querySelector<HTMLElement>('[data-stop][tabindex="0"]')
      stop?.focus({ preventScroll: true })
    }
    shown.current = last
  }, [last])
  return last && <UndoBar text={last.text} shortcut="Control+Z" onUndo={onUndo} onDismiss={onDismiss} />
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text c="dimmed" mb="sm" ml="0.125rem">
    {children}
  </Text>
)

const calendarQuery = ({ from, days }: Range, timezone: string, filter: CalendarFilter) =>
  queryOptions({
    // The key begins like that of posts, so that a change of any post refreshes the calendar.
    queryKey: ['posts', 'calendar', { from, days, timezone, ...filter }],
    queryFn: ({ signal }) => call('getCalendar', { query: { from, days, timezone, ...filter }, signal }),
    placeholderData: keepPreviousData,
  })
