import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS, returnTarget } from '#web/lib/paths.ts'
import { logIn, useSession, wasSignedIn, type Session } from './session.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { EmailField, PasswordField } from '#web/ui/front-fields.tsx'
import { FrontForm, FrontPage, StorageNote } from '#web/ui/front-page.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

/** The note about how the previous session ended. */
const ENDED: Record<Extract<Session, { status: 'out' }>['why'], string | null> = {
  never: null,
  left: null,
  lost: TEXTS.sessionEnded,
  'left everywhere': "You're logged out everywhere.",
  disabled: TEXTS.userDisabled,
  deleted: 'Your account and everything in it are deleted.',
}

export function LoginScreen() {
  const session = useSession()
  const location = useLocation()
  const [refused, setRefused] = useState<string | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() === '' ? 'Enter your email.' : null),
      password: (password) => (password === '' ? 'Enter your password.' : null),
    },
  })

  if (session.status === 'in') return <Navigate to={returnTarget(location.state)} replace />
  // Avoids a flash of the form for a user who is logged in.
  if (session.status === 'starting' && wasSignedIn()) return null

  const ended = session.status === 'out' ? ENDED[session.why] : null
  const submit = form.onSubmit(async ({ email, password }) => {
    setRefused(null)
    setRefused(await logIn(email.trim(), password))
  }, focusFirst(form))
  return (
    <FrontPage
      title={LABELS.login}
      footer={
        <>
          <Link to={PATHS.forgotPassword}>Forgot password?</Link>
          <Link to={PATHS.signUp}>{LABELS.signUp}</Link>
        </>
      }
    >
      <FrontForm onSubmit={submit}>
        {ended !== null && refused === null && <InlineAlert tone="note">{ended}</InlineAlert>}
        {refused !== null && <InlineAlert>{refused}</InlineAlert>}
        <StorageNote />
        <EmailField key={form.key('email')} {...form.getInputProps('email')} />
        <PasswordField
          label={LABELS.password}
          which="current"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting}>
          {LABELS.login}
        </Button>
      </FrontForm>
    </FrontPage>
  )
}
