import { Button, CloseButton, VisuallyHidden } from '@mantine/core'
import classes from './undo-bar.module.css'
import type { Moves } from './use-moves.ts'

/** What was moved last, with the way back; and all that is said of moves, for screen readers. */
export function UndoBar({ moves }: { moves: Moves }) {
  return (
    <>
      <VisuallyHidden component="output" aria-label="Moves">
        {moves.said}
      </VisuallyHidden>
      {moves.last !== null && (
        <div className={classes.bar}>
          <span className={classes.text}>{moves.last.text}</span>
          <Button size="xs" variant="default" onClick={moves.undo}>
            Undo
          </Button>
          <CloseButton aria-label="Close" onClick={moves.dismiss} />
        </div>
      )}
    </>
  )
}
