import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core'
import { useId } from 'react'
import { LABELS } from '#contract/texts.ts'

/** The login email; password managers store the password under it. */
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
  /** `current`: password managers fill it in; `new`: they offer to generate one. */
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
      // Mantine sets it on the wrapper only.
      aria-invalid={props.error ? true : undefined}
      aria-describedby={about || undefined}
      autoComplete={`${which}-password`}
      // The button must be reachable by keyboard.
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show ${props.label.toLowerCase()}` }}
      {...props}
    />
  )
}

/** The form error when password and confirmation differ. */
export const confirmError = ({ password, confirm }: { password: string; confirm: string }) =>
  password === confirm ? {} : { confirm: "The passwords don't match." }
