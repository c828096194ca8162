import { Button } from '@mantine/core'
import { useEffect, useId, useRef, type ReactNode, type RefObject } from 'react'
import classes from './confirm.module.css'
import { Trouble } from './trouble.tsx'

type Props = {
  /** The question, then what is certain. */
  question: ReactNode
  /** What doing it is called, such as "Delete brand". */
  action: string
  onConfirm: () => void
  busy: boolean
  /** Why it could not be done; takes the place of the question. */
  failure: ReactNode
  /** Off where nothing is lost by it. */
  danger?: boolean
  /** What is kept, where that is not the thing itself. */
  keep?: string
  onKeep: () => void
  /** Where the focus goes back to: the button that asked. */
  asker: RefObject<HTMLElement | null>
}

/** Asks in place, under the thing itself, before something is lost. Escape answers "Keep", as the focused button does. */
export function Confirm({
  question,
  action,
  danger = true,
  keep: kept = 'Keep',
  onConfirm,
  busy,
  failure,
  onKeep,
  asker,
}: Props) {
  const asked = useId()
  const keepButton = useRef<HTMLButtonElement>(null)
  // The question takes the focus of the button that asked it; after a menu that asked has looked where the focus is.
  useEffect(() => keepButton.current?.focus(), [])
  const keep = () => {
    if (busy) return
    onKeep()
    asker.current?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- for the keys of the buttons inside
    <fieldset
      className={classes.question}
      aria-labelledby={asked}
      onKeyDown={(event) => event.key === 'Escape' && keep()}
    >
      <Trouble
        tone={danger || failure !== null ? 'failed' : 'note'}
        live={failure !== null}
        actions={
          <>
            <Button
              ref={keepButton}
              size="xs"
              variant="default"
              onClick={({ detail }) => isOwnPress(detail) && keep()}
              disabled={busy}
            >
              {kept}
            </Button>
            <Button
              size="xs"
              {...(danger && { color: 'failed' })}
              loading={busy}
              onClick={({ detail }) => isOwnPress(detail) && onConfirm()}
            >
              {action}
            </Button>
          </>
        }
      >
        <span id={asked}>{failure ?? question}</span>
      </Trouble>
    </fieldset>
  )
}

/** The second press of a double click (`detail` 2) was meant for what asked, and has answered nothing. */
const isOwnPress = (detail: number): boolean => detail < 2
