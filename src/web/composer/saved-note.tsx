import { Button } from '@mantine/core'
import { IconCheck, IconCloudOff } from '@tabler/icons-react'
import { ApiProblem } from '#web/api/api.ts'
import { ICON } from '#web/ui/icons.tsx'
import { timeOfDay } from '#web/lib/moments.ts'
import type { SaveState } from './draft-saver.ts'
import classes from './drafts.module.css'

type Props = { state: SaveState; zone: string; onRetry: () => void }

/** The server has said why, such as too many drafts. */
const isRefused = (error: Error): boolean => error instanceof ApiProblem && error.kind === 'refused'

/** Whether what is typed is saved: "Draft saved at 14:06". */
export function SavedNote({ state, zone, onRetry }: Props) {
  switch (state.kind) {
    case 'unsaved':
    case 'conflict':
      return null
    case 'saving':
      return <span className={classes.saved}>Saving draft …</span>
    case 'saved':
      return (
        state.at !== null && (
          <output className={classes.saved}>
            <IconCheck {...ICON} size={16} /> Draft saved at {timeOfDay(state.at, zone)}
          </output>
        )
      )
    case 'failed':
      return (
        <output className={classes.saved}>
          <IconCloudOff {...ICON} size={16} />
          <span>{isRefused(state.error) ? state.error.message : 'Not saved yet: kept in this browser'}</span>
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </output>
      )
  }
}
