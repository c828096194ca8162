import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Help } from '#contract/help.ts'
import { PASSWORD_MIN_CHARS } from '#contract/limits.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { helpQuery, settingsQuery } from '#web/api/queries.ts'
import classes from './help.module.css'

export function MailAndPasswords() {
  const { data: help } = useQuery(helpQuery)
  const { data: settings } = useQuery(settingsQuery)
  const mailbox = settings?.practice_url == null ? null : `${settings.practice_url}/mailbox`
  return (
    <>
      <p>
        Change your password in <Link to={PATHS.settings}>{LABELS.settings}</Link>. If you've forgotten it,
        log out and use <Link to={PATHS.forgotPassword}>{LABELS.forgotPassword}</Link>: we'll email you a link
        to choose a new one, with {PASSWORD_MIN_CHARS} characters or more. The link works once, for a short
        time. “{TEXTS.resetSent}” appears for every email, so that nobody can find out who has an account.
      </p>
      {help && <p>{MAIL[help.mail]}</p>}
      {help?.mail === 'kept' && mailbox !== null && (
        <p>
          This server's mailbox is at <a href={mailbox}>{mailbox}</a>.
        </p>
      )}
      <p>
        Reelay never asks for your platform passwords. If a platform ends its permission because you changed
        one, link the account again.
      </p>
    </>
  )
}

const MAIL: Record<Help['mail'], string> = {
  sent: 'No email after a few minutes? Check your spam folder and the address, then contact the person who runs this server.',
  kept: "This server can't send email yet. Emails wait in its mailbox, where the person who runs it can read them and pass the link on.",
  hosted:
    'The email comes from Firebase, which handles logins for this server. No email after a few minutes? Check your spam folder, then contact the person who runs this server.',
}

/** The browser's error texts and what they mean. */
export function OutOfReach() {
  return (
    <>
      <p>Nothing is lost: the server keeps working on your posts.</p>
      <dl className={classes.states}>
        {OUT_OF_REACH.map(({ says, means }) => (
          <div key={says}>
            <dt>{says}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p>
        After an interrupted upload, check <Link to={PATHS.queue}>{LABELS.queue}</Link> before you send the
        video again: it may have arrived.
      </p>
    </>
  )
}

const OUT_OF_REACH: readonly { says: string; means: string }[] = [
  {
    says: 'Network Error',
    means:
      'The server is not answering. Check your connection, then press Try again. If other websites load, the server is down: contact the person who runs it.',
  },
  {
    says: 'Request aborted',
    means: 'The page stopped it, for example because you cancelled or left. Do it again if you want to.',
  },
  {
    says: 'timeout exceeded',
    means:
      'The server took too long to answer, so it may or may not have done what you asked. Reload the page and check.',
  },
  {
    says: 'Request failed with status code 502',
    means:
      'The server is probably restarting. Wait a minute. If you see another code, send it to the person who runs the server.',
  },
  {
    says: 'Reconnecting…',
    means: 'This page lost its live updates. It reconnects and catches up automatically.',
  },
  {
    says: TEXTS.noToken,
    means: "You're no longer logged in. Log in again: everything you typed is still there.",
  },
]

export function Practice() {
  const { data: settings } = useQuery(settingsQuery)
  const practice = settings?.practice_url ?? null
  return (
    <>
      <p>
        Practice platforms let you try everything without posting for real. They have the same consent pages,
        limits and failures as the real platforms, but nobody outside this server sees what you post. Accounts
        linked there stay practice accounts and never post for real.
      </p>
      {practice === null ? (
        <p>They are off on this server.</p>
      ) : (
        <p>
          On this server they are at <a href={practice}>{practice}</a>, with all practice posts, a sample
          video and the mailbox.
        </p>
      )}
    </>
  )
}
