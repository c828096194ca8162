import type { ReactNode } from 'react'
import classes from './post-list.module.css'

/** An entry's place in the window. */
export type Placed = {
  readonly index: number
  readonly startPx: number
  readonly measure: (element: HTMLElement | null) => void
}

export const PlacedEntry = ({
  index,
  startPx,
  measure,
  className,
  children,
}: Placed & { className: string | undefined; children: ReactNode }) => (
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
