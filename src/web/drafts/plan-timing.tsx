import '@mantine/core/styles/NumberInput.css'
import { Group, NativeSelect, NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { Brand } from '#contract/brands.ts'
import { ScheduleId } from '#contract/ids.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { nextSlotsQuery, type PlacedAccount } from '#web/api/planning.ts'
import { planningZone } from '#web/composer/planning-zone.ts'
import { defaultTime, findTimeProblem, namedMoment, timeNote } from '#web/composer/when.ts'
import { dayOf } from '#web/lib/moments.ts'
import { DayField, TimeField } from '#web/ui/day-and-time.tsx'
import { DAYS_APART_MAX, type Timing } from './plan-state.ts'

type Props = {
  timing: Timing
  posts: number
  brands: readonly Brand[]
  schedules: readonly Schedule[]
  /** Those that any of the posts goes to. */
  accounts: readonly (PlacedAccount & { readonly brand_id: Brand['brand_id'] })[]
  zone: string
  now: number
  disabled: boolean
  onTiming: (timing: Timing) => void
}

/** When all posts go out: in free slots, every day, or each at a time of its own. */
export function PlanTiming(props: Props) {
  const { timing, brands, schedules, accounts, zone, now, disabled, onTiming } = props
  const name = useId()
  const brandIds = accounts.map(({ brand_id }) => brand_id)
  const offered = schedules.filter(({ brand_id }) => brandIds.length === 0 || brandIds.includes(brand_id))
  const [first] = offered
  const own = planningZone(brandIds, brands, zone).timezone
  return (
    <fieldset aria-label="When" disabled={disabled}>
      <Stack gap="0.5rem">
        <Group gap="0.375rem 1.25rem">
          {first !== undefined && (
            <Radio
              name={name}
              label="Next free slots"
              checked={timing.kind === 'slots'}
              onChange={() => onTiming({ kind: 'slots', scheduleId: first.schedule_id })}
            />
          )}
          <Radio
            name={name}
            label="Every day"
            checked={timing.kind === 'daily'}
            onChange={() => onTiming({ kind: 'daily', start: defaultTime(own, now), every: 1 })}
          />
          <Radio
            name={name}
            label="One by one"
            checked={timing.kind === 'single'}
            onChange={() => onTiming({ kind: 'single' })}
          />
        </Group>
        {timing.kind === 'slots' && <Slots {...props} offered={offered} timing={timing} />}
        {timing.kind === 'daily' && <Daily {...props} timing={timing} />}
        {timing.kind === 'single' && (
          <Text c="dimmed" size="xs">
            Each post has its time in its row.
          </Text>
        )}
      </Stack>
    </fieldset>
  )
}

type SlotsProps = Props & { offered: readonly Schedule[]; timing: Extract<Timing, { kind: 'slots' }> }

function Slots({ timing, offered, brands, accounts, zone, now, disabled, onTiming }: SlotsProps) {
  const { data } = useQuery(nextSlotsQuery({ scheduleId: timing.scheduleId, accounts, postId: null }))
  const several = new Set(offered.map(({ brand_id }) => brand_id)).size > 1
  const titles = new Map(brands.map(({ brand_id, title }) => [brand_id, title]))
  const isOffered = offered.some(({ schedule_id }) => schedule_id === timing.scheduleId)
  const [next] = data?.slots ?? []
  return (
    <Group gap="0.375rem 0.75rem">
      <NativeSelect
        aria-label="Posting schedule"
        disabled={disabled}
        data={[
          ...(isOffered ? [] : [{ value: '', label: 'Choose a posting schedule' }]),
          ...offered.map(({ schedule_id, brand_id, name, paused }) => ({
            value: String(schedule_id),
            label: [several && titles.get(brand_id), name, paused && 'paused'].filter(Boolean).join(' · '),
          })),
        ]}
        value={isOffered ? String(timing.scheduleId) : ''}
        onChange={({ currentTarget }) => {
          const chosen = ScheduleId.safeParse(Number(currentTarget.value)).data
          if (chosen !== undefined) onTiming({ kind: 'slots', scheduleId: chosen })
        }}
      />
      <Text c="dimmed" size="xs">
        {data === undefined
          ? ''
          : next === undefined
            ? 'It has no free slot for these accounts.'
            : `The first takes ${namedMoment(next, { zone, now })}, each other the free slot after it.`}
      </Text>
    </Group>
  )
}

type DailyProps = Props & { timing: Extract<Timing, { kind: 'daily' }> }

function Daily({ timing, zone, now, disabled, onTiming }: DailyProps) {
  const { start, every } = timing
  const [day = '', clock = ''] = start.local.split('T')
  const below = useId()
  const set = (local: string) => onTiming({ ...timing, start: { ...start, local } })
  const problem = findTimeProblem(start, now)
  return (
    <Stack gap="0.25rem">
      <Group gap="0.375rem 0.75rem" align="flex-end">
        <DayField
          label="From"
          value={day}
          minDate={dayOf(new Date(now).toISOString(), start.timezone)}
          onChange={(value) => value !== null && set(`${value}T${clock}`)}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
        <TimeField
          label="At"
          hoursInputLabel="Hours"
          minutesInputLabel="Minutes"
          value={clock}
          onChange={(value) => set(`${day}T${value}`)}
          error={problem !== null}
          aria-describedby={below}
          disabled={disabled}
        />
        <NumberInput
          label="Days apart"
          w="6rem"
          min={1}
          max={DAYS_APART_MAX}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="strict"
          value={every}
          onChange={(value) => {
            const days = Number(value)
            if (days >= 1 && days <= DAYS_APART_MAX) onTiming({ ...timing, every: days })
          }}
          disabled={disabled}
        />
      </Group>
      <Text id={below} size="xs" c={problem === null ? 'dimmed' : 'var(--r-failed)'}>
        {problem ?? timeNote(start, { zone, now })}
      </Text>
    </Stack>
  )
}
