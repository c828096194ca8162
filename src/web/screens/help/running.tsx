import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Help } from '#contract/help.ts'
import { PASSWORD_MIN_CHARS } from '#contract/limits.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { helpQuery, settingsQuery } from '#web/client/queries.ts'
import classes from './help.module.css'

export function MailAndPasswords() {
  const { data: help } = useQuery(helpQuery)
  const { data: settings } = useQuery(settingsQuery)
  const mailbox = settings?.practice_url == null ? null : `${settings.practice_url}/mailbox`
  return (
    <>
      <p>
        To change your password, or to replace one that you do not know any more, log out and use{' '}
        <Link to={PATHS.forgotPassword}>{LABELS.forgotPassword}</Link>. A mail brings a link to the page where
        you choose a new one, of {PASSWORD_MIN_CHARS} characters or more. The link works once, and not for
        long. “{TEXTS.resetSent}” is shown for any address, so that nobody can find out who has an account.
      </p>
      {help && <p>{MAIL[help.mail]}</p>}
      {help?.mail === 'kept' && mailbox !== null && (
        <p>
          The mailbox of this server is at <a href={mailbox}>{mailbox}</a>.
        </p>
      )}
      <p>
        Your passwords at the platforms are never asked for here. A platform may end its permission when you
        change one; then link the account again.
      </p>
    </>
  )
}

const MAIL: Record<Help['mail'], string> = {
  sent: 'No mail after some minutes: look among the spam, check the address, then ask who runs this server.',
  kept: 'This server has no way to send mail yet. What it would send waits in its mailbox, where who runs it can read it and pass the link on.',
  hosted:
    'The mail comes from Firebase, which keeps the passwords of this server. No mail after some minutes: look among the spam, then ask who runs this server.',
}

/** What the pages say then, in the words of the browser, and what that means. */
export function OutOfReach() {
  return (
    <>
      <p>Nothing is lost: posts that are under way are the server’s business, and it goes on with them.</p>
      <dl className={classes.states}>
        {OUT_OF_REACH.map(({ says, means }) => (
          <div key={says} className={classes.state}>
            <dt>{says}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p>
        After an upload that broke off, look on <Link to={PATHS.queue}>{LABELS.queue}</Link> before you send
        the video again: it may have arrived.
      </p>
    </>
  )
}

const OUT_OF_REACH: readonly { says: string; means: string }[] = [
  {
    says: 'Network Error',
    means:
      'Nothing answers. Check your own connection, then press Try again. If other pages load, the server is down: tell who runs it.',
  },
  {
    says: 'Request aborted',
    means: 'The page stopped it, as when you cancel or leave. Do it again if you want it.',
  },
  {
    says: 'timeout exceeded',
    means:
      'The server took too long to answer, so it is not known whether it did what you asked. Load the page again and look.',
  },
  {
    says: 'Request failed with status code 502',
    means:
      'Something in front of the server answers in its place, most often while it restarts. Wait a minute. Other codes: pass the code on to who runs the server.',
  },
  {
    says: 'Reconnecting …',
    means: 'Queue has lost the line on which news comes. It connects again by itself and catches up.',
  },
  {
    says: TEXTS.noToken,
    means: 'You are not logged in any more. Log in again; what you had typed is kept.',
  },
]

export function Practice() {
  const { data: settings } = useQuery(settingsQuery)
  const practice = settings?.practice_url ?? null
  return (
    <>
      <p>
        Practice platforms stand in for the real ones, on the machine of the server. They have consent pages,
        limits and failures as the real ones have, and are as strict; but what is posted there nobody outside
        can see. Accounts linked there are practice accounts, and stay so: they never post for real.
      </p>
      {practice === null ? (
        <p>
          They are off on this server. <code>PRACTICE=on</code> turns them on.
        </p>
      ) : (
        <p>
          On this server they are at <a href={practice}>{practice}</a>: all that was posted, playable, a
          sample video and the mailbox.
        </p>
      )}
    </>
  )
}
