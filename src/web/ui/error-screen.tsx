import { Button } from '@mantine/core'
import { useRouteError } from 'react-router'
import { EmptyState } from './empty-state.tsx'
import { messageOf } from './message-of.ts'
import { usePageTitle } from './page-title.ts'

/** What is left of a screen that broke: it says so, and leads back. */
export function ErrorScreen() {
  usePageTitle('Something went wrong')
  const error = useRouteError()
  return (
    <main style={{ padding: '2rem 1rem' }}>
      <div role="alert">
        <EmptyState
          drawing="nothing"
          text="This page stopped working. Nothing that was sent is lost: load the page again."
          action={
            <>
              <Button onClick={() => location.reload()}>Load again</Button>
              <a href="/dashboard/overview">Go to the overview</a>
              <details>
                <summary>Details</summary>
                <code>{messageOf(error, 'No details are known.')}</code>
              </details>
            </>
          }
        />
      </div>
    </main>
  )
}
