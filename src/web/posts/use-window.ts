import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useState, type RefObject } from 'react'
import type { Entry } from './queue-entries.ts'

/** Up to this many, all are rendered, so that the browser can search and print the list. */
const WHOLE_MAX = 80
/** Above and below what is seen, so that scrolling meets no gap. */
const OVERSCAN = 10
/** Of the bars that float over the page, in px. */
const PADDING_PX = 88

type Props = {
  list: RefObject<HTMLElement | null>
  entries: readonly Entry[]
  /** The entry with the focus stays rendered wherever the page is. -1: none has it. */
  focused: number
}

/** The entries that are rendered: those that are seen, some around them, and the one with the focus. */
export function useWindow({ list, entries, focused }: Props) {
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
    estimateSize: (index) => estimateOf(entries[index]),
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
function estimateOf(entry: Entry | undefined): number {
  if (entry === undefined) return 0
  switch (entry.kind) {
    case 'heading':
      return entry.section.isAlone ? 0 : 44
    case 'day':
      return 52
    case 'more':
      return 68
    case 'post':
      return Math.max(113, 28 + 26 * entry.post.deliveries.length)
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
    // What comes and goes above the list moves it.
    const observer = new ResizeObserver(read)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [list])
  return top
}
