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
const CRASHED =
  "This page stopped working. Nothing you sent is lost. Reload the page. If that doesn't help, send the details below to the person who runs this server."
const NOT_LOADED =
  "Couldn't load this page. Reelay was updated since you opened it, or the server can't be reached. Reload the page."

/** The error page for a crash outside the dashboard's frame. */
export function ErrorScreen() {
  const error = useRouteError()
  const report = inFront(TITLE, <Report error={error} inCard />)
  if (!isNotLoaded(error)) return report
  return <NotLoaded open={reload} frame={inFront} gone={report} inCard />
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

/** A dashboard screen whose code is loaded on first use, and again after a failed load. */
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

/** Load errors of code and styles: after an update, the old build's files no longer exist. */
const notLoaded = new WeakSet<Error>()
addEventListener('vite:preloadError', ({ payload }) => notLoaded.add(payload))
const isNotLoaded = (error: unknown): boolean => error instanceof Error && notLoaded.has(error)
