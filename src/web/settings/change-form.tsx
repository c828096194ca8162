import { Button, Group } from '@mantine/core'
import { useEffect, useRef, useState, type FormEventHandler, type ReactNode } from 'react'
import { identityMessage } from '#web/session/identity-errors.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type { Changed } from './login-changes.ts'
import classes from './settings.module.css'

/** The part of `useForm`'s return value that is used here. */
type Form<V> = {
  readonly submitting: boolean
  onSubmit: (
    handle: (values: V) => Promise<void>,
    refused: (errors: Readonly<Record<string, unknown>>) => void,
  ) => FormEventHandler<HTMLFormElement>
  setErrors: (errors: Record<string, string>) => void
  getInputNode: (field: string) => HTMLElement | null
}

type Props<V extends Record<string, unknown>> = {
  form: Form<V>
  /** The form's accessible name. */
  label: string
  change: (values: V) => Promise<Changed>
  onDone: () => void
  onCancel: () => void
  /** The submit button's label. */
  action: string
  danger?: boolean
  cancel?: string
  children: ReactNode
}

/** A form that opens in its row: it focuses the first field, closes on Escape and keeps the input after an error. */
export function ChangeForm<V extends Record<string, unknown>>(props: Props<V>) {
  const { form, label, change, onDone, onCancel, action, danger = false, cancel = 'Cancel', children } = props
  const [failure, setFailure] = useState<string | null>(null)
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => element.current?.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus(), [])
  const submit = form.onSubmit(async (values) => {
    setFailure(null)
    const changed = await change(values).catch((error: unknown): Changed => ({
      kind: 'failed',
      message: messageOf(error, identityMessage('network-request-failed')),
    }))
    switch (changed.kind) {
      case 'done':
        return onDone()
      case 'field':
        form.setErrors({ [changed.field]: changed.message })
        return form.getInputNode(changed.field)?.focus()
      case 'failed':
        return setFailure(changed.message)
    }
  }, focusFirst(form))
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- for the keys of the fields inside
    <form
      ref={element}
      className={classes.form}
      aria-label={label}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && !form.submitting && onCancel()}
    >
      {failure !== null && <InlineAlert>{failure}</InlineAlert>}
      {children}
      <Group align="stretch" gap="xs">
        <Button type="submit" loading={form.submitting} {...(danger && { color: 'failed' })}>
          {action}
        </Button>
        <Button variant="default" disabled={form.submitting} onClick={onCancel}>
          {cancel}
        </Button>
      </Group>
    </form>
  )
}
