import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { dayOfEntry, timeOfEntry, type Slot } from '#web/screens/calendar/model/entries.ts'
import { dateText } from '#web/screens/calendar/model/range.ts'
import classes from './slot-link.module.css'

type Props = { slot: Slot; brandTitle: string | null; size: 'chip' | 'line' }

/** A free slot: the composer opens at its time. */
export function SlotLink({ slot, brandTitle, size }: Props): ReactNode {
  const { local, timezone, queue_id: queue } = slot.of
  const day = dateText(dayOfEntry(slot), { weekday: 'long', day: 'numeric', month: 'long' })
  const search = new URLSearchParams({ at: local, zone: timezone, queue: String(queue) })
  return (
    <Link
      id={slot.key}
      data-stop
      className={classes.slot}
      data-size={size}
      to={`${PATHS.compose}?${search}`}
      draggable={false}
      aria-label={[`+ ${timeOfEntry(slot)}`, brandTitle, `new post on ${day}`].filter(Boolean).join(', ')}
    >
      <span className={classes.time}>+ {timeOfEntry(slot)} </span>
      {size === 'chip' && <span className={classes.brand}>{brandTitle}</span>}
    </Link>
  )
}
