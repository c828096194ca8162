import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useRef, useState, type CSSProperties, type RefObject } from 'react'
import { ICON } from '#web/ui/icons.tsx'
import { dayOfMonth, weekday } from '#web/lib/moments.ts'
import { type Entry, minuteOf, proposedTime, type Slot } from './calendar-entries.ts'
import { dateText } from './range.ts'
import { type Board, todayOf } from './board.ts'
import { useDropTarget } from './use-drag.ts'
import { Chip, Cover } from './chip.tsx'
import { EmptyTime, SlotLink } from './slot-link.tsx'
import { CHIP_PX, firstHour, HOUR_PX, hourAt, layOut, minuteAt, SLOT_PX, topOf } from './week-layout.ts'
import classes from './grid.module.css'

export function WeekGrid({ board }: { board: Board }) {
  const [isOpen, setOpen] = useState(false)
  const minutes = [board.entries, board.slots].flatMap((its) => [...its.values()].flat().map(minuteOf))
  const start = isOpen ? 0 : firstHour(minutes)
  const style = { '--hours': 24 - start, '--hour': `${HOUR_PX}px` } as CSSProperties // custom properties are not in its type
  return (
    <div className={`${classes.frame} ${classes.scroll}`}>
      <div className={classes.week} style={style}>
        <div className={classes.weekHeads}>
          <span className={classes.corner} />
          {board.days.map((day) => (
            <DayHead key={day} day={day} isToday={day === todayOf(board)} />
          ))}
        </div>
        {(start > 0 || isOpen) && (
          <button
            type="button"
            className={classes.fold}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <IconChevronUp {...ICON} size={15} /> : <IconChevronDown {...ICON} size={15} />}
            <span>{isOpen ? 'Hide the early hours' : `No posts before ${hourText(start)}`}</span>
          </button>
        )}
        <div key={board.range.from} ref={showFirst} className={classes.weekBody}>
          <Hours start={start} board={board} />
          {board.days.map((day) => (
            <DayColumn key={day} day={day} start={start} board={board} />
          ))}
        </div>
      </div>
    </div>
  )
}

/** Scrolls a week that opens sideways to the day of now, or else of its first post or slot: the title stays in the window. */
function showFirst(body: HTMLElement | null) {
  const items = [...(body?.querySelectorAll<HTMLElement>('[data-place]') ?? [])]
  const first = body?.querySelector('[data-now]') ?? items.toSorted((a, b) => a.offsetTop - b.offsetTop)[0]
  const { scrollX, scrollY } = window
  first?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  window.scrollTo(scrollX, scrollY)
}

const DayHead = ({ day, isToday }: { day: string; isToday: boolean }) => (
  <div className={classes.weekHead} data-today={isToday || undefined}>
    <span>{weekday(day)} </span>
    <span className={classes.number}>{dayOfMonth(day)}</span>
  </div>
)

/** The time of now covers the hours that are nearer than this. */
const NOW_MINUTES = 20

function Hours({ start, board }: { start: number; board: Board }) {
  const now = nowIn(board)
  const isClear = (hour: number) => now === null || Math.abs(hour * 60 - now) > NOW_MINUTES
  const hours = Array.from({ length: 24 - start - 1 }, (_, i) => start + 1 + i).filter(isClear)
  return (
    <div className={classes.hours} aria-hidden="true">
      {hours.map((hour) => (
        <span key={hour} style={{ top: topOf(hour * 60, start) }}>
          {hourText(hour)}
        </span>
      ))}
      {now !== null && now >= start * 60 && (
        <span className={classes.nowTime} style={{ top: topOf(now, start) }}>
          {board.now.slice(11)}
        </span>
      )}
    </div>
  )
}

