import { Button, Text } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { z } from 'zod'
import { LABELS } from '#contract/texts.ts'
import { Password } from '#contract/users.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { PATHS } from '#web/lib/paths.ts'
import { EmailField, HiddenUsername, NewPasswordFields, confirmError } from '#web/ui/front-fields.tsx'
import { FrontForm } from '#web/ui/front-page.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type { UsableLink } from './action-links.ts'
import { identityMessage } from './identity-errors.ts'
import {
  CheckedLink,
  Done,
  InvalidLink,
  LinkPage,
  type Mode,
  OtherUserNote,
  UsableLinkPage,
  useOutcome,
} from './link-page.tsx'
import { unmetPasswordRules } from './session.ts'

type LinkTexts = { readonly title: string; readonly newLinkHelp: ReactNode }

const InSettings = () => (
  <>
    Request a new one in <Link to={PATHS.settings}>Settings</Link>.
  </>
)

/** The title of each kind of link, and how to get a new one. */
const LINK_TEXTS: Record<Mode, LinkTexts> = {
  resetPassword: {
    title: 'New password',
    newLinkHelp: <Link to={PATHS.forgotPassword}>Request a new link</Link>,
  },
  verifyEmail: { title: 'Confirm your email', newLinkHelp: <InSettings /> },
  verifyAndChangeEmail: { title: 'New email', newLinkHelp: <InSettings /> },
  recoverEmail: {
    title: 'Restore your email',
    newLinkHelp: "If you can't log in any more, contact the person who runs this server.",
  },
  signIn: {
    title: LABELS.logIn,
    newLinkHelp: 'Request a new link, or log in with your password.',
  },
}

const isMode = (mode: string): mode is Mode => Object.hasOwn(LINK_TEXTS, mode)

/** The page of our email links. Opening it does not consume the code: mail scanners open links and run their scripts. */
export function ActionScreen() {
  const [search] = useSearchParams()
  const code = search.get('oobCode') ?? ''
  const mode = search.get('mode') ?? ''
  if (!isMode(mode))
    return (
      <LinkPage title="Unknown link">
        <InlineAlert tone="note" live={false}>
          Reelay doesn't know this kind of link. Try the link in your latest email.
        </InlineAlert>
      </LinkPage>
    )
  const texts = LINK_TEXTS[mode]
  if (code === '') return <InvalidLink {...texts}>{identityMessage('invalid-action-code')}</InvalidLink>
  // Remounts for another link in the same tab.
  return (
    <CheckedLink key={`${mode} ${code}`} mode={mode} code={code} {...texts}>
      {(link) => {
        switch (mode) {
          case 'resetPassword':
            return <ResetPassword code={code} link={link} {...texts} />
          case 'verifyEmail':
          case 'verifyAndChangeEmail':
          case 'recoverEmail':
            return <ApplyLink mode={mode} code={code} link={link} {...texts} />
          case 'signIn':
            return <EmailSignIn link={link} {...texts} />
        }
      }}
    </CheckedLink>
  )
}

type ApplyMode = 'verifyEmail' | 'verifyAndChangeEmail' | 'recoverEmail'
type Words = {
  readonly question: (link: UsableLink) => ReactNode
  readonly buttonLabel: string
  readonly done: (link: UsableLink) => ReactNode
}

const WORDS: Record<ApplyMode, Words> = {
  verifyEmail: {
    question: ({ email }) => (
      <>
        Someone signed up here with <strong>{email}</strong>. Confirm it only if that was you.
      </>
    ),
    buttonLabel: 'Confirm this email',
    done: ({ email }) => `${email} is confirmed.`,
  },
  verifyAndChangeEmail: {
    question: ({ email, replacedEmail }) => (
      <>
        You log in with {replacedEmail} now. Once you confirm, you log in with <strong>{email}</strong> and
        the same password.
      </>
    ),
    buttonLabel: 'Confirm this email',
    done: ({ email }) => `From now on, log in with ${email} and the same password.`,
  },
  recoverEmail: {
    question: ({ email, replacedEmail }) => (
      <>
        {replacedEmail === ''
          ? 'The email you log in with was changed'
          : `You now log in with ${replacedEmail}`}
        . If that wasn't you, restore <strong>{email}</strong>.
      </>
    ),
    buttonLabel: 'Restore this email',
    done: ({ email }) => `You log in with ${email} again.`,
  },
}

type ApplyLinkProps = {
  mode: ApplyMode
  code: string
  link: UsableLink
  title: string
  newLinkHelp: ReactNode
}

/** Applies a link on a button press, not on opening the page: mail scanners open links. */
function ApplyLink({ mode, code, link, title, newLinkHelp }: ApplyLinkProps) {
  const { outcome, run } = useOutcome()
  const [busy, setBusy] = useState(false)
  const words = WORDS[mode]
  const apply = async () => {
    setBusy(true)
    await run(({ followLink }) => followLink(code))
    setBusy(false)
  }

  if (outcome?.kind === 'done')
    return (
      <LinkPage title={title}>
        <Done>{words.done(link)}</Done>
        {mode === 'recoverEmail' && <PasswordResetOffer email={link.email} />}
      </LinkPage>
    )
  return (
    <UsableLinkPage title={title} newLinkHelp={newLinkHelp} outcome={outcome}>
      {outcome !== null && <InlineAlert>{outcome.message}</InlineAlert>}
      <p>{words.question(link)}</p>
      <OtherUserNote link={link}>You stay logged in.</OtherUserNote>
      <Button loading={busy} onClick={() => void apply()}>
        {words.buttonLabel}
      </Button>
    </UsableLinkPage>
  )
}

/** Offers a password reset, because the person who changed the email may know the password. */
function PasswordResetOffer({ email }: { email: string }) {
  const { outcome, run } = useOutcome()
  const [busy, setBusy] = useState(false)
  const ask = async () => {
    setBusy(true)
    await run(({ requestPasswordEmail }) => requestPasswordEmail(email))
    setBusy(false)
  }
  if (outcome?.kind === 'done') return <output>Open the link we sent to {email}.</output>
  return (
    <>
      {outcome !== null && <InlineAlert>{outcome.message}</InlineAlert>}
      <p>Someone else may know your password. Set a new one.</p>
      <Button loading={busy} onClick={() => void ask()}>
        Send link to set a new password
      </Button>
    </>
  )
}

type EmailSignInProps = { link: UsableLink; title: string; newLinkHelp: ReactNode }

/** Logs in by link. It asks for the email, so that a person who finds the link does not learn it. */
function EmailSignIn({ link, title, newLinkHelp }: EmailSignInProps) {
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

const check = schemaResolver(z.object({ password: Password }), { sync: true })

type ResetPasswordProps = { code: string; link: UsableLink; title: string; newLinkHelp: ReactNode }

function ResetPassword({ code, link: { email }, title, newLinkHelp }: ResetPasswordProps) {
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
          <Text c="dimmed" size="xs">
            For {email}
          </Text>
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
