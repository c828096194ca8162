import { Button, Group, Modal } from '@mantine/core'
import { Link } from 'react-router'
import { Badge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { PATHS, postPath } from '#web/lib/paths.ts'
import type { Board } from './board.ts'
import { Marks } from './chip.tsx'
import { lookOf, titleOf } from './entry-look.ts'
import { dayOfEntry, timeOfEntry, type Entry } from './calendar-entries.ts'
import { dateText } from './range.ts'
import classes from './calendar-dialogs.module.css'

type Props = { entry: Entry; board: Board; onMove: () => void; onClose: () => void }

/** What an entry is, and what can be done with it. */
export function EntryDialog({ entry, board, onMove, onClose }: Props) {
  const { fixed } = entry
  return (
    <Modal
      opened
      onClose={onClose}
      // To take it away changes the style of every element of the page.
      removeScrollProps={{ removeScrollBar: false }}
      title={`${dateText(dayOfEntry(entry), { weekday: 'long', day: 'numeric', month: 'long' })}, ${timeOfEntry(entry)}`}
    >
      <Group align="stretch" wrap="nowrap">
        <Thumbnail src={entry.of.poster_url} />
        <div className={classes.what}>
          <p className={classes.text}>{titleOf(entry)}</p>
          <p className={classes.below}>
            {board.brandTitle(entry) ?? 'Several brands'} <Marks of={entry} />
          </p>
          <Badge {...lookOf(entry)} />
        </div>
      </Group>
      {fixed !== null && <p className={classes.note}>{fixed}</p>}
      <Group align="stretch" justify="flex-end" gap="xs" mt="md">
        <OpenLink entry={entry} />
        {fixed === null && <Button onClick={onMove}>Move to…</Button>}
      </Group>
    </Modal>
  )
}

function OpenLink({ entry }: { entry: Entry }) {
  if (entry.kind === 'draft')
    return (
      <Button component={Link} to={`${PATHS.compose}?draft=${entry.of.draft_id}`} variant="default">
        Open draft
      </Button>
    )
  return (
    <Button component={Link} to={postPath(entry.of.post_id)} variant="default">
      Show post
    </Button>
  )
}
