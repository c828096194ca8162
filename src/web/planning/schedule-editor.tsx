import { ActionIcon, Box, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import { SCHEDULE_JITTER_MAX_MINUTES, SCHEDULE_NAME_MAX_CHARS } from '#contract/limits.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_SCHEDULES } from '#web/api/planning.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { TimeField } from '#web/ui/day-and-time.tsx'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { type Move, Moves, MovesPosts, assertAgreed } from './moves.tsx'
import classes from './planning.module.css'
import { type Slot, WEEKDAYS, platformsWord, withSlots, withoutSlot } from './slots.ts'

type Props = {
  brand: Brand
  /** Null: a new one. */
  schedule: Schedule | null
  onEnd: () => void
}

/** Name, slots and offset of a posting schedule. What a change moves is shown before it is saved. */
export function ScheduleEditor({ brand, schedule, onEnd }: Props) {
  const [name, setName] = useState(schedule?.name ?? '')
  const [slots, setSlots] = useState<readonly Slot[]>(schedule?.slots ?? [])
  const [jitter, setJitter] = useState(schedule?.jitter_minutes ?? 0)
  const body = { name, slots: [...slots], jitter_minutes: jitter }
  const save = useMutation({
    mutationFn: (agreed: readonly Move[]) => saveSchedule(brand, schedule, body, agreed),
    onSuccess: () => {
      announce({ kind: 'done', message: `${name.trim()} is saved.` })
      void queryClient.invalidateQueries(ANY_POSTS)
      onEnd()
      return queryClient.invalidateQueries(ANY_SCHEDULES)
    },
    // Another tab has changed it, or other posts wait than the row says.
    onError: (error, agreed) =>
      (error instanceof ApiProblem && (error.code === 'conflict' || error.code === 'posts_move')) ||
      (error instanceof MovesPosts && agreed.length > 0)
        ? queryClient.invalidateQueries(ANY_SCHEDULES)
        : undefined,
  })
  const { error } = save
  const errors = error instanceof ApiProblem ? error.errors : {}
  const slotsError = Object.entries(errors).find(([field]) => field.startsWith('slots'))?.[1][0] ?? null
  const moves = error instanceof MovesPosts ? error.moves : null
  const change =
    <T,>(set: (next: T) => void) =>
    (next: T) => {
      set(next)
      save.reset()
    }
  return (
    <Box
      component="form"
      w="100%"
      noValidate
      aria-label={schedule ? `Edit ${schedule.name}` : 'New posting schedule'}
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate(moves ?? [])
      }}
    >
      <Stack py="0.25rem">
        <TextInput
          label="Name"
          maw="22rem"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form opens where its button was pressed
          autoFocus
          autoComplete="off"
          placeholder="Evenings"
          maxLength={SCHEDULE_NAME_MAX_CHARS}
          value={name}
          error={errors['name']?.[0]}
          onChange={(event) => change(setName)(event.currentTarget.value)}
        />
        <SlotsField slots={slots} onSlots={change(setSlots)} error={slotsError} />
        <NativeSelect
          label="Random offset"
          maw="22rem"
          description="So that posts don't go out on the dot every time."
          data={offsets(jitter).map((minutes) => ({ value: String(minutes), label: offsetText(minutes) }))}
          value={String(jitter)}
          onChange={(event) => change(setJitter)(Number(event.currentTarget.value))}
        />
        {moves && <Moves moves={moves} timezone={schedule?.timezone ?? null} />}
        {error && !moves && Object.keys(errors).length === 0 && (
          <InlineAlert>{messageOf(error, TEXTS.unknownError)}</InlineAlert>
        )}
        <Group align="stretch" gap="xs">
          <Button type="submit" loading={save.isPending}>
            {moves ? `Save and move ${counted(moves.length, 'post')}` : 'Save schedule'}
          </Button>
          <Button variant="default" onClick={onEnd} disabled={save.isPending}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Box>
  )
}

type Body = { name: string; slots: Slot[]; jitter_minutes: number }

/** @param agreed the moves that the user has agreed to */
async function saveSchedule(
  brand: Brand,
  schedule: Schedule | null,
  body: Body,
  agreed: readonly Move[],
): Promise<Schedule> {
  if (schedule === null) return call('createSchedule', { body: { ...body, brand_id: brand.brand_id } })
  const params = { scheduleId: schedule.schedule_id }
  const change = { ...body, version: schedule.version }
  const { moves } = await call('previewSchedule', { params, body: change })
  assertAgreed(moves, agreed)
  return call('changeSchedule', { params, body: { ...change, moves: moves.length } })
}

const OFFSETS = [0, 5, 10, 15, 30, SCHEDULE_JITTER_MAX_MINUTES]

const offsets = (own: number): readonly number[] =>
  [...new Set([...OFFSETS, own])].toSorted((one, other) => one - other)

const offsetText = (minutes: number): string =>
  minutes === 0 ? 'None: exactly at the slot' : `Up to ${minutes} minutes after the slot`

type SlotsFieldProps = {
  slots: readonly Slot[]
  onSlots: (slots: Slot[]) => void
  error: string | null
}

function SlotsField({ slots, onSlots, error }: SlotsFieldProps) {
  const id = useId()
  return (
    <fieldset aria-describedby={error === null ? undefined : id}>
      <Text component="legend" size="xs" fw={600}>
        Weekly slots
      </Text>
      <Stack gap="0.625rem" mt="0.375rem">
        <ul className={classes.week}>
          {WEEKDAYS.map(({ weekday, short, name }) => {
            const own = slots.filter((slot) => slot.weekday === weekday)
            return (
              <li key={weekday} aria-label={name}>
                <strong aria-hidden="true">{short}</strong>
                {own.length === 0 && <span>–</span>}
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
          <Text id={id} role="alert" size="xs" c="var(--r-failed)">
            {error}
          </Text>
        )}
      </Stack>
    </fieldset>
  )
}

function SlotChip({ slot, day, onRemove }: { slot: Slot; day: string; onRemove: () => void }) {
  const word = platformsWord(slot.platforms)
  return (
    <span className={classes.slot}>
      {slot.time}
      {word !== null && (
        <Text span c="dimmed" size="xs">
          {' '}
          {word}
        </Text>
      )}
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
      <Group component="fieldset" gap="0.25rem" aria-label="Days of new slots">
        {WEEKDAYS.map(({ weekday, short, name }) => (
          <FilterChip
            key={weekday}
            label={name}
            isChosen={weekdays.includes(weekday)}
            onChoose={() => toggle(weekday)}
          >
            {short}
          </FilterChip>
        ))}
      </Group>
      <TimeField
        hoursInputLabel="Hour of new slots"
        minutesInputLabel="Minute of new slots"
        value={time}
        onChange={setTime}
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
