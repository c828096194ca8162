import { TextInput } from '@mantine/core'
import { useId } from 'react'
import { dayOf } from '#web/lib/format/moments.ts'
import { momentOf, shortTime, type ChosenTime, type When } from './when.ts'
import classes from './when.module.css'

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
  const moment = momentOf(time)
  // Where clocks are set forward, the time that was typed does not exist.
  const moved = moment !== null && !shortTime(moment, zone, now).endsWith(clock)
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
        {problem ??
          `${zone.replaceAll('_', ' ')} time.${moved ? ` Clocks change then: it goes out at ${shortTime(moment, zone, now)}.` : ''}`}
      </p>
    </div>
  )
}
