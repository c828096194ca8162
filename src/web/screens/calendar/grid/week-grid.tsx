import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useState, type CSSProperties } from 'react'
import { ICON } from '#web/components/display/icons.tsx'
import { dayOfMonth, weekday } from '#web/lib/format/moments.ts'
import { type Entry, minuteOf } from '#web/screens/calendar/model/entries.ts'
import { dateText } from '#web/screens/calendar/model/range.ts'
import { type Board, todayOf } from './board.ts'
import { Chip } from './chip.tsx'
import { CHIP_PX, firstHour, HOUR_PX, layOut, topOf } from './week-layout.ts'
import classes from './week.module.css'

/** Seven days side by side, each entry at its time. */
export function WeekGrid({ board }: { board: Board }) {
  const [isOpen, setOpen] = useState(false)
  const all = board.days.flatMap((day) => board.entries.get(day) ?? [])
  const start = isOpen ? 0 : firstHour(all.map(minuteOf))
  const style = { '--hours': 24 - start, '--hour': `${HOUR_PX}px` } as CSSProperties // custom properties are not in its type
  return (
    <div className={classes.scroll}>
      <div className={classes.week} style={style}>
        <div className={classes.heads}>
          <span className={classes.zone}>{zoneWord(board)}</span>
          {board.days.map((day) => (
            <DayHead
              key={day}
              day={day}
              isToday={day === todayOf(board)}
              count={board.entries.get(day)?.length ?? 0}
            />
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
            {isOpen ? 'Hide the early hours' : `No posts before ${hourText(start)}`}
          </button>
        )}
        <div className={classes.body}>
          <Hours start={start} board={board} />
          {board.days.map((day) => (
            <DayColumn key={day} day={day} start={start} board={board} />
          ))}
        </div>
      </div>
    </div>
  )
}

function DayHead({ day, isToday, count }: { day: string; isToday: boolean; count: number }) {
  return (
    <div className={classes.head} data-today={isToday || undefined}>
      <span>{weekday(day)}</span>
      <span className={classes.number}>{dayOfMonth(day)}</span>
      {count > 0 && <span className={classes.count}>{count === 1 ? '1 post' : `${count} posts`}</span>}
    </div>
  )
}

/** The time of now covers the hours that are nearer than this. */
const NOW_MINUTES = 20

function Hours({ start, board }: { start: number; board: Board }) {
  const now = nowIn(board)
  const isClear = (hour: number) => now === null || Math.abs(hour * 60 - now) > NOW_MINUTES
  const hours = Array.from({ length: 24 - start - 1 }, (_, i) => start + 1 + i).filter(isClear)
  return (
    <div className={classes.hours} aria-hidden="true">
      {hours.map((hour) => (
        <span key={hour} className={classes.hour} style={{ top: topOf(hour * 60, start) }}>
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
  const items = entries.map((entry) => ({ entry, minute: minuteOf(entry), height: CHIP_PX }))
  const now = day === today ? nowIn(board) : null
  return (
    <section
      className={classes.day}
      data-day={day}
      data-today={day === today || undefined}
      data-past={day < today || undefined}
      aria-label={dayLabel(day, entries)}
    >
      {now !== null && now >= start * 60 && (
        <div className={classes.now} style={{ top: topOf(now, start) }} />
      )}
      {layOut(items, start).map(({ item, top, under }) => (
        <div key={item.entry.key} className={classes.place} style={{ top, height: item.height }}>
          <Chip
            entry={item.entry}
            brandTitle={board.brandTitle(item.entry)}
            onOpen={board.onOpen}
            size="chip"
          />
          {under.length > 0 && (
            <button
              type="button"
              id={`${item.entry.key}-more`}
              data-stop
              tabIndex={-1}
              className={classes.more}
              aria-label={`${under.length} more at about ${item.entry.local.slice(11)}`}
              onClick={() => board.onOpenDay(day)}
            >
              +{under.length}
            </button>
          )}
        </div>
      ))}
    </section>
  )
}

const dayLabel = (day: string, entries: readonly Entry[]): string => {
  const name = dateText(day, { weekday: 'long', day: 'numeric', month: 'long' })
  return `${name}, ${entries.length === 1 ? '1 post' : `${entries.length} posts`}`
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** The minute of today, where today is shown. */
const nowIn = ({ days, now }: Board): number | null =>
  days.includes(now.slice(0, 10)) ? minuteOf({ local: now }) : null

/** "WET": short enough for the gutter. */
const zoneWord = ({ zone, days }: Board): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(Date.parse(days[0] ?? ''))
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''
