import { useLayoutEffect, useRef, type FocusEvent, type KeyboardEvent } from 'react'

const STOP = '[data-stop]'
const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * One tab stop for all of a grid, at first a post, between whose chips the arrows move. The stop is an attribute of the elements and no state: a
 * key renders nothing, however many posts there are.
 */
export function useGridKeys() {
  const grid = useRef<HTMLDivElement>(null)
  const last = useRef<string | null>(null)
  useLayoutEffect(() => {
    const stops = stopsOf(grid.current)
    // Whether one is shown costs layout: it is asked of as few as possible.
    const chosen =
      stops.find(({ id }) => id === last.current) ??
      stops.find((stop) => stop instanceof HTMLButtonElement && isShown(stop)) ??
      stops.find(isShown)
    for (const stop of stops) setTabIndex(stop, stop === chosen ? 0 : -1)
    // A moved chip is a new element: it keeps the focus.
    if (last.current !== null && document.activeElement === document.body)
      document.getElementById(last.current)?.focus({ preventScroll: true })
  })
  return {
    ref: grid,
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      if (!target.matches(STOP)) return
      for (const stop of stopsOf(grid.current)) setTabIndex(stop, stop === target ? 0 : -1)
      last.current = target.id
    },
    // Still in the document: the focus went elsewhere.
    onBlur: ({ target }: FocusEvent<HTMLElement>) => void (target.isConnected && (last.current = null)),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const direction = DIRECTIONS[event.key]
      if (!direction || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (!(event.target instanceof HTMLElement) || !event.target.matches(STOP)) return
      event.preventDefault()
      nextStop(event.target, stopsOf(grid.current).filter(isShown), direction)?.focus()
    },
  }
}

const stopsOf = (grid: HTMLElement | null): HTMLElement[] => [
  ...(grid?.querySelectorAll<HTMLElement>(STOP) ?? []),
]
const isShown = (stop: HTMLElement): boolean => stop.getClientRects().length > 0

function setTabIndex(stop: HTMLElement, tabIndex: 0 | -1): void {
  if (stop.tabIndex !== tabIndex) stop.tabIndex = tabIndex
}

/** Sideways the nearest day that has something, there what is nearest in height; up and down within the day. */
function nextStop(
  from: HTMLElement,
  stops: readonly HTMLElement[],
  [x, y]: readonly [number, number],
): HTMLElement | null {
  const start = from.getBoundingClientRect()
  let best: { readonly stop: HTMLElement; readonly cost: number } | null = null
  for (const stop of stops) {
    const box = stop.getBoundingClientRect()
    const across = (middle(box.left, box.right) - middle(start.left, start.right)) * (x === 0 ? 1 : x)
    const along = (middle(box.top, box.bottom) - middle(start.top, start.bottom)) * (y === 0 ? 1 : y)
    const isThere = x === 0 ? along > 1 && Math.abs(across) < start.width : across > start.width / 2
    if (stop === from || !isThere) continue
    const cost = x === 0 ? along : across * SIDEWAYS_COST + Math.abs(along)
    if (best === null || cost < best.cost) best = { stop, cost }
  }
  return best?.stop ?? null
}

/** A day further away counts for more than any height. */
const SIDEWAYS_COST = 20
const middle = (from: number, to: number): number => (from + to) / 2
