import { Button, CloseButton, Group, Text } from '@mantine/core'
import classes from './page-foot.module.css'

type Props = { text: string; shortcut?: string; onUndo: () => void; onDismiss: () => void }

/** At the foot of the page: what was just done there, and the way back. `shortcut`: what undoes it, too. */
export const UndoBar = ({ text, shortcut, onUndo, onDismiss }: Props) => (
  <Group wrap="nowrap" gap="sm" className={classes.undo ?? ''}>
    <Text component="output" truncate>
      {text}
    </Text>
    <Button flex="none" size="xs" variant="default" aria-keyshortcuts={shortcut} onClick={onUndo}>
      Undo
    </Button>
    <CloseButton aria-label="Close" onClick={onDismiss} />
  </Group>
)
