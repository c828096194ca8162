import { Button } from '@mantine/core'
import { createContext, lazy, use, useCallback, useState, type ComponentType, type ReactNode } from 'react'
import { useRouteError } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { EmptyState } from '#web/components/feedback/empty-state.tsx'
import { FrontPage } from './front-page.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { NotLoaded } from './not-loaded.tsx'
import { PageHeader } from './page-header.tsx'

const TITLE = 'Something went wrong'
const BROKE =
  "This page stopped working. Nothing you sent is lost. Reload the page. If that doesn't help, send the details below to the person who runs this server."
const DID_NOT_COME =
  "Couldn't load this page. Reelay was updated since you opened it, or the server can't be reached. Reload the page."

/** What is left of the product when its frame broke: it says so, and leads back. */
export function ErrorScreen() {
  const error = useRouteError()
  const report = inFront(TITLE, <Report error={error} inCard />)
  if (!isNotLoaded(error)) return report
  return <NotLoaded open={reload} frame={inFront} gone={report} inCard />
}
const inFront = (title: string, content: ReactNode) => <FrontPage title={title}>{content}</FrontPage>
const reload = async () => location.reload()

/** The same where one screen of the dashboard broke, and the sidebar stands. */
export function ErrorInDashboard() {
  return inDashboard(TITLE, <Report error={useRouteError()} />)
}
const inDashboard = (title: string, content: ReactNode) => (
  <>
    <PageHeader title={title} />
    {content}
  </>
)

/** A screen of the dashboard, whose code is fetched when it is first opened, and again after that has failed. */
export function lazyScreen(load: () => Promise<ComponentType>): ComponentType {
  const make = () =>
    lazy(async () => ({
      default: await load().catch((error: unknown) => {
        if (!isNotLoaded(error)) throw error
        return () => <ScreenNotLoaded error={error} />
      }),
    }))
  let latest = make()
  return function LazyScreen() {
    const [Shown, show] = useState<ComponentType>(() => latest)
    const reopen = useCallback(async () => {
      await load()
      latest = make()
      show(() => latest)
    }, [])
    return (
      <Reopen value={reopen}>
        <Shown />
      </Reopen>
    )
  }
}

const Reopen = createContext<() => Promise<void>>(reload)

function ScreenNotLoaded({ error }: { error: unknown }) {
  const gone = inDashboard(TITLE, <Report error={error} />)
  return <NotLoaded open={use(Reopen)} frame={inDashboard} gone={gone} />
}

function Report({ error, inCard = false }: { error: unknown; inCard?: boolean }) {
  return (
    <div role="alert">
      <EmptyState
        inCard={inCard}
        drawing="nothing"
        text={isNotLoaded(error) ? DID_NOT_COME : BROKE}
        action={
          <>
            <Button onClick={() => location.reload()}>Reload page</Button>
            {/* Not a link of the router's, whose code may be what broke. */}
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

/** Code and styles that could not be fetched: after an update on the server, those of the old build are gone. */
const notLoaded = new WeakSet<Error>()
addEventListener('vite:preloadError', ({ payload }) => notLoaded.add(payload))
const isNotLoaded = (error: unknown): boolean => error instanceof Error && notLoaded.has(error)
