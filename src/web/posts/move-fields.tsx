import { NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import type { BulkPosts } from '#contract/planning/bulk-posts.ts'
import classes from './posts.module.css'
import { zoneName } from '#web/lib/moments.ts'
import { DayAndTime } from '#web/ui/day-and-time.tsx'

export type Move = {
  readonly how: 'by' | 'at' | 'slots'
  readonly amount: string
  readonly unit: 'minutes' | 'hours' | 'days'
  readonly direction: 'later' | 'earlier'
  /** Wall clock, as `2026-12-24T18:30`. */
  readonly local: string
  /** Minutes between two posts; 0: all at the same time. */
  readonly apart: string
}

export const LATER_BY_A_DAY: Move = {
  how: 'by',
  amount: '1',
  unit: 'days',
  direction: 'later',
  local: '',
  apart: '0',
}

const UNIT_MINUTES = { minutes: 1, hours: 60, days: 1440 } as const
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
const YEAR_MINUTES = 366 * 1440

/** The part of the request that says where posts move; null: the form is incomplete or out of range. */
export function parseMove(
  move: Move,
  zone: string,
): Pick<BulkPosts, 'by_minutes' | 'publish_at' | 'apart_minutes' | 'next_slots'> | null {
  if (move.how === 'slots') return { next_slots: true }
  if (move.how === 'at') {
    if (!LOCAL.test(move.local)) return null
    const apart = Number(move.apart)
    return {
      publish_at: { local: move.local, timezone: zone },
      ...(apart > 0 && { apart_minutes: apart }),
    }
  }
  const amount = /^\d{1,6}$/.test(move.amount) ? Number(move.amount) : 0
  const minutes = amount * UNIT_MINUTES[move.unit]
  if (minutes === 0 || minutes > YEAR_MINUTES) return null
  return { by_minutes: move.direction === 'later' ? minutes : -minutes }
}

type Props = { move: Move; onMove: (move: Move) => void; zone: string }

export function MoveFields({ move, onMove, zone }: Props) {
  const change = (its: Partial<Move>) => onMove({ ...move, ...its })
  return (
    <fieldset aria-label="New time">
      <Stack gap="sm">
        <Radio label="By" checked={move.how === 'by'} onChange={() => change({ how: 'by' })} />
        {move.how === 'by' && (
          <div className={classes.by}>
            <TextInput
              aria-label="Amount"
              inputMode="numeric"
              value={move.amount}
              onChange={({ currentTarget: { value } }) => change({ amount: value.trim() })}
            />
            <NativeSelect
              aria-label="Unit"
              value={move.unit}
              data={['minutes', 'hours', 'days']}
              onChange={({ currentTarget: { value } }) =>
                change({ unit: value === 'minutes' || value === 'hours' ? value : 'days' })
              }
            />
            <NativeSelect
              aria-label="Direction"
              value={move.direction}
              data={['later', 'earlier']}
              onChange={({ currentTarget: { value } }) =>
                change({ direction: value === 'earlier' ? value : 'later' })
              }
            />
          </div>
        )}
        <Radio
          label="To the next free slots"
          description="Of their posting schedules, in order."
          checked={move.how === 'slots'}
          onChange={() => change({ how: 'slots' })}
        />
        <Radio label="To a day and time" checked={move.how === 'at'} onChange={() => change({ how: 'at' })} />
        {move.how === 'at' && (
          <>
            <LocalFields value={move.local} onChange={(local) => change({ local })} />
            <Text size="xs" c="dimmed">
              {zoneName(zone)} time.
            </Text>
          </>
        )}
        {move.how === 'at' && (
          <ApartField value={move.apart} onChange={(apart) => change({ apart })} canBeNone />
        )}
      </Stack>
    </fieldset>
  )
}

type ApartProps = { value: string; onChange: (minutes: string) => void; canBeNone?: boolean }

/** How long after one post the next one goes out. */
export const ApartField = ({ value, onChange, canBeNone = false }: ApartProps) => (
  <NativeSelect
    label="Time between two posts"
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    data={[
      ...(canBeNone ? [{ value: '0', label: 'None: all at the same time' }] : []),
      { value: '5', label: '5 minutes' },
      { value: '15', label: '15 minutes' },
      { value: '60', label: '1 hour' },
      { value: '240', label: '4 hours' },
      { value: '1440', label: '1 day' },
    ]}
  />
)

type LocalProps = {
  /** Wall clock, as `2026-12-24T18:30`; a part that is missing is empty. */
  value: string
  onChange: (local: string) => void
}

/** A day and a time; the caller names their zone. */
export function LocalFields({ value, onChange }: LocalProps) {
  const [day = '', time = ''] = value.split('T')
  return (
    <DayAndTime
      day={day}
      time={time}
      onDay={(next) => onChange(`${next}T${time}`)}
      onTime={(next) => onChange(`${day}T${next}`)}
      hasError={false}
    />
  )
}
