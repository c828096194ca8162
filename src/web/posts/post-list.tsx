import { Button, VisuallyHidden } from '@mantine/core'
import { type Range, defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { PostId } from '#contract/ids.ts'
import { dayName, dayOf } from '#web/lib/moments.ts'
import { type IsExplained, useExplainedByBlockers } from './blockers.tsx'
import { hasProblem } from './delivery-problem.tsx'
import classes from './posts.module.css'
import {
  type OpenedRows,
  PostRow,
  type RowPosition,
  type Selecting,
  focusPost,
  rowId,
  showPost,
} from './post-row.tsx'
import type { Clock } from './post.ts'
import { type Entry, type Section, listEntries } from './queue-entries.ts'

type Props = Clock & {
  sections: readonly Section[]
  rows: OpenedRows
  selecting: Selecting
  /** The post that another screen has just made: it is shown once it is in the list. */
  wanted: PostId | null
}

/** Any number of posts in sections and days, of which only those in view are rendered. */
export function PostList({ sections, zone, now, rows: opened, selecting, wanted }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const isExplained = useExplainedByBlockers()
  const entries = useMemo(() => listEntries(sections, zone), [sections, zone])
  const [focused, focus] = useFocusedRow()
  const indexOf = (id: string | null) =>
    id === null ? -1 : entries.findIndex((entry) => entry.kind === 'post' && rowId(entry.post.post_id) === id)
  const { rows, top } = useWindow({ list, entries, focused: indexOf(focused) })
  useMoreAtTheEnd(entries, rows.range?.endIndex ?? 0)
  const wantedIndex = wanted === null ? -1 : indexOf(rowId(wanted))
  useWanted(wanted, entries[wantedIndex]?.section.id ?? null, () =>
    rows.scrollToIndex(wantedIndex, { align: 'center' }),
  )
  const items = rows.getVirtualItems().flatMap((item) => {
    const entry = entries[item.index]
    const position = { index: item.index, startPx: item.start - top, measure: rows.measureElement }
    return entry ? [{ entry, position }] : []
  })
  return (
    <div
      ref={list}
      className={classes.list}
      data-selecting={selecting.selected.size > 0 || undefined}
      style={{ height: rows.getTotalSize() }}
      {...focus}
    >
      {[...Map.groupBy(items, ({ entry }) => entry.section.id)].map(([id, own]) => {
        const { section } = own[0]?.entry ?? {}
        return (
          section && (
            <QueueSection
              key={id}
              section={section}
              items={own}
              zone={zone}
              now={now}
              rows={opened}
              isExplained={isExplained}
              selecting={selecting}
            />
          )
        )
      })}
    </div>
  )
}

/** So many entries before the end the next page is asked for, so that scrolling seldom waits. */
const MORE_BEFORE = 15
/** The first page ends with a button, so that one can see the end of a list. */
const FIRST_PAGES = 2

function useMoreAtTheEnd(entries: readonly Entry[], seenLast: number): void {
  const last = entries.at(-1)
  const query = last?.kind === 'more' ? last.section.query : null
  const posts = last?.section.posts.length ?? 0
  const isNear = seenLast + MORE_BEFORE >= entries.length && posts > FIRST_PAGES * 30
  useEffect(() => {
    if (isNear && query?.hasNextPage && !query.isFetchingNextPage && !query.isError)
      void query.fetchNextPage()
  }, [isNear, query])
}

/** Gives the focus back to a row that remounted in another section. */
function useFocusedRow() {
  const [focused, setFocused] = useState<string | null>(null)
  useLayoutEffect(() => {
    if (document.activeElement === document.body && focused !== null)
      document.getElementById(focused)?.focus({ preventScroll: true })
  })
  const handlers = {
    onFocus: ({ target }: FocusEvent) => setFocused(target.closest('li[id^="post-"]')?.id ?? null),
    // Still in the document: the user moved the focus away.
    onBlur: ({ target }: FocusEvent) => {
      if (target.isConnected) setFocused(null)
    },
  }
  return [focused, handlers] as const
}

const HAND_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Shows the wanted post, and again where it moves to another section, as it does once it is published: until the user does something. A
 * row that is out of view is scrolled to first, which renders it. @param section null: it is in none
 */
function useWanted(wanted: PostId | null, section: string | null, scrollThere: () => void): void {
  const shownIn = useRef<string | null>(null)
  const isLeft = useRef(false)
  useEffect(() => {
    const leave = () => {
      isLeft.current = shownIn.current !== null
    }
    for (const event of HAND_EVENTS) window.addEventListener(event, leave, { passive: true })
    return () => {
      for (const event of HAND_EVENTS) window.removeEventListener(event, leave)
    }
  }, [])
  useEffect(() => {
    if (wanted === null || section === null || isLeft.current || shownIn.current === section) return
    if (document.getElementById(rowId(wanted)) === null) return scrollThere()
    shownIn.current = section
    showPost(wanted)
  })
}

type RenderedEntry = { readonly entry: Entry; readonly position: RowPosition }
type SectionProps = Clock & {
  section: Section
  items: readonly RenderedEntry[]
  rows: OpenedRows
  isExplained: IsExplained
  selecting: Selecting
}

/** The visible entries of one section: its heading, days with posts, and a button for more. */
function QueueSection({ section, items, zone, now, rows, isExplained, selecting }: SectionProps) {
  const positionOfKind = (kind: Entry['kind']) => items.find(({ entry }) => entry.kind === kind)?.position
  const [heading, more] = [positionOfKind('heading'), positionOfKind('more')]
  const days = Map.groupBy(
    items.filter(({ entry }) => entry.kind === 'day' || entry.kind === 'post'),
    ({ entry }) => entry.day,
  )
  const today = dayOf(new Date(now).toISOString(), zone)
  const title = <h2>{section.title}</h2>
  return (
    <section aria-label={section.title}>
      {heading && (
        <PlacedEntry {...heading} className={classes.heading}>
          {section.isAlone ? <VisuallyHidden>{title}</VisuallyHidden> : title}
        </PlacedEntry>
      )}
      {[...days].map(([day, own]) => (
        <Day
          key={day}
          title={section.title}
          name={day === null ? null : dayName(day, today)}
          heading={own.find(({ entry }) => entry.kind === 'day')?.position}
        >
          {own.map(
            ({ entry, position }) =>
              entry.kind === 'post' && (
                <PostRow
                  key={entry.key}
                  post={entry.post}
                  zone={zone}
                  now={now}
                  isDated={day === null}
                  isFirst={entry.isFirst}
                  isLast={entry.isLast}
                  rows={rows}
                  isExplained={isExplained}
                  isSelected={selecting.selected.has(entry.post.post_id)}
                  onSelect={selecting.onSelect}
                  {...position}
                />
              ),
          )}
        </Day>
      ))}
      {more && (
        <PlacedEntry {...more} className={classes.more}>
          <ShowMore section={section} />
        </PlacedEntry>
      )}
    </section>
  )
}

type DayProps = {
  title: string
  /** null: the section has no days. */
  name: string | null
  /** The position of its heading, while that is in view. */
  heading: RowPosition | undefined
  children: ReactNode
}

function Day({ title, name, heading, children }: DayProps) {
  const posts = <ul>{children}</ul>
  if (name === null) return posts
  return (
    <section aria-label={`${title} ${name}`}>
      {heading && (
        <PlacedEntry {...heading} className={classes.day}>
          <h3>{name}</h3>
        </PlacedEntry>
      )}
      {posts}
    </section>
  )
}

function ShowMore({ section: { title, query } }: { section: Section }) {
  /** The button may disappear, so the focus moves to the first new post. */
  const showMore = async () => {
    const { data } = await query.fetchNextPage()
    const first = data?.pages.at(-1)?.items[0]
    if (first) requestAnimationFrame(() => focusPost(first.post_id))
  }
  return (
    <Button
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void showMore()}
      aria-label={`Show more: ${title}`}
    >
      Show more
    </Button>
  )
}

