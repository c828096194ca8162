import { Button } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useState, type ReactNode } from 'react'
import { z } from 'zod'
import { Password } from '#contract/users.ts'
import { unmetPasswordRules } from '#web/session/session.ts'
import { focusFirst } from '#web/lib/dom/focus-first.ts'
import { confirmError, PasswordField } from '#web/components/page/front-fields.tsx'
import { FrontForm } from '#web/components/page/front-page.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import classes from './action.module.css'
import { InvalidLink, Done, LinkPage, links } from './link-page.tsx'
import type { Outcome, UsableLink } from './links.ts'

const check = schemaResolver(z.object({ password: Password }), { sync: true })

type Props = { code: string; link: UsableLink; title: string; another: ReactNode }

export function ResetPassword({ code, link: { email }, title, another }: Props) {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', confirm: '' },
    validate: (values) => ({ ...check(values), ...confirmError(values) }),
  })
  const refuse = (message: string) => {
    form.setFieldError('password', message)
    form.getInputNode('password')?.focus()
  }
  const submit = form.onSubmit(async ({ password }) => {
    setOutcome(null)
    const missing = await unmetPasswordRules(password)
    if (missing.length > 0) return refuse(missing.join(' '))
    const next = await links().then(
      ({ finishReset }) => finishReset(code, email, password),
      (error: unknown): Outcome => ({ kind: 'failed', message: messageOf(error, '') }),
    )
    if (next.kind === 'weak') refuse(next.message)
    setOutcome(next)
  }, focusFirst(form))

  if (outcome?.kind === 'dead')
    return (
      <InvalidLink title={title} another={another}>
        {outcome.message}
      </InvalidLink>
    )
  return (
    <LinkPage title={title}>
      {outcome?.kind === 'done' ? (
        <Done>Password changed. Log in with the new one.</Done>
      ) : (
        <FrontForm onSubmit={submit}>
          {outcome?.kind === 'failed' && <InlineAlert>{outcome.message}</InlineAlert>}
          <p className={classes.quiet}>For {email}</p>
          {/* Tells password managers which user's password this is. */}
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
      )}
    </LinkPage>
  )
}
