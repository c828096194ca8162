import {
  useVirtualizer,
  useWindowVirtualizer,
  defaultRangeExtractor,
  type Range,
} from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useState, type RefObject } from 'react'
import { GAP_PX, layoutOf, type GridLayout } from './grid-layout.ts'

/** Above and below what is seen, so that scrolling meets no empty row. */
const OVERSCAN_ROWS = 2
/** Bars of this height float over the page. */
const PADDING_PX = 88

type Props = {
  grid: RefObject<HTMLElement | null>
  /** The element that scrolls; null: the window. */
  box: HTMLElement | null
  /** Rows for so many cards. */
  cards: number
  /** This card stays rendered wherever the page is, because it has the focus. */
  active: number
}

/** The rows of a grid that are rendered: those that are seen, some around them, and that of the active card. */
export function useRows({ grid, box, cards, active }: Props) {
  const { columns, rowPx, top } = usePlace(grid)
  const activeRow = Math.floor(active / columns)
  const count = Math.ceil(cards / columns)
  const rangeExtractor = useCallback(
    (range: Range) => {
      const rows = defaultRangeExtractor(range)
      if (rows.includes(activeRow) || activeRow >= range.count) return rows
      return activeRow < range.startIndex ? [activeRow, ...rows] : [...rows, activeRow]
    },
    [activeRow],
  )
  const shared = {
    count,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    gap: GAP_PX,
    rangeExtractor,
  }
  // oxlint-disable-next-line react/incompatible-library -- nothing is memoised by its rows: they are read in each render
  const inWindow = useWindowVirtualizer({
    ...shared,
    enabled: box === null,
    scrollMargin: top,
    scrollPaddingStart: PADDING_PX,
    scrollPaddingEnd: PADDING_PX,
  })
  // oxlint-disable-next-line react/incompatible-library -- as above
  const inBox = useVirtualizer({ ...shared, enabled: box !== null, getScrollElement: () => box })
  const rows = box === null ? inWindow : inBox
  // Sizes are computed, not measured: another layout makes all of them new.
  useLayoutEffect(() => rows.measure(), [rows, rowPx])
  return {
    columns,
    heightPx: rows.getTotalSize(),
    rows: rows
      .getVirtualItems()
      .map(({ index, start }) => ({ index, topPx: start - (box === null ? top : 0) })),
    /** The rows that are seen. */
    seen: rows.range,
    scrollTo: (index: number) => rows.scrollToIndex(Math.floor(index / columns)),
  }
}

/** The columns and the height of a row for the grid's width, and how far down the page it begins. */
function usePlace(grid: RefObject<HTMLElement | null>): GridLayout & { top: number } {
  const [place, setPlace] = useState({ width: 0, rem: 16, top: 0 })
  useLayoutEffect(() => {
    const element = grid.current
    if (element === null) return
    const read = () => {
      const { width, top } = element.getBoundingClientRect()
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
      const next = { width, rem, top: Math.round(top + window.scrollY) }
      setPlace((before) =>
        before.width === next.width && before.rem === next.rem && before.top === next.top ? before : next,
      )
    }
    read()
    // The body too: what comes and goes above the grid moves it.
    const observer = new ResizeObserver(read)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [grid])
  return { ...layoutOf(place.width, place.rem), top: place.top }
}