function DayColumn({ day, start, board }: { day: string; start: number; board: Board }) {
  const entries = board.entries.get(day) ?? []
  const today = todayOf(board)
  const { held } = board
  const items = entries
    .filter(({ key }) => key !== held?.key)
    .map((of) => ({ of, minute: minuteOf(of), height: CHIP_PX, isSlot: false }))
  const slots = (board.slots.get(day) ?? []).map((of) => ({
    of,
    minute: minuteOf(of),
    height: SLOT_PX,
    isSlot: true,
  }))
  const moving = entries.find(({ key }) => key === held?.key)
  const column = useRef<HTMLElement>(null)
  const [over, setOver] = useState<string | null>(null)
  const clockAt = (px: number) => `${day}T${clockText(minuteAt(px, start))}`
  useDropTarget(column, {
    onOver: (_, px) => setOver(clockAt(px)),
    onLeave: () => setOver(null),
    onDrop: (movable, px) => board.onDrop(movable, clockAt(px)),
  })
  const now = day === today ? nowIn(board) : null
  return (
    <section
      ref={column}
      className={classes.weekDay}
      data-day={day}
      data-start={start}
      data-today={day === today || undefined}
      data-past={day < today || undefined}
      aria-label={dayLabel(day, entries)}
    >
      <EmptyHours day={day} start={start} board={board} column={column} />
      {now !== null && now >= start * 60 && (
        <div className={classes.now} data-now style={{ top: topOf(now, start) }} />
      )}
      {layOut(
        [...items, ...slots].toSorted((a, b) => a.minute - b.minute),
        start,
      ).map(({ item, top, under }) => (
        <div key={item.of.key} className={classes.place} data-place style={{ top, height: item.height }}>
          {'kind' in item.of ? (
            <Chip entry={item.of} {...board.brandOf(item.of)} onOpen={board.onOpen} size="chip" />
          ) : (
            <SlotLink slot={item.of} board={board} size="chip" />
          )}
          <More of={item.of} under={under.filter(({ of }) => 'kind' in of).length} board={board} />
        </div>
      ))}
      {held !== null && held.from.slice(0, 10) === day && (
        <Was from={held.from} start={start} src={all(board, held.key)?.of.poster_url ?? null} />
      )}
      {moving && (
        <div
          className={classes.place}
          data-held
          style={{ top: topOf(minuteOf(moving), start), height: CHIP_PX }}
        >
          <Chip entry={moving} {...board.brandOf(moving)} onOpen={board.onOpen} size="chip" isHeld />
        </div>
      )}
      {over !== null && <Landing at={over} isPast={over < board.now} start={start} />}
    </section>
  )
}

type EmptyHoursProps = { day: string; start: number; board: Board; column: RefObject<HTMLElement | null> }

/** The hours of a day that are to come. The hour is the one under the pointer, or is moved by Alt and the arrows. */
function EmptyHours({ day, start, board, column }: EmptyHoursProps) {
  const [hour, setHour] = useState<number | null>(null)
  const proposed = proposedTime(day, board.now)
  if (proposed === null) return null
  const first = day === todayOf(board) ? Number(board.now.slice(11, 13)) + 1 : 0
  const shown = Math.max(hour ?? Number(proposed.slice(11, 13)), first, start)
  const style = {
    '--top': `${Math.max(0, topOf(first * 60, start))}px`,
    marginTop: topOf(shown * 60, start),
  } as CSSProperties // custom properties are not in its type
  const point = ({ clientY }: { clientY: number }) =>
    setHour(hourAt(clientY - (column.current?.getBoundingClientRect().top ?? 0), start))
  return (
    <EmptyTime
      local={`${day}T${hourText(shown)}`}
      zone={board.zone}
      style={style}
      onPointerMove={point}
      onPointerDown={point}
      onKeyDown={(event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
        if (!event.altKey || by === undefined) return
        event.preventDefault()
        setHour(Math.min(23, shown + by))
      }}
    >
      + {hourText(shown)}
    </EmptyTime>
  )
}

/** "+1": the day is opened, where nothing lies on anything. */
function More({ of, under, board }: { of: Entry | Slot; under: number; board: Board }) {
  if (under === 0) return null
  return (
    <button
      type="button"
      id={`${of.key}-more`}
      data-stop
      tabIndex={-1}
      className={classes.more}
      aria-label={`${under} more at about ${of.local.slice(11)}`}
      onClick={({ currentTarget }) => board.onOpenDay(of.local.slice(0, 10), currentTarget.id)}
    >
      +{under}
    </button>
  )
}

const all = ({ entries }: Board, key: string): Entry | undefined =>
  [...entries.values()].flat().find((entry) => entry.key === key)

/** The former time of the entry that the keys are moving. */
const Was = ({ from, start, src }: { from: string; start: number; src: string | null }) => (
  <div
    className={classes.was}
    aria-hidden="true"
    style={{ top: topOf(minuteOf({ local: from }), start), height: CHIP_PX }}
  >
    <Cover src={src} />
    Was {dateText(from.slice(0, 10), { weekday: 'short' })} {from.slice(11)}
  </div>
)

const Landing = ({ at, isPast, start }: { at: string; isPast: boolean; start: number }) => (
  <div
    className={classes.landing}
    aria-hidden="true"
    data-past={isPast || undefined}
    style={{ top: topOf(minuteOf({ local: at }), start), height: CHIP_PX }}
  >
    {at.slice(11)}
    {isPast && ' has passed'}
  </div>
)

export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const dayLabel = (day: string, entries: readonly Entry[]): string => {
  const name = dateText(day, { weekday: 'long', day: 'numeric', month: 'long' })
  return `${name}, ${entries.length === 1 ? '1 post' : `${entries.length} posts`}`
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** The minute of today, where today is shown. */
const nowIn = ({ days, now }: Board): number | null =>
  days.includes(now.slice(0, 10)) ? minuteOf({ local: now }) : null
