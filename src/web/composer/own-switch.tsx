import { Button, Group, Switch } from '@mantine/core'
import { useId } from 'react'
import classes from './accounts.module.css'

type Props = {
  label: string
  resetLabel?: string
  name: string
  checked: boolean
  disabled: boolean
  onChange: (own: boolean) => void
  onReset: () => void
}

/** Turns what an account shares with others into something of its own, and back. */
export function OwnSwitch({
  label,
  resetLabel = 'Reset',
  name,
  checked,
  disabled,
  onChange,
  onReset,
}: Props) {
  const id = useId()
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs" mih="1.5rem" className={classes.own ?? ''}>
      <Switch
        id={id}
        label={label}
        aria-label={`${label} for ${name}`}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {checked && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="accent"
          disabled={disabled}
          aria-label={`${resetLabel}: ${label} for ${name}`}
          onClick={() => {
            onReset()
            document.getElementById(id)?.focus()
          }}
        >
          {resetLabel}
        </Button>
      )}
    </Group>
  )
}
