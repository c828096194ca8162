import { Button } from '@mantine/core'
import { useEffect, useId, useRef, type ReactNode, type RefObject } from 'react'
import { InlineAlert } from './inline-alert.tsx'

type Props = {
  /** The question, then its consequences. */
  question: ReactNode
  /** The label of the confirm button, such as "Delete brand". */
  action: string
  onConfirm: () => void
  busy: boolean
  /** False while it cannot be confirmed, such as before its consequences are known. */
  ready?: boolean
  /** The error of the last attempt; replaces the question. */
  failure: ReactNode
  /** False if nothing is lost. */
  danger?: boolean
  /** The label of the button that keeps things as they are. */
  keep?: string
  onKeep: () => void
  /** The button that opened the question; it gets the focus back. */
  asker: RefObject<HTMLElement | null>
}

/** An inline confirmation before a destructive action. Escape means "Keep", like the focused button. */
export function Confirm({
  question,
  action,
  danger = true,
  keep: kept = 'Keep',
  onConfirm,
  busy,
  ready = true,
  failure,
  onKeep,
  asker,
}: Props) {
  const asked = useId()
  const keepButton = useRef<HTMLButtonElement>(null)
  // In an effect, so that a closing menu does not take the focus back.
  useEffect(() => keepButton.current?.focus(), [])
  const keep = () => {
    if (busy) return
    onKeep()
    asker.current?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- for the keys of the buttons inside
    <fieldset aria-labelledby={asked} onKeyDown={(event) => event.key === 'Escape' && keep()}>
      <InlineAlert
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
              disabled={!ready}
              onClick={({ detail }) => isOwnPress(detail) && onConfirm()}
            >
              {action}
            </Button>
          </>
        }
      >
        <span id={asked}>{failure ?? question}</span>
      </InlineAlert>
    </fieldset>
  )
}

/** The second press of a double click (`detail` 2) belongs to the button that opened the question. */
const isOwnPress = (detail: number): boolean => detail < 2
