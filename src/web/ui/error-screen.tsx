import { Button } from '@mantine/core'
import { useRouteError } from 'react-router'
import { PATHS } from '#web/paths.ts'
import { EmptyState } from './empty-state.tsx'
import { FrontPage } from './front-page.tsx'
import { messageOf } from './message-of.ts'
import { PageHeader } from './page-header.tsx'

const TITLE = 'Something went wrong'

/** What is left of the product when its frame broke: it says so, and leads back. */
export function ErrorScreen() {
  return (
    <FrontPage title={TITLE}>
      <Report />
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

function Report() {
  const error = useRouteError()
  return (
    <div role="alert">
      <EmptyState
        drawing="nothing"
        text="This page stopped working. What was sent is not lost. Load the page again; if that does not help, tell whoever runs this server what stands under Details."
        action={
          <>
            <Button onClick={() => location.reload()}>Load again</Button>
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
