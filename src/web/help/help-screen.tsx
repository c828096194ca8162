import { Stack } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { Card } from '#web/ui/card.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { Failures } from './failures.tsx'
import { FirstSteps, Linking } from './first-steps.tsx'
import { GoingLive } from './going-live.tsx'
import classes from './help.module.css'
import { MailAndPasswords, OutOfReach, Practice } from './troubleshooting.tsx'
import { States } from './states.tsx'
import { WhatPlatformsTake } from './what-platforms-take.tsx'

export function HelpScreen() {
  const location = useLocation()
  useEffect(() => {
    // The browser resolves the hash before the page renders. `Failures` handles its own anchors.
    const place = placeOf(location)
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

function placeOf({ hash }: { hash: string }): HTMLElement | null {
  const section = SECTIONS.find(({ id }) => `#${id}` === hash)
  return section === undefined ? null : document.getElementById(section.id)
}
