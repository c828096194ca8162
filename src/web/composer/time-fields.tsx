import { Box, Button } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { DayField, TimeField } from '#web/ui/day-and-time.tsx'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { dateOf, dayOf, weekday, zoneName } from '#web/lib/moments.ts'
import type { PlanningZone } from './planning-zone.ts'
import { timeNote, placeOf, type ChosenTime } from './when.ts'
import classes from './publish.module.css'

type Props = {
  time: ChosenTime
  onTime: (time: ChosenTime) => void
  /** Shown at the fields; null: nothing is wrong, or nothing was asked yet. */
  problem: string | null
  /** A further note about the time; empty: none. */
  note: string
  /** A brand's zone to take instead; null: none. */
  otherZone: PlanningZone | null
  disabled: boolean
  now: number
}

/** Date and time in a zone that is named. */
export function TimeFields({ time, onTime, problem, note, otherZone, disabled, now }: Props) {
  const [date = '', clock = ''] = time.local.split('T')
  const zone = time.timezone
  const set = (next: { date?: string; clock?: string }) =>
    onTime({ local: `${next.date ?? date}T${next.clock ?? clock}`, timezone: zone })
  const below = useId()
  const own = useOwnZone()
  const [isChoosing, setChoosing] = useState(false)
  const change = useRef<HTMLButtonElement>(null)
  const choose = (timezone: string) => {
    onTime({ local: time.local, timezone })
    setChoosing(false)
    requestAnimationFrame(() => change.current?.focus())
  }
  return (
    <Box miw={0}>
      <div className={classes.fields}>
        <DayField
          data-autofocus={problem !== null || undefined}
          aria-label={`Date: ${weekday(date)} ${dateOf(date, 'UTC')}`}
          value={date}
          minDate={dayOf(new Date(now).toISOString(), zone)}
          onChange={(day) => day !== null && set({ date: day })}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
        <TimeField
          aria-label="Time"
          hoursInputLabel="Hours"
          minutesInputLabel="Minutes"
          value={clock}
          onChange={(at) => set({ clock: at })}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
      </div>
      <p className={classes.below} data-error={problem !== null || undefined}>
        <span id={below}>
          {problem ?? timeNote(time, { zone: own, now })} {note}
        </span>
        <Button
          ref={change}
          size="compact-xs"
          variant="subtle"
          color="accent"
          disabled={disabled}
          aria-label={`${isChoosing ? 'Close' : 'Change'} time zone: ${zoneName(zone)}`}
          aria-expanded={isChoosing}
          onClick={() => setChoosing(!isChoosing)}
        >
          {isChoosing ? 'Close' : 'Change'}
        </Button>
      </p>
      {otherZone !== null && !isChoosing && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="accent"
          ml="-0.4375rem"
          disabled={disabled}
          onClick={() => choose(otherZone.timezone)}
        >
          Use {placeOf(otherZone.timezone)} time, as {otherZone.brand}
        </Button>
      )}
      {isChoosing && <TimeZoneSelect value={zone} onChange={choose} />}
    </Box>
  )
}
