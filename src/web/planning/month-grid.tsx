import { Group } from '@mantine/core'
import { useRef, useState } from 'react'
import { chooseShown, minuteOf, proposedTime, timeOfEntry, type Entry } from './calendar-entries.ts'
import { dateText, isInMonth } from './range.ts'
import { useDropTarget } from './use-drag.ts'
import { dayOfMonth } from '#web/lib/moments.ts'
import { type Board, todayOf } from './board.ts'
import { Chip } from './chip.tsx'
import { lookOf } from './entry-look.ts'
import classes from './grid.module.css'
import { EmptyTime, SlotLink } from './slot-link.tsx'

/** A day shows this many lines; the rest is behind "+4 more". */
const LINES = 3

export function MonthGrid({ board }: { board: Board }) {
  return (
    <div className={`${classes.frame} ${classes.month}`}>
      {board.days.slice(0, 7).map((day) => (
        <span key={day} className={classes.monthHead} aria-hidden="true">
          {dateText(day, { weekday: 'short' })}
        </span>
      ))}
      {board.days.map((day, nth) => (
        <Day key={day} day={day} isFirst={nth === 0} board={board} />
      ))}
    </div>
  )
}

function Day({ day, isFirst, board }: { day: string; isFirst: boolean; board: Board }) {
  const entries = board.entries.get(day) ?? []
  const slots = board.slots.get(day) ?? []
  const isToday = day === todayOf(board)
  const proposed = proposedTime(day, board.now)
  const rest = entries.length - LINES
  const shown = chooseShown(entries, LINES, board.held?.key)
  const free = slots.slice(0, Math.max(0, LINES - entries.length))
  const cell = useRef<HTMLElement>(null)
  const [isOver, setOver] = useState(false)
  useDropTarget(cell, {
    onOver: () => setOver(true),
    onLeave: () => setOver(false),
    onDrop: (movable) =>
      board.onDrop(
        movable,
        movable.kind === 'entry' ? `${day}T${timeOfEntry(movable.entry)}` : (proposed ?? `${day}T18:00`),
      ),
  })
  const name = dateText(day, { weekday: 'long', day: 'numeric', month: 'long' })
  const count = entries.length === 1 ? '1 post' : `${entries.length} posts`
  return (
    <section
      ref={cell}
      className={classes.monthDay}
      data-day={day}
      data-over={isOver ? (day < todayOf(board) ? 'past' : 'open') : undefined}
      data-today={isToday || undefined}
      data-outside={!isInMonth(day, board.range) || undefined}
      aria-label={`${name}, ${count}`}
    >
      <p className={classes.date}>
        <span className={classes.number} aria-current={isToday ? 'date' : undefined}>
          {isFirst || dayOfMonth(day) === 1
            ? dateText(day, { day: 'numeric', month: 'short' })
            : dayOfMonth(day)}
        </span>
        {proposed !== null && (
          <EmptyTime local={proposed} zone={board.zone}>
            +
          </EmptyTime>
        )}
      </p>
      <div className={classes.lines}>
        {[...shown, ...free]
          .toSorted((a, b) => minuteOf(a) - minuteOf(b))
          .map((one) =>
            'kind' in one ? (
              <Chip
                key={one.key}
                entry={one}
                {...board.brandOf(one)}
                onOpen={board.onOpen}
                size="line"
                isHeld={one.key === board.held?.key}
              />
            ) : (
              <SlotLink key={one.key} slot={one} board={board} size="line" />
            ),
          )}
        {rest > 0 && (
          <button
            type="button"
            id={`more-${day}`}
            data-stop
            tabIndex={-1}
            className={classes.more}
            aria-label={`${rest} more on ${name}`}
            onClick={({ currentTarget }) => board.onOpenDay(day, currentTarget.id)}
          >
            +{rest} more
          </button>
        )}
      </div>
      {entries.length > 0 && (
        <button
          type="button"
          id={`day-${day}`}
          className={classes.whole}
          aria-label={`${name}, ${count}`}
          onClick={({ currentTarget }) => board.onOpenDay(day, currentTarget.id)}
        >
          <Dots of={entries} />
        </button>
      )}
    </section>
  )
}

/** On a phone: a dot for each status of the day, and the number. */
const Dots = ({ of: entries }: { of: readonly Entry[] }) => (
  <>
    <Group component="span" align="stretch" wrap="nowrap" gap="0.1875rem">
      {[...new Set(entries.map((entry) => lookOf(entry).tone))].slice(0, 4).map((tone) => (
        <span key={tone} className={classes.dot} style={{ background: `var(--r-${tone})` }} />
      ))}
    </Group>
    {entries.length}
  </>
)
