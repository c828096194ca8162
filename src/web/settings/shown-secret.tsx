import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import classes from './api-keys.module.css'

type Props = {
  label: string
  secret: string
  /** What whoever has it can do, and what follows. */
  warning: string
  children?: ReactNode
  onDone: () => void
}

/** A secret that the server shows once. */
export function ShownSecret({ label, secret, warning, children, onDone }: Props) {
  return (
    <Stack>
      <InlineAlert tone="attention">{warning}</InlineAlert>
      <Group align="end" gap="xs">
        <TextInput
          flex="1 1 18rem"
          label={label}
          classNames={{ input: classes.code ?? '' }}
          readOnly
          data-autofocus
          value={secret}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={secret} what="the secret" />
      </Group>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
