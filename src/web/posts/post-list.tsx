import { useEffect, useLayoutEffect, useMemo, useRef, useState, type FocusEvent } from 'react'
import type { PostId } from '#contract/ids.ts'
import type { Clock } from './post.ts'
import { entriesOf, type Entry, type Section } from './queue-entries.ts'
import classes from './post-list.module.css'
import { type OpenedRows, placeOf, type Selecting, showPost } from './post-row.tsx'
import { SectionPart } from './section-part.tsx'
import { useWindow } from './use-window.ts'

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
  const entries = useMemo(() => entriesOf(sections, zone), [sections, zone])
  const [focused, focus] = useFocusedRow()
  const indexOf = (id: string | null) =>
    id === null
      ? -1
      : entries.findIndex((entry) => entry.kind === 'post' && placeOf(entry.post.post_id) === id)
  const { rows, top } = useWindow({ list, entries, focused: indexOf(focused) })
  useMoreAtTheEnd(entries, rows.range?.endIndex ?? 0)
  useWanted(wanted, wanted === null ? -1 : indexOf(placeOf(wanted)), (index) =>
    rows.scrollToIndex(index, { align: 'center' }),
  )
  const items = rows.getVirtualItems().flatMap((item) => {
    const entry = entries[item.index]
    const place = { index: item.index, startPx: item.start - top, measure: rows.measureElement }
    return entry ? [{ entry, place }] : []
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
            <SectionPart
              key={id}
              section={section}
              items={own}
              zone={zone}
              now={now}
              rows={opened}
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

/** Far away it is scrolled to first, and rendered then. */
function useWanted(wanted: PostId | null, index: number, scrollTo: (index: number) => void): void {
  const shown = useRef<PostId | null>(null)
  useEffect(() => {
    if (wanted === null || index < 0 || shown.current === wanted) return
    if (document.getElementById(placeOf(wanted)) === null) return scrollTo(index)
    shown.current = wanted
    showPost(wanted)
  })
}
