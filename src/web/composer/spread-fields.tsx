import { Button, Group, Text, TextInput } from '@mantine/core'
import { IconArrowsShuffle } from '@tabler/icons-react'
import { POST_AFTER_MAX_MINUTES } from '#contract/limits.ts'
import type { DraftContent } from '#contract/drafts.ts'
import { ICON } from '#web/ui/icons.tsx'
import type { ComposeAction } from './compose-state.ts'
import { lastAfter, minutesText, spreadOf } from './spread.ts'

type SpreadProps = {
  targets: DraftContent['targets']
  disabled: boolean
  dispatch: (action: ComposeAction) => void
}

/** Over how many minutes the accounts get the post, one after the other. */
export function SpreadFields({ targets, disabled, dispatch }: SpreadProps) {
  const minutes = spreadOf(targets)
  const ids = targets.map(({ account_id }) => account_id)
  return (
    <Group align="end" gap="xs" mt="sm">
      <MinutesField
        label="Spread over"
        value={minutes}
        disabled={disabled}
        onChange={(next) => dispatch({ type: 'spread', minutes: next, order: ids })}
      />
      {minutes !== null && minutes > 0 && (
        <Button
          variant="default"
          leftSection={<IconArrowsShuffle {...ICON} />}
          disabled={disabled}
          onClick={() => dispatch({ type: 'spread', minutes, order: shuffled(ids) })}
        >
          Shuffle
        </Button>
      )}
      <Text component="output" size="xs" c="dimmed" w="100%">
        {spreadNote(targets)}
      </Text>
    </Group>
  )
}

function spreadNote(targets: SpreadProps['targets']): string {
  const last = lastAfter(targets)
  if (last === 0) return 'All accounts get it at the same time.'
  if (spreadOf(targets) === null)
    return `Accounts have times of their own, the last ${minutesText(last)} after the post's.`
  const apart = last / (targets.length - 1)
  return apart < 1
    ? `In the order of the accounts, the last after ${minutesText(last)}.`
    : `About ${minutesText(Math.round(apart))} apart, in the order of the accounts.`
}

function shuffled<T>(all: readonly T[]): T[] {
  const left = [...all]
  return all.flatMap(() => left.splice(Math.floor(Math.random() * left.length), 1))
}

type MinutesProps = {
  label: string
  /** null: shown as empty. */
  value: number | null
  disabled: boolean
  onChange: (minutes: number) => void
}

/** A number of minutes; empty: 0. */
export const MinutesField = ({ label, value, disabled, onChange }: MinutesProps) => (
  <TextInput
    label={label}
    type="number"
    inputMode="numeric"
    min={0}
    max={POST_AFTER_MAX_MINUTES}
    w="9rem"
    rightSectionWidth="4rem"
    rightSection={
      <Text span size="xs" c="dimmed">
        minutes
      </Text>
    }
    placeholder="0"
    value={value === null || value === 0 ? '' : value}
    disabled={disabled}
    onChange={({ currentTarget }) => {
      const minutes = Math.round(currentTarget.valueAsNumber)
      onChange(Math.min(Math.max(Number.isNaN(minutes) ? 0 : minutes, 0), POST_AFTER_MAX_MINUTES))
    }}
  />
)
