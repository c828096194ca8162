import { useRef, useState, type ReactNode } from 'react'
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
  const brandTitle = board.brandTitle(slot)
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
      {size === 'chip' && <span>{brandTitle}</span>}
    </Link>
  )
}
