import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import classes from './action.module.css'
import { Done, LinkPage, OtherUserNote, UsableLinkPage, useOutcome } from './link-page.tsx'
import type { UsableLink } from './action-links.ts'

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

type Props = { mode: ApplyMode; code: string; link: UsableLink; title: string; newLinkHelp: ReactNode }

/** Applies a link on a button press, not on opening the page: mail scanners open links. */
export function ApplyLink({ mode, code, link, title, newLinkHelp }: Props) {
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
      <p className={classes.text}>{words.question(link)}</p>
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
  if (outcome?.kind === 'done')
    return <output className={classes.text}>Open the link we sent to {email}.</output>
  return (
    <>
      {outcome !== null && <InlineAlert>{outcome.message}</InlineAlert>}
      <p className={classes.text}>Someone else may know your password. Set a new one.</p>
      <Button loading={busy} onClick={() => void ask()}>
        Send link to set a new password
      </Button>
    </>
  )
}
