import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import type { BulkPosts } from '#contract/planning/bulk-posts.ts'
import classes from './posts.module.css'
import { zoneName } from '#web/lib/moments.ts'

export type Move = {
  readonly how: 'by' | 'at'
  readonly amount: string
  readonly unit: 'minutes' | 'hours' | 'days'
  readonly direction: 'later' | 'earlier'
  /** Wall clock, as `2026-12-24T18:30`. */
  readonly local: string
}

export const LATER_BY_A_DAY: Move = { how: 'by', amount: '1', unit: 'days', direction: 'later', local: '' }

const UNIT_MINUTES = { minutes: 1, hours: 60, days: 1440 } as const
const YEAR_MINUTES = 366 * 1440

/** The part of the request that says where posts move; null: the form is incomplete or out of range. */
export function parseMove(move: Move, zone: string): Pick<BulkPosts, 'by_minutes' | 'publish_at'> | null {
  if (move.how === 'at')
    return move.local === '' ? null : { publish_at: { local: move.local, timezone: zone } }
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
        <Radio label="All to one time" checked={move.how === 'at'} onChange={() => change({ how: 'at' })} />
        {move.how === 'at' && (
          <TextInput
            type="datetime-local"
            label="Date and time"
            description={zoneName(zone)}
            value={move.local}
            onChange={({ currentTarget: { value } }) => change({ local: value.slice(0, 16) })}
          />
        )}
      </Stack>
    </fieldset>
  )
}
