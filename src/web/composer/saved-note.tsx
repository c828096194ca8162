import { Button, Group, Text } from '@mantine/core'
import { IconCheck, IconCloudOff } from '@tabler/icons-react'
import { ApiProblem } from '#web/api/api.ts'
import { ICON } from '#web/ui/icons.tsx'
import type { SaveState } from './draft-saver.ts'
import { shortTime } from './when.ts'

type Props = { state: SaveState; zone: string; now: number; onRetry: () => void }

/** The server has said why, such as too many drafts. */
const isRefused = (error: Error): boolean => error instanceof ApiProblem && error.kind === 'refused'

/** Whether what is typed is saved: "Draft saved at 14:06". */
export function SavedNote({ state, zone, now, onRetry }: Props) {
  switch (state.kind) {
    case 'unsaved':
    case 'conflict':
      return null
    case 'saving':
      return (
        <Text span c="dimmed" size="xs">
          Saving draft …
        </Text>
      )
    case 'saved':
      return (
        state.at !== null && (
          <Group component="output" wrap="nowrap" gap="0.375rem" fz="xs" c="dimmed">
            <IconCheck {...ICON} size={16} /> Draft saved at{' '}
            {shortTime({ at: state.at, timezone: zone }, { zone, now })}
          </Group>
        )
      )
    case 'failed':
      return (
        <Group component="output" gap="0.375rem" fz="xs" c="dimmed">
          <IconCloudOff {...ICON} size={16} />
          <span>{isRefused(state.error) ? state.error.message : 'Not saved yet: kept in this browser'}</span>
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )
  }
}
