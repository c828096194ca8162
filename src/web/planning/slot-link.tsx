import { useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { Link } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { dayOfEntry, timeOfEntry, type Slot } from './calendar-entries.ts'
import { dateText } from './range.ts'
import { useDropTarget } from './use-drag.ts'
import type { Board } from './board.ts'
import classes from './grid.module.css'

type Props = { slot: Slot; board: Board; size: 'chip' | 'line' }

/** A free slot: the composer opens at its time, and what is dropped on it takes it. */
export function SlotLink({ slot, board, size }: Props): ReactNode {
  const { brandTitle } = board.brandOf(slot)
  const link = useRef<HTMLAnchorElement>(null)
  const [isOver, setOver] = useState(false)
  useDropTarget(link, {
    onOver: () => setOver(true),
    onLeave: () => setOver(false),
    onDrop: (movable) => board.onDrop(movable, slot),
  })
  const { local, timezone, schedule_id: schedule } = slot.of
  const day = dateText(dayOfEntry(slot), { weekday: 'long', day: 'numeric', month: 'long' })
  const search = new URLSearchParams({ at: local, zone: timezone, schedule: String(schedule) })
  return (
    <Link
      ref={link}
      id={slot.key}
      data-stop
      data-over={isOver || undefined}
      className={classes.slot}
      data-size={size}
      to={`${PATHS.compose}?${search}`}
      draggable={false}
      aria-label={[`+ ${timeOfEntry(slot)}`, brandTitle, `new post on ${day}`].filter(Boolean).join(', ')}
    >
      <span>+ {timeOfEntry(slot)} </span>
      {size === 'chip' && <span dir="auto">{brandTitle}</span>}
    </Link>
  )
}

type EmptyTimeProps = Omit<ComponentProps<typeof Link>, 'to'> & { local: string; zone: string }

/** The empty part of a day, behind all that the day has: the composer opens at this time. */
export const EmptyTime = ({ local, zone, children, ...link }: EmptyTimeProps) => (
  <Link
    id={`new-${dayOfEntry({ local })}`}
    data-stop
    tabIndex={-1}
    className={classes.empty}
    to={composePath(local, zone)}
    draggable={false}
    aria-label={`New post on ${dateText(dayOfEntry({ local }), { weekday: 'long', day: 'numeric', month: 'long' })}, ${timeOfEntry({ local })}`}
    {...link}
  >
    <span>{children}</span>
  </Link>
)

export const composePath = (at: string, zone: string): string =>
  `${PATHS.compose}?${new URLSearchParams({ at, zone })}`
