import '#web/ui/more-styles.ts'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Navigate } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { SignUp } from '#contract/users.ts'
import { ApiProblem, call } from '#web/api.ts'
import { PATHS } from '#web/paths.ts'
import { queryClient, settingsQuery } from '#web/queries.ts'
import { logIn, missingInPassword, useSession } from '#web/session.ts'
import { focusFirst } from '#web/ui/focus-first.ts'
import { FrontForm, FrontPage } from '#web/ui/front-page.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { browserTimeZone } from '#web/ui/moments.ts'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { Trouble } from '#web/ui/trouble.tsx'

const check = schemaResolver(SignUp, { sync: true })

export function SignUpScreen() {
  const session = useSession()
  const settings = useQuery(settingsQuery, queryClient)
  if (session.status === 'in') return <Navigate to={PATHS.overview} replace />
  return (
    <FrontPage
      title={LABELS.signUp}
      footer={
        <span>
          {LABELS.alreadyHaveAccount} <Link to={PATHS.login}>{LABELS.logIn}</Link>
        </span>
      }
    >
      {settings.data?.signup === 'closed' ? (
        <Trouble tone="note">{TEXTS.signupClosed}</Trouble>
      ) : (
        <SignUpForm />
      )}
    </FrontPage>
  )
}

function SignUpForm() {
  const [refused, setRefused] = useState<string | null>(null)
  const form = useForm({
    initialValues: { email: '', nickname: '', password: '', confirm: '', timezone: browserTimeZone() },
    validate: (values) => ({
      ...check(values),
      ...(values.password !== values.confirm && { confirm: 'The two passwords differ.' }),
    }),
  })

  const submit = form.onSubmit(async ({ email, nickname, timezone, password }) => {
    // The confirmation never leaves the screen.
    const payload = { email, nickname, timezone, password }
    setRefused(null)
    const missing = await missingInPassword(password)
    if (missing.length > 0) return form.setFieldError('password', missing.join(' '))
    const failure = await call('createUser', { body: payload }).then(
      () => null,
      (error: Error) => error,
    )
    if (failure === null) setRefused(await logIn(email.trim(), password))
    else setRefused(refusalOf(failure, form.setErrors))
  }, focusFirst(form))

  return (
    <FrontForm onSubmit={submit}>
      {refused !== null && <Trouble>{refused}</Trouble>}
      <TextInput label={LABELS.email} type="email" autoComplete="username" {...form.getInputProps('email')} />
      <TextInput label={LABELS.nickname} autoComplete="nickname" {...form.getInputProps('nickname')} />
      <PasswordInput
        label={LABELS.password}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label={LABELS.confirmPassword}
        autoComplete="new-password"
        {...form.getInputProps('confirm')}
      />
      <TimeZoneSelect
        value={form.values.timezone}
        onChange={(zone) => form.setFieldValue('timezone', zone)}
        error={form.errors['timezone']}
      />
      <Button type="submit" loading={form.submitting}>
        {LABELS.signUp}
      </Button>
    </FrontForm>
  )
}

/** Puts what the server says of a field beside it. @returns what it says of the whole; `null` where it named fields */
function refusalOf(error: Error, setErrors: (errors: Record<string, string>) => void): string | null {
  const message = messageOf(error, TEXTS.unknownError)
  if (!(error instanceof ApiProblem)) return message
  const errors = error.code === 'email_taken' ? { email: [message], ...error.errors } : error.errors
  if (Object.keys(errors).length === 0) return message
  setErrors(
    Object.fromEntries(Object.entries(errors).map(([field, messages]) => [field, messages.join(' ')])),
  )
  return null
}
