import { Modal } from '@mantine/core'
import type { Board } from './board.ts'
import { Row } from './list-view.tsx'
import { dateText } from './range.ts'
import classes from './calendar-dialogs.module.css'

type Props = { day: string; board: Board; onClose: () => void }

/** All that a day has. */
export function DayDialog({ day, board, onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={dateText(day, { weekday: 'long', day: 'numeric', month: 'long' })}
    >
      <ul className={classes.rows}>
        {(board.entries.get(day) ?? []).map((entry) => (
          <Row key={entry.key} entry={entry} brandTitle={board.brandTitle(entry)} onOpen={board.onOpen} />
        ))}
      </ul>
    </Modal>
  )
}
