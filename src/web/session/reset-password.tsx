import { Button } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { Password } from '#contract/users.ts'
import { unmetPasswordRules } from './session.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { confirmError, HiddenUsername, NewPasswordFields } from '#web/ui/front-fields.tsx'
import { FrontForm } from '#web/ui/front-page.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import classes from './action.module.css'
import { Done, UsableLinkPage, useOutcome } from './link-page.tsx'
import type { UsableLink } from './action-links.ts'

const check = schemaResolver(z.object({ password: Password }), { sync: true })

type Props = { code: string; link: UsableLink; title: string; newLinkHelp: ReactNode }

export function ResetPassword({ code, link: { email }, title, newLinkHelp }: Props) {
  const { outcome, run, clear } = useOutcome()
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
    clear()
    const missing = await unmetPasswordRules(password)
    if (missing.length > 0) return refuse(missing.join(' '))
    const next = await run(({ finishReset }) => finishReset(code, email, password))
    if (next.kind === 'weak') refuse(next.message)
  }, focusFirst(form))

  return (
    <UsableLinkPage title={title} newLinkHelp={newLinkHelp} outcome={outcome}>
      {outcome?.kind === 'done' ? (
        <Done>Password changed. Log in with the new one.</Done>
      ) : (
        <FrontForm onSubmit={submit}>
          {outcome?.kind === 'failed' && <InlineAlert>{outcome.message}</InlineAlert>}
          <p className={classes.quiet}>For {email}</p>
          <HiddenUsername email={email} />
          <NewPasswordFields form={form} />
          <Button type="submit" loading={form.submitting}>
            Set new password
          </Button>
        </FrontForm>
      )}
    </UsableLinkPage>
  )
}
