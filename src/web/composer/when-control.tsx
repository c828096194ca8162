import { Text } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import { ScheduleFields } from './schedule-fields.tsx'
import type { ScheduleChoice } from './use-schedule-choice.ts'
import type { useWhen } from './use-when.ts'
import { TimeFields } from './time-fields.tsx'
import { localDayAndTime } from '#web/lib/moments.ts'
import type { When } from './when.ts'
import { WHEN } from './place-of.ts'
import classes from './publish.module.css'

type Props = {
  chosen: ReturnType<typeof useWhen>
  /** By their ids. */
  brands: ReadonlyMap<number, string>
  /** Whether it can be saved as a draft: a post that is edited cannot. */
  isNew: boolean
  /** A further note about the time; empty: none. */
  note: string
  /** Shown at the fields; null: nothing is wrong, or nothing was asked yet. */
  problem: string | null
  /** How the accounts follow each other. */
  spread: ReactNode
  disabled: boolean
  now: number
}

type Choice = { readonly when: When; readonly label: string; readonly about?: string | null }

/** A slot of the calendar is named as such: it need not be the next one. */
const slotChoice = ({ place, next }: ScheduleChoice): Choice =>
  place.place === 'slot'
    ? { when: 'schedule', label: 'Free slot', about: localDayAndTime(place.slot.local) }
    : { when: 'schedule', label: 'Next free slot', about: next }

/** When the post goes out. */
export function WhenControl({ chosen, brands, isNew, note, problem, spread, disabled, now }: Props) {
  const id = useId()
  const { when, schedule } = chosen
  const choices: Choice[] = [
    { when: 'now', label: 'Now' },
    ...(schedule ? [slotChoice(schedule)] : []),
    { when: 'time', label: 'Pick a time' },
    ...(isNew ? [{ when: 'draft' as const, label: 'Save draft' }] : []),
  ]
  return (
    <fieldset id={WHEN} className={classes.when} aria-label="When" disabled={disabled}>
      <div className={classes.choices}>
        {choices.map((choice) => (
          <label key={choice.when} className={classes.choice}>
            <input
              type="radio"
              name={`${id}-when`}
              className={classes.radio}
              checked={when === choice.when}
              onChange={() => chosen.setWhen(choice.when)}
            />
            <span>
              {choice.label}{' '}
              {choice.about != null && (
                <Text span inherit fw={400} ml="0.125rem">
                  {choice.about}
                </Text>
              )}
            </span>
          </label>
        ))}
      </div>
      {when === 'time' && (
        <TimeFields
          time={chosen.time}
          onTime={chosen.setTime}
          problem={problem}
          note={note}
          otherZone={chosen.otherZone}
          disabled={disabled}
          now={now}
        />
      )}
      {when === 'schedule' && schedule && (
        <ScheduleFields choice={schedule} brands={brands} problem={problem} disabled={disabled} now={now} />
      )}
      {when !== 'draft' && spread}
    </fieldset>
  )
}
