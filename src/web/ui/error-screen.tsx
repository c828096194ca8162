import { Button } from '@mantine/core'
import { useRouteError } from 'react-router'
import { PATHS } from '#web/paths.ts'
import { EmptyState } from './empty-state.tsx'
import { FrontPage } from './front-page.tsx'
import { messageOf } from './message-of.ts'
import { PageHeader } from './page-header.tsx'

const TITLE = 'Something went wrong'
const BROKE =
  'This page stopped working. What was sent is not lost. Load the page again; if that does not help, tell whoever runs this server what stands under Details.'
const DID_NOT_COME =
  'This page did not come. Reelay was renewed on the server since you opened it, or the server cannot be reached. Load the page again.'

/** What is left of the product when its frame broke: it says so, and leads back. */
export function ErrorScreen() {
  return (
    <FrontPage title={TITLE}>
      <Report inCard />
    </FrontPage>
  )
}

/** The same where one screen of the dashboard broke, and the sidebar stands. */
export function ErrorInDashboard() {
  return (
    <>
      <PageHeader title={TITLE} />
      <Report />
    </>
  )
}

function Report({ inCard = false }: { inCard?: boolean }) {
  const error = useRouteError()
  return (
    <div role="alert">
      <EmptyState
        inCard={inCard}
        drawing="nothing"
        text={isNotLoaded(error) ? DID_NOT_COME : BROKE}
        action={
          <>
            <Button onClick={() => location.reload()}>Load again</Button>
            {/* Not a link of the router's, whose code may be what broke. */}
            <a href={PATHS.overview}>Go to the overview</a>
            <details>
              <summary>Details</summary>
              <code>{messageOf(error, 'Nothing more is known.')}</code>
            </details>
          </>
        }
      />
    </div>
  )
}

/** Code and styles that could not be fetched: after an update on the server, those of the old build are gone. */
const notLoaded = new WeakSet<Error>()
addEventListener('vite:preloadError', ({ payload }) => notLoaded.add(payload))
const isNotLoaded = (error: unknown): boolean => error instanceof Error && notLoaded.has(error)
