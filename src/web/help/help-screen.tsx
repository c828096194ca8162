import { Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { DELIVERY_STATES, type DeliveryStatus } from '#contract/deliveries.ts'
import { PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { Card } from '#web/ui/card.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { Status } from '#web/ui/status.tsx'
import { Failures } from './failures.tsx'
import { GoingLive } from './going-live.tsx'
import classes from './help.module.css'
import { LIMITS } from './limits.ts'
import { MailAndPasswords, OutOfReach, Practice } from './troubleshooting.tsx'

export function HelpScreen() {
  const location = useLocation()
  useEffect(() => {
    // The browser resolves the hash before the page renders. `Failures` handles its own anchors.
    const place = findSection(location)
    place?.scrollIntoView()
    place?.focus({ preventScroll: true })
    // Depends on the whole location, because the same hash may be followed twice.
  }, [location])
  return (
    <>
      <PageHeader title="Help" />
      <div className={classes.page}>
        <nav aria-label="On this page" className={classes.contents}>
          <ul>
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <Link to={{ hash: id }}>{title}</Link>
              </li>
            ))}
          </ul>
        </nav>
        <Stack>
          {SECTIONS.map(({ id, title, content }) => (
            <section key={id} aria-labelledby={id}>
              <Card className={classes.section ?? ''}>
                <h2 id={id} className={classes.title} tabIndex={-1}>
                  {title}
                </h2>
                {content}
              </Card>
            </section>
          ))}
        </Stack>
      </div>
    </>
  )
}

const SECTIONS: readonly { id: string; title: string; content: ReactNode }[] = [
  { id: 'first-steps', title: 'First steps', content: <FirstSteps /> },
  { id: 'linking', title: 'Linking an account', content: <Linking /> },
  { id: 'what-platforms-take', title: 'What each platform accepts', content: <WhatPlatformsTake /> },
  {
    id: 'states',
    title: 'What each status means',
    content: (
      <>
        <States />
        <p>
          You can delete a post from the queue, except while it is publishing or unconfirmed: deleting it here
          wouldn't stop it. Anything scheduled is cancelled with it. Anything live stays on its platform.
        </p>
      </>
    ),
  },
  {
    id: 'failures',
    title: 'What each failure means',
    content: (
      <>
        <p>
          The status tells you what is certain. With Failed and Held, nothing is live. With Unconfirmed, the
          post may be live, so Reelay won't send it twice.
        </p>
        <Failures />
      </>
    ),
  },
  { id: 'mail', title: 'Email and passwords', content: <MailAndPasswords /> },
  { id: 'out-of-reach', title: "When the server can't be reached", content: <OutOfReach /> },
  { id: 'practice', title: 'Practice platforms', content: <Practice /> },
  { id: 'going-live', title: 'Running this server', content: <GoingLive /> },
]

function findSection({ hash }: { hash: string }): HTMLElement | null {
  const section = SECTIONS.find(({ id }) => `#${id}` === hash)
  return section === undefined ? null : document.getElementById(section.id)
}

function FirstSteps() {
  return (
    <ol>
      <li>
        Create a brand on <Link to={PATHS.brands}>{LABELS.brands}</Link>. A brand groups the accounts that
        belong together.
      </li>
      <li>
        Link its accounts on <Link to={PATHS.accounts}>{LABELS.accounts}</Link>.
      </li>
      <li>
        Start a <Link to={PATHS.compose}>new post</Link>: choose a video, write the caption, select the
        accounts, and publish it now or at a time. Reelay tells you what a platform would refuse before it
        sends anything. What you leave unfinished is kept in <Link to={PATHS.drafts}>{LABELS.drafts}</Link>.
      </li>
      <li>
        Follow it on <Link to={PATHS.queue}>{LABELS.queue}</Link>: its status, the reason, and what you can
        do. You can close the page; the server keeps working.
      </li>
    </ol>
  )
}

function Linking() {
  return (
    <>
      <p>
        {LABELS.addAccount} takes you to the platform. Choose the account there and allow Reelay to post; then
        you come back. Reelay never sees your password for the platform. Leave every permission ticked:
        without the one for posting, the account shows as “Can't post”.
      </p>
      <p>
        A platform can end the permission, for example after you change your password. Posts to that account
        are held, not lost: they go out once you link it again.
      </p>
      <p>
        An account belongs to one brand. To move it, unlink it and link it again under the other brand.
        Published posts stay online.
      </p>
      {PLATFORM_IDS.map((platform) => {
        const { linking } = PLATFORM_HELP[platform]
        return linking !== null && <p key={platform}>{linking}</p>
      })}
    </>
  )
}

/** Built from the limits that the video check enforces. On a phone each row is a card. */
function WhatPlatformsTake() {
  return (
    <>
      <table className={classes.table} aria-label="What each platform accepts">
        <thead>
          <tr>
            <th scope="col">Video</th>
            {PLATFORM_IDS.map((platform) => (
              <th key={platform} scope="col">
                <PlatformName platform={platform} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {PLATFORM_IDS.map((platform) => (
                <td key={platform} data-platform={PLATFORM_NAMES[platform]}>
                  {of(platform)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {PLATFORM_IDS.map((platform) => {
        const { note } = PLATFORM_HELP[platform]
        return note !== null && <p key={platform}>{note}</p>
      })}
      <p>
        Upright video, 1080 × 1920, fills the screen everywhere. Reelay checks every video against these
        limits before it sends anything.
      </p>
    </>
  )
}

const ROWS: readonly { name: string; of: (platform: PlatformId) => string }[] = [
  ...LIMITS.map(({ name, of }) => ({ name, of: (platform: PlatformId) => of(PLATFORM_LIMITS[platform]) })),
  { name: 'Accounts', of: (platform) => PLATFORM_HELP[platform].accounts },
  { name: 'Posts a day', of: (platform) => PLATFORM_HELP[platform].perDay },
]

function States() {
  return (
    <dl className={classes.states}>
      {DELIVERY_STATES.map((status) => (
        <div key={status}>
          <dt>
            <Status status={status} />
          </dt>
          <dd>{MEANINGS[status]}</dd>
        </div>
      ))}
    </dl>
  )
}

const MEANINGS: Record<DeliveryStatus, string> = {
  scheduled:
    'Waiting for its time, or for other posts to go out first. Nothing has been sent yet. You can cancel it.',
  preparing:
    'The video is uploading to the platform. If the connection drops, the upload continues where it stopped. You can still cancel it.',
  committing: "Reelay is telling the platform to publish, once. You can't undo this.",
  processing:
    "The platform is processing the video, usually for a minute or two. There's nothing to do here.",
  published: "It's live. “Open on …” appears as soon as the platform gives us the link.",
  in_inbox:
    "It's a draft in the inbox of the account, not posted. Open the notification in the platform's app to finish the post. Once the platform tells us that it was posted, it becomes Published.",
  failed:
    "The platform refused it, or it couldn't be sent. It isn't live. The reason and what helps are shown below it; Retry sends it again.",
  blocked:
    "On hold, and not live: link the account again, wait because it reached its daily limit, or resume what you paused. It goes out once that's settled. One that was missed, or that is held after a restore of the server, goes out only if you say so; after a restore look at the account first.",
  unconfirmed:
    "The platform didn't answer when the post was published, so it may be live. Reelay keeps checking and never sends it twice. If you see it on the platform, press “It's live”. If you're sure it isn't there, press “It's not live: post again”.",
  cancelled: 'You cancelled it before it went out.',
}
