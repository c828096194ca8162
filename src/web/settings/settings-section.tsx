import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type FormEventHandler, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { identityMessage } from '#web/session/identity-errors.ts'
import { Card } from '#web/ui/card.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import type { Changed } from './login-changes.ts'
import classes from './settings.module.css'

type Props = {
  title: string
  about: string
  /** Rows with lines between them, instead of fields. */
  rows?: boolean
  children: ReactNode
}

/** One section of the settings: its title beside its controls. */
export function Section({ title, about, rows = false, children }: Props) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2>{title}</h2>
        <Text c="dimmed" size="xs" mt="0.25rem">
          {about}
        </Text>
      </div>
      {rows ? (
        <Card flush className={classes.rows}>
          {children}
        </Card>
      ) : (
        <Card>
          <Stack className={classes.fields}>{children}</Stack>
        </Card>
      )}
    </section>
  )
}

type RowProps = {
  title: string
  children?: ReactNode
  actions?: ReactNode
  below?: ReactNode
}

export function Row({ title, children, actions, below }: RowProps) {
  return (
    <Stack gap="sm" p="md">
      <Group gap="0.75rem 1rem">
        <Box flex="1 1 16rem" miw={0} className={classes.what}>
          <Text component="h3" fw={600}>
            {title}
          </Text>
          {children}
        </Box>
        {actions !== undefined && (
          <Group align="stretch" gap="xs">
            {actions}
          </Group>
        )}
      </Group>
      {below}
    </Stack>
  )
}

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

type ChangeFormProps<V extends Record<string, unknown>> = {
  form: Form<V>
  label: string
  change: (values: V) => Promise<Changed>
  onDone: () => void
  onCancel: () => void
  action: string
  danger?: boolean
  cancel?: string
  children: ReactNode
}

/** A form that opens in its row: it focuses the first field, closes on Escape and keeps the input after an error. */
export function ChangeForm<V extends Record<string, unknown>>(props: ChangeFormProps<V>) {
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
      aria-label={label}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && !form.submitting && onCancel()}
    >
      <Stack maw="32rem" mt="0.25rem">
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
      </Stack>
    </form>
  )
}

/** A form that a button toggles below it; the button gets the focus back. */
export function useOpener(): {
  opener: RefObject<HTMLButtonElement | null>
  opened: boolean
  toggle: () => void
} {
  const opener = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  const toggle = () => {
    setOpened(!opened)
    if (opened) opener.current?.focus()
  }
  return { opener, opened, toggle }
}

/** The rows of a section once their query has answered. */
export function LoadedRows<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>
  children: (data: T) => ReactNode
}) {
  switch (query.status) {
    case 'pending':
      return (
        <Box p="md">
          <FieldsSkeleton heights={[20, 20]} />
        </Box>
      )
    case 'error':
      return (
        <Box p="md">
          <QueryError query={query}>{messageOf(query.error, TEXTS.unknownError)}</QueryError>
        </Box>
      )
    case 'success':
      return children(query.data)
  }
}
