import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { requestPasswordReset } from './session.ts'
import { EmailField } from '#web/ui/front-fields.tsx'
import { FrontForm, FrontPage } from '#web/ui/front-page.tsx'

export function ForgotPasswordScreen() {
  const [sent, setSent] = useState(false)
  // No validation, as specified.
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' } })
  // The same answer for every outcome, so that nobody learns who has an account.
  const submit = form.onSubmit(async ({ email }) => {
    await requestPasswordReset(email.trim())
    setSent(true)
  })
  return (
    <FrontPage
      title={LABELS.forgotPassword}
      footer={
        <span>
          {LABELS.returnTo} <Link to={PATHS.login}>{LABELS.login}</Link>
        </span>
      }
    >
      {sent ? (
        <Sent />
      ) : (
        <FrontForm onSubmit={submit}>
          <EmailField key={form.key('email')} {...form.getInputProps('email')} />
          <Button type="submit" loading={form.submitting}>
            {LABELS.submit}
          </Button>
        </FrontForm>
      )}
    </FrontPage>
  )
}

/** Takes over the focus from the form. */
function Sent() {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => text.current?.focus(), [])
  return (
    <p ref={text} tabIndex={-1} style={{ margin: 0 }}>
      {TEXTS.resetSent}
    </p>
  )
}
