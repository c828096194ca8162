import { useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { PATHS } from '#web/paths.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { Card } from '#web/ui/card.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { GoingLive } from './going-live.tsx'
import classes from './help.module.css'
import { States } from './states.tsx'
import { WhatPlatformsTake } from './what-platforms-take.tsx'

export function HelpScreen() {
  const { hash } = useLocation()
  useEffect(() => {
    // The browser looks for the place before the page is there.
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash])
  return (
    <>
      <PageHeader title="Help" />
      <div className={classes.page}>
        <nav aria-label="On this page" className={classes.contents}>
          <ul>
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div className={classes.sections}>
          {SECTIONS.map(({ id, title, content }) => (
            <section key={id} aria-labelledby={id}>
              <Card className={classes.section ?? ''}>
                <h2 id={id} className={classes.title}>
                  {title}
                </h2>
                {content}
              </Card>
            </section>
          ))}
        </div>
      </div>
    </>
  )
}

const SECTIONS: readonly { id: string; title: string; content: ReactNode }[] = [
  {
    id: 'first-steps',
    title: 'First steps',
    content: (
      <ol>
        <li>
          Create a brand on <Link to={PATHS.brands}>Brands</Link>. A brand holds the accounts that belong
          together.
        </li>
        <li>
          Link its accounts on <Link to={PATHS.accounts}>Accounts</Link>.
        </li>
        <li>
          Choose a video on <Link to={PATHS.upload}>Upload</Link>, and publish it to an account.
        </li>
        <li>
          Watch it on <Link to={PATHS.queue}>Queue</Link>: what became of it, why, and what you can do.
        </li>
      </ol>
    ),
  },
  {
    id: 'linking',
    title: 'Linking an account',
    content: (
      <>
        <p>
          Add Account leads to the platform. There you choose the account and allow Reelay to post; then you
          come back. Your password stays at the platform. Leave every permission ticked: without the one to
          post, the account shows as “May not post”.
        </p>
        <p>
          A platform can end the permission, for example after a change of password. Posts to that account are
          then held, not lost: they go out once you have linked it again.
        </p>
        {PLATFORM_IDS.map((platform) => {
          const { linking } = PLATFORM_HELP[platform]
          return linking !== null && <p key={platform}>{linking}</p>
        })}
      </>
    ),
  },
  { id: 'what-platforms-take', title: 'What each platform takes', content: <WhatPlatformsTake /> },
  { id: 'states', title: 'What the states mean', content: <States /> },
  { id: 'going-live', title: 'Going live', content: <GoingLive /> },
]
