import { Button, CloseButton, Text } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import classes from './calendar.module.css'

type Props = {
  /** The last move; `key`: the id of what was moved. */
  last: { readonly text: string; readonly key: string | null } | null
  onUndo: () => void
  onDismiss: () => void
}

export function UndoBar({ last, onUndo, onDismiss }: Props) {
  const shown = useRef(last)
  useLayoutEffect(() => {
    // The focus that goes with the bar is then on what was moved, or where the keys reach the days.
    if (shown.current !== null && last === null && document.activeElement === document.body) {
      const chip = document.getElementById(shown.current.key ?? '')
      const stop = chip ?? document.querySelector<HTMLElement>('[data-stop][tabindex="0"]')
      stop?.focus({ preventScroll: true })
    }
    shown.current = last
  }, [last])
  if (last === null) return null
  return (
    <div className={classes.undo}>
      <Text span truncate>
        {last.text}
      </Text>
      <Button size="xs" variant="default" onClick={onUndo}>
        Undo
      </Button>
      <CloseButton aria-label="Close" onClick={onDismiss} />
    </div>
  )
}
