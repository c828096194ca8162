import { Group, Text, Textarea } from '@mantine/core'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  /** Characters, as the platforms count them: UTF-16 units. */
  max: number
  help?: string
  error?: string | null
  required?: boolean
  disabled?: boolean
  /** Lines shown before it grows. */
  rows?: number
}

/** A textarea with a character count. Text over the limit is never cut; `error` reports it. */
export function CountedText({
  label,
  value,
  onChange,
  max,
  help,
  error = null,
  required,
  disabled,
  rows = 2,
}: Props) {
  const over = value.length > max
  return (
    <Textarea
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error !== null}
      // In the description, because Mantine overrides an `aria-describedby`.
      description={
        <Group component="span" justify="space-between" align="start" wrap="nowrap" mt="0.25rem">
          <Text span inherit {...(error !== null && { c: 'var(--r-failed)' })}>
            {error ?? help}
          </Text>
          <Text span inherit flex="none" {...(over && { c: 'var(--r-failed)' })}>
            {value.length} / {max}
          </Text>
        </Group>
      }
      inputWrapperOrder={['label', 'input', 'description']}
      withAsterisk={required ?? false}
      aria-required={required ?? false}
      disabled={disabled ?? false}
      autosize
      minRows={rows}
      maxRows={8}
    />
  )
}
