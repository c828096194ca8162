import { Button, TextInput } from '@mantine/core'
import { lazy, Suspense, useId, useRef, useState } from 'react'
import { FieldsSkeleton } from '#web/components/feedback/skeletons.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { dayOf } from '#web/lib/format/moments.ts'
import { noteOf, type ChosenTime, type When } from './when.ts'
import classes from './when.module.css'

// Few posts need another zone than the user's.
const TimeZoneSelect = lazy(async () => ({
  default: (await import('#web/components/time/time-zone-select.tsx')).TimeZoneSelect,
}))

type Props = {
  when: When
  onWhen: (when: When) => void
  time: ChosenTime
  onTime: (time: ChosenTime) => void
  /** Shown at the fields; null: nothing is wrong, or nothing was asked yet. */
  problem: string | null
  disabled: boolean
  now: number
}

const CHOICES: readonly { when: When; label: string }[] = [
  { when: 'now', label: 'Now' },
  { when: 'time', label: 'Pick a time' },
  { when: 'draft', label: 'Save draft' },
]

/** When the post goes out. */
export function WhenControl({ when, onWhen, time, onTime, problem, disabled, now }: Props) {
  const id = useId()
  return (
    <fieldset className={classes.when} disabled={disabled}>
      <legend className={classes.legend}>When</legend>
      <div className={classes.choices}>
        {CHOICES.map((choice) => (
          <label key={choice.when} className={classes.choice}>
            <input
              type="radio"
              name={`${id}-when`}
              className={classes.radio}
              checked={when === choice.when}
              onChange={() => onWhen(choice.when)}
            />
            <span>{choice.label}</span>
          </label>
        ))}
      </div>
      {when === 'time' && (
        <TimeFields time={time} onTime={onTime} problem={problem} disabled={disabled} now={now} />
      )}
    </fieldset>
  )
}

type TimeProps = Pick<Props, 'time' | 'onTime' | 'problem' | 'disabled' | 'now'>

/** Date and time in a zone that is named. */
function TimeFields({ time, onTime, problem, disabled, now }: TimeProps) {
  const [date = '', clock = ''] = time.local.split('T')
  const zone = time.timezone
  const set = (next: { date?: string; clock?: string }) =>
    onTime({ local: `${next.date ?? date}T${next.clock ?? clock}`, timezone: zone })
  const below = useId()
  const own = useZone()
  const [isChoosing, setChoosing] = useState(false)
  const change = useRef<HTMLButtonElement>(null)
  const choose = (timezone: string) => {
    onTime({ local: time.local, timezone })
    setChoosing(false)
    requestAnimationFrame(() => change.current?.focus())
  }
  return (
    <div className={classes.time}>
      <div className={classes.fields}>
        <TextInput
          type="date"
          aria-label="Date"
          value={date}
          min={dayOf(new Date(now).toISOString(), zone)}
          onChange={(event) => set({ date: event.currentTarget.value })}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
        <TextInput
          type="time"
          aria-label="Time"
          value={clock}
          onChange={(event) => set({ clock: event.currentTarget.value })}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
      </div>
      <p id={below} className={classes.below} data-error={problem !== null || undefined}>
        {problem ?? noteOf(time, { zone: own, now })}
      </p>
      <Button
        ref={change}
        size="compact-xs"
        variant="subtle"
        className={classes.change ?? ''}
        disabled={disabled}
        aria-label={`${isChoosing ? 'Keep this time zone' : 'Change time zone'}: ${zone.replaceAll('_', ' ')}`}
        aria-expanded={isChoosing}
        onClick={() => setChoosing(!isChoosing)}
      >
        {isChoosing ? 'Keep this time zone' : 'Change time zone'}
      </Button>
      {isChoosing && (
        <Suspense fallback={<FieldsSkeleton heights={[60]} />}>
          <TimeZoneSelect value={zone} onChange={choose} />
        </Suspense>
      )}
    </div>
  )
}
