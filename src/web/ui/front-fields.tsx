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

/** The part of `useForm`'s return value that fields are bound to. */
type FieldsOf<Name extends string> = {
  readonly key: (name: Name) => string
  readonly getInputProps: (name: Name) => object
}

export const CurrentPasswordField = ({ form }: { form: FieldsOf<'current'> }) => (
  <PasswordField
    label="Current password"
    which="current"
    key={form.key('current')}
    {...form.getInputProps('current')}
  />
)

/** A new password, typed twice. */
export const NewPasswordFields = ({ form }: { form: FieldsOf<'password' | 'confirm'> }) => (
  <>
    <PasswordField
      label="New password"
      which="new"
      key={form.key('password')}
      {...form.getInputProps('password')}
    />
    <PasswordField
      label="Confirm new password"
      which="new"
      key={form.key('confirm')}
      {...form.getInputProps('confirm')}
    />
  </>
)

/** Tells password managers which user's password is meant. */
export const HiddenUsername = ({ email }: { email: string }) => (
  <input type="hidden" autoComplete="username" value={email} readOnly />
)

/** The form error when password and confirmation differ. */
export const confirmError = ({ password, confirm }: { password: string; confirm: string }) =>
  password === confirm ? {} : { confirm: "The passwords don't match." }
