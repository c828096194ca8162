import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { ICON } from '#web/ui/icons.tsx'
import { platformsWord, WEEKDAYS, withoutSlot, withSlots, type Slot } from './slots.ts'
import classes from './planning.module.css'

type Props = {
  slots: readonly Slot[]
  onSlots: (slots: Slot[]) => void
  /** Null: nothing is wrong. */
  error: string | null
}

/** The slots of a week by day, and the row that adds more. */
export function SlotsField({ slots, onSlots, error }: Props) {
  const id = useId()
  return (
    <fieldset className={classes.slots} aria-describedby={error === null ? undefined : id}>
      <legend className={classes.label}>Weekly slots</legend>
      <ul className={classes.week}>
        {WEEKDAYS.map(({ weekday, short, name }) => {
          const own = slots.filter((slot) => slot.weekday === weekday)
          return (
            <li key={weekday} className={classes.day} aria-label={name}>
              <span className={classes.dayName} aria-hidden="true">
                {short}
              </span>
              {own.length === 0 && <span className={classes.none}>–</span>}
              {own.map((slot) => (
                <SlotChip
                  key={slot.time}
                  slot={slot}
                  day={name}
                  onRemove={() => onSlots(withoutSlot(slots, slot))}
                />
              ))}
            </li>
          )
        })}
      </ul>
      <AddSlots onAdd={(added) => onSlots(withSlots(slots, added))} />
      {error !== null && (
        <p id={id} role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

function SlotChip({ slot, day, onRemove }: { slot: Slot; day: string; onRemove: () => void }) {
  const word = platformsWord(slot.platforms)
  return (
    <span className={classes.slot}>
      {slot.time}
      {word !== null && <span className={classes.only}> {word}</span>}
      <ActionIcon size="sm" aria-label={`Remove ${day} ${slot.time}`} onClick={onRemove}>
        <IconX {...ICON} size={14} />
      </ActionIcon>
    </span>
  )
}

const ANY = 'any'

function AddSlots({ onAdd }: { onAdd: (added: Parameters<typeof withSlots>[1]) => void }) {
  const [time, setTime] = useState('18:00')
  const [weekdays, setWeekdays] = useState<readonly number[]>([])
  const [platform, setPlatform] = useState(ANY)
  const toggle = (weekday: number) =>
    setWeekdays(
      weekdays.includes(weekday) ? weekdays.filter((one) => one !== weekday) : [...weekdays, weekday],
    )
  return (
    <Group gap="xs">
      <fieldset className={classes.days} aria-label="Days of new slots">
        {WEEKDAYS.map(({ weekday, short, name }) => (
          <button
            key={weekday}
            type="button"
            className={classes.dayButton}
            aria-pressed={weekdays.includes(weekday)}
            aria-label={name}
            onClick={() => toggle(weekday)}
          >
            {short}
          </button>
        ))}
      </fieldset>
      <TextInput
        type="time"
        aria-label="Time of new slots"
        value={time}
        onChange={(event) => setTime(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="Platforms of new slots"
        data={[
          { value: ANY, label: 'Any platform' },
          ...PLATFORM_IDS.map((value) => ({ value, label: `Only ${PLATFORM_NAMES[value]}` })),
        ]}
        value={platform}
        onChange={(event) => setPlatform(event.currentTarget.value)}
      />
      <Button
        variant="default"
        leftSection={<IconPlus {...ICON} size={16} />}
        disabled={weekdays.length === 0 || time === ''}
        onClick={() => {
          onAdd({
            weekdays,
            time,
            platforms: PLATFORM_IDS.find((one) => one === platform)
              ? PLATFORM_IDS.filter((one) => one === platform)
              : null,
          })
          setWeekdays([])
        }}
      >
        Add
      </Button>
    </Group>
  )
}
