import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core'
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
  return (
    <PasswordInput
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
  password === confirm ? {} : { confirm: 'The two passwords differ.' }
