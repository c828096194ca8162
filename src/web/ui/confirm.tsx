import { Button } from '@mantine/core'
import { useId, type ReactNode, type RefObject } from 'react'
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
  onKeep: () => void
  /** Where the focus goes back to: the button that asked. */
  asker: RefObject<HTMLElement | null>
}

/** Asks in place, under the thing itself, before something is lost. Escape answers "Keep", as the focused button does. */
export function Confirm({ question, action, onConfirm, busy, failure, onKeep, asker }: Props) {
  const asked = useId()
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
        live={failure !== null}
        actions={
          <>
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the question takes the focus of the button that asked it */}
            <Button size="xs" variant="default" autoFocus onClick={keep} disabled={busy}>
              Keep
            </Button>
            <Button size="xs" color="failed" loading={busy} onClick={onConfirm}>
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
