import { Textarea } from '@mantine/core'
import { useId } from 'react'
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
}

/** A text with its length counted below. What is too long can be typed and is said; it is never cut. */
export function CountedText({ label, value, onChange, max, help, error = null, required, disabled }: Props) {
  const id = useId()
  const over = value.length > max
  const below = error ?? (over ? `Use at most ${max} characters.` : (help ?? null))
  const isError = error !== null || over
  return (
    <div>
      <Textarea
        label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={isError}
        aria-required={required ?? false}
        aria-describedby={`${id}-below ${id}-count`}
        disabled={disabled ?? false}
        autosize
        minRows={2}
        maxRows={8}
      />
      <div className={classes.below}>
        <span id={`${id}-below`} data-error={isError || undefined}>
          {below}
        </span>
        <span id={`${id}-count`} className={classes.count} data-error={over || undefined}>
          {value.length} / {max}
        </span>
      </div>
    </div>
  )
}
