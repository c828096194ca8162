import { Button } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { useRouteError } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { CenteredMessage } from './centered-message.tsx'
import { FrontPage } from './front-page.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { lazyWith, type StandIn } from './lazy-part.tsx'
import { isNotLoaded, PageNotLoaded } from './not-loaded.tsx'
import { PageHeader } from './page-header.tsx'

const TITLE = 'Something went wrong'
const CRASHED =
  "This page stopped working. Nothing you sent is lost. Reload the page. If that doesn't help, send the details below to the person who runs this server."
const NOT_LOADED =
  "Couldn't load this page. Reelay was updated since you opened it, or the server can't be reached. Reload the page."

/** The error page for a crash outside the dashboard's frame. */
export function ErrorScreen() {
  const error = useRouteError()
  const report = inFront(TITLE, <Report error={error} inCard />)
  if (!isNotLoaded(error)) return report
  return <PageNotLoaded open={reload} frame={inFront} gone={report} inFront />
}
const inFront = (title: string, content: ReactNode) => <FrontPage title={title}>{content}</FrontPage>
const reload = async () => location.reload()

/** The error page for a crash inside the dashboard; the sidebar stays. */
export function ErrorInDashboard() {
  return inDashboard(TITLE, <Report error={useRouteError()} />)
}
const inDashboard = (title: string, content: ReactNode) => (
  <>
    <PageHeader title={title} />
    {content}
  </>
)

/** A dashboard screen, with its title: one that cannot be loaded says so as a page. */
export const lazyScreen = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => lazyWith<Props>(async () => ({ default: await load() }), ScreenNotLoaded)

const ScreenNotLoaded: StandIn<object> = ({ open, error }) => (
  <PageNotLoaded open={open} frame={inDashboard} gone={inDashboard(TITLE, <Report error={error} />)} />
)

function Report({ error, inCard = false }: { error: unknown; inCard?: boolean }) {
  return (
    <div role="alert">
      <CenteredMessage
        inCard={inCard}
        text={isNotLoaded(error) ? NOT_LOADED : CRASHED}
        action={
          <>
            <Button onClick={() => location.reload()}>Reload page</Button>
            {/* A plain link: the router itself may have crashed. */}
            <a href={PATHS.overview}>Go to the overview</a>
            <details>
              <summary>Details</summary>
              <code>{messageOf(error, 'No details available.')}</code>
            </details>
          </>
        }
      />
    </div>
  )
}