const PlacedEntry = ({
  index,
  startPx,
  measure,
  className,
  children,
}: RowPosition & { className: string | undefined; children: ReactNode }) => (
  <div
    ref={measure}
    data-index={index}
    data-first={index === 0 || undefined}
    className={`${classes.entry} ${className}`}
    style={{ transform: `translateY(${startPx}px)` }}
  >
    {children}
  </div>
)

/** Up to this many, all are rendered, so that the browser can search and print the list. */
const WHOLE_MAX = 80
/** Entries rendered above and below the visible ones, so that scrolling meets no gap. */
const OVERSCAN = 10
/** The height of the bars that float over the page. */
const PADDING_PX = 88

type WindowOptions = {
  list: RefObject<HTMLElement | null>
  entries: readonly Entry[]
  /** The entry with the focus stays rendered wherever the page is. -1: none has it. */
  focused: number
}

/** The entries that are rendered: those that are seen, some around them, and the one with the focus. */
function useWindow({ list, entries, focused }: WindowOptions) {
  const top = useTop(list)
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range)
      if (focused < 0 || seen.includes(focused)) return seen
      return focused < range.startIndex ? [focused, ...seen] : [...seen, focused]
    },
    [focused],
  )
  // The virtualizer measures all entries anew where this function changes.
  const getItemKey = useCallback((index: number) => entries[index]?.key ?? index, [entries])
  // oxlint-disable-next-line react/incompatible-library -- nothing is memoised by its rows: they are read in each render
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: (index) => estimateHeight(entries[index]),
    getItemKey,
    overscan: entries.length <= WHOLE_MAX ? entries.length : OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: PADDING_PX,
    scrollPaddingEnd: PADDING_PX,
    rangeExtractor,
  })
  return { rows, top }
}

/** In px, as the wide layout has it; each entry is measured once it is rendered. */
function estimateHeight(entry: Entry | undefined): number {
  if (entry === undefined) return 0
  switch (entry.kind) {
    case 'heading':
      return entry.section.isAlone ? 0 : 44
    case 'day':
      return 52
    case 'more':
      return 68
    case 'post':
      return 57 + 110 * Math.min(3, entry.post.deliveries.filter(hasProblem).length)
  }
}

/** How far down the page the list begins. */
function useTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    const read = () => setTop(Math.round(element.getBoundingClientRect().top + window.scrollY))
    read()
    // Elements that come and go above the list move it.
    const observer = new ResizeObserver(read)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [list])
  return top
}
