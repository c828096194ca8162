import { Button } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { z } from 'zod'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { Password } from '#contract/users.ts'
import { identityMessage } from '#web/identity-errors.ts'
import { PATHS } from '#web/paths.ts'
import { queryClient } from '#web/queries.ts'
import { checkResetLink, finishReset, missingInPassword } from '#web/session.ts'
import { focusFirst } from '#web/ui/focus-first.ts'
import { confirmError, PasswordField } from '#web/ui/front-fields.tsx'
import { FrontForm, FrontPage } from '#web/ui/front-page.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { Trouble } from '#web/ui/trouble.tsx'

const check = schemaResolver(z.object({ password: Password }), { sync: true })

/** Where the links of our mails lead. Opening it uses nothing up: mail scanners open links too. */
export function ActionScreen() {
  const [search] = useSearchParams()
  const code = search.get('oobCode')
  if (search.get('mode') !== 'resetPassword')
    return (
      <Page>
        <Trouble tone="note" live={false}>
          This page sets new passwords, and the link asks for something else. Open the newest mail and try its
          link.
        </Trouble>
      </Page>
    )
  if (code === null) return <DeadLink>{identityMessage('invalid-action-code')}</DeadLink>
  return <ResetPassword code={code} />
}

function ResetPassword({ code }: { code: string }) {
  const [dead, setDead] = useState<string | null>(null)
  const [done, setDone] = useState(false)
  const link = useQuery(
    {
      queryKey: ['reset-link', code],
      queryFn: () => checkResetLink(code),
      staleTime: Infinity,
      retry: false,
      meta: { ofNobody: true },
    },
    queryClient,
  )

  if (done)
    return (
      <Page>
        <Trouble tone="note">Your password is changed. Log in with the new one.</Trouble>
      </Page>
    )
  if (link.status === 'pending')
    return (
      <Page>
        <p style={{ margin: 0 }}>Checking the link…</p>
      </Page>
    )
  if (link.status === 'error')
    return (
      <Page>
        <Trouble
          actions={
            <Button size="xs" variant="default" onClick={() => void link.refetch()}>
              Try again
            </Button>
          }
        >
          {messageOf(link.error, TEXTS.unknownError)}
        </Trouble>
      </Page>
    )
  if (dead !== null) return <DeadLink>{dead}</DeadLink>
  if (link.data.kind === 'dead') return <DeadLink>{link.data.message}</DeadLink>
  return (
    <Page>
      <NewPassword code={code} email={link.data.email} onDone={() => setDone(true)} onDead={setDead} />
    </Page>
  )
}

type FormProps = {
  code: string
  email: string
  onDone: () => void
  /** What to tell of a link that cannot be used any more. */
  onDead: (message: string) => void
}

function NewPassword({ code, email, onDone, onDead }: FormProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', confirm: '' },
    validate: (values) => ({ ...check(values), ...confirmError(values) }),
  })
  const submit = form.onSubmit(async ({ password }) => {
    setFailed(null)
    const missing = await missingInPassword(password)
    if (missing.length > 0) return form.setFieldError('password', missing.join(' '))
    const outcome = await finishReset(code, password)
    switch (outcome.kind) {
      case 'done':
        return onDone()
      case 'weak':
        return form.setFieldError('password', outcome.message)
      case 'failed':
        return setFailed(outcome.message)
      case 'dead':
        return onDead(outcome.message)
    }
  }, focusFirst(form))
  return (
    <FrontForm onSubmit={submit}>
      {failed !== null && <Trouble>{failed}</Trouble>}
      <p style={{ margin: 0, color: 'var(--r-muted)', overflowWrap: 'anywhere' }}>For {email}</p>
      {/* Tells password managers whose password this is. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
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
      <Button type="submit" loading={form.submitting}>
        Set new password
      </Button>
    </FrontForm>
  )
}

function DeadLink({ children }: { children: string }) {
  return (
    <Page>
      <Trouble>{children}</Trouble>
      <p style={{ margin: '1rem 0 0' }}>
        <Link to={PATHS.forgotPassword}>Ask for a new link</Link>
      </p>
    </Page>
  )
}

function Page({ children }: { children: ReactNode }) {
  return (
    <FrontPage title="New password" footer={<Link to={PATHS.login}>{LABELS.logIn}</Link>}>
      {children}
    </FrontPage>
  )
}
