import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { Navigate, useSearchParams } from 'react-router'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { EmailField } from '#web/ui/front-fields.tsx'
import { FrontForm } from '#web/ui/front-page.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { Done, LinkPage, OtherUserNote, UsableLinkPage, useOutcome } from './link-page.tsx'
import type { UsableLink } from './action-links.ts'

type Props = { link: UsableLink; title: string; newLinkHelp: ReactNode }

/** Logs in by link. It asks for the email, so that a person who finds the link does not learn it. */
export function EmailSignIn({ link, title, newLinkHelp }: Props) {
  const [search] = useSearchParams()
  const { outcome, run, clear } = useOutcome()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: { email: (email) => (email.trim() === '' ? 'Enter your email.' : null) },
  })
  const submit = form.onSubmit(async ({ email }) => {
    clear()
    const next = await run(({ logInByLink }) => logInByLink(email.trim(), location.href))
    if (next.kind === 'field') {
      form.setFieldError('email', next.message)
      form.getInputNode('email')?.focus()
    }
  }, focusFirst(form))

  if (outcome?.kind === 'done')
    return search.get('continueUrl') === null ? (
      <Navigate to={PATHS.overview} replace />
    ) : (
      <LinkPage title={title}>
        <Done>You're logged in.</Done>
      </LinkPage>
    )
  return (
    <UsableLinkPage
      title={title}
      newLinkHelp={newLinkHelp}
      outcome={outcome}
      login="Log in with your password"
    >
      <FrontForm onSubmit={submit}>
        {outcome?.kind === 'failed' && <InlineAlert>{outcome.message}</InlineAlert>}
        <EmailField
          description="The email this link was sent to."
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <OtherUserNote link={link}>Using this link logs you out of that account.</OtherUserNote>
        <Button type="submit" loading={form.submitting}>
          {LABELS.logIn}
        </Button>
      </FrontForm>
    </UsableLinkPage>
  )
}
