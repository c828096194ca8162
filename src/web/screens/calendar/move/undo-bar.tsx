import { Button, CloseButton, VisuallyHidden } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import classes from './undo-bar.module.css'
import type { Moves } from './use-moves.ts'

/** What was moved last, with the way back; and all that is said of moves, for screen readers. */
export default function UndoBar({ moves }: { moves: Moves }) {
  const shown = useRef(moves.last)
  useLayoutEffect(() => {
    // The focus that goes with the bar is then on what was moved, or where the keys reach the days.
    if (shown.current !== null && moves.last === null && document.activeElement === document.body) {
      const chip = document.getElementById(shown.current.key ?? '')
      const stop = chip ?? document.querySelector<HTMLElement>('[data-stop][tabindex="0"]')
      stop?.focus({ preventScroll: true })
    }
    shown.current = moves.last
  }, [moves.last])
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
