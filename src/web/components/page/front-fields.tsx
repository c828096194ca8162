import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core'
import { useId } from 'react'
import { LABELS } from '#contract/texts.ts'

/** The address that a person logs in with; password managers keep the password under it. */
export function EmailField(props: TextInputProps) {
  return (
    <TextInput
      label={LABELS.email}
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      {...props}
    />
  )
}

type PasswordFieldProps = PasswordInputProps & {
  label: string
  /** `current`: password managers fill it in; `new`: they offer to make one. */
  which: 'current' | 'new'
}

export function PasswordField({ which, ...props }: PasswordFieldProps) {
  const id = useId()
  const about = [props.error && `${id}-error`, props.description && `${id}-description`]
    .filter(Boolean)
    .join(' ')
  return (
    <PasswordInput
      id={id}
      // The library says it of the box around the field alone.
      aria-invalid={props.error ? true : undefined}
      aria-describedby={about || undefined}
      autoComplete={`${which}-password`}
      // The button is for everybody who types one, not for the mouse alone.
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show ${props.label.toLowerCase()}` }}
      {...props}
    />
  )
}

/** What a form says of a password that was typed twice and not alike. */
export const confirmError = ({ password, confirm }: { password: string; confirm: string }) =>
  password === confirm ? {} : { confirm: "The passwords don't match." }
