import { Textarea } from '@mantine/core'
import classes from './counted-text.module.css'

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
  /** Lines that are shown before it grows. */
  rows?: number
}

/** A text with its length counted below. What is too long can be typed and is never cut; `error` says it. */
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
      // As the description it is read out with the field; an `aria-describedby` of ours would be passed over.
      description={
        <span className={classes.below}>
          <span data-error={error !== null || undefined}>{error ?? help}</span>
          <span className={classes.count} data-error={over || undefined}>
            {value.length} / {max}
          </span>
        </span>
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
