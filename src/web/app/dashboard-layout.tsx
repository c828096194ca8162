import { Burger, Button, Group, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, ScrollRestoration, useLocation } from 'react-router'
import { queryClient } from '#web/api/queries.ts'
import { PATHS, type ReturnState } from '#web/lib/paths.ts'
import { startSession, useSession, wasSignedIn } from '#web/session/session.ts'
import { BELL_IN_SIDEBAR, BELL_IN_TOP_BAR, BellNotLoaded } from '#web/settings/bell-place.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { lazyDialog, lazyExtra, lazyWith } from '#web/ui/lazy-part.tsx'
import { Logo } from '#web/ui/logo.tsx'
import '#web/ui/more-styles.ts'
import { PAGE_ID, focusPage } from '#web/ui/page-region.ts'
import { Delayed, RowsSkeleton } from '#web/ui/skeletons.tsx'
import classes from './dashboard.module.css'
import { Sidebar } from './sidebar.tsx'

const menuDrawer = () => import('./menu-drawer.tsx')
const MenuDrawer = lazyDialog(menuDrawer)
const Notices = lazyExtra(() => import('#web/ui/notices.tsx'))
const NotificationBell = lazyWith(() => import('#web/settings/notification-bell.tsx'), BellNotLoaded)
const UploadDock = lazyExtra(() => import('#web/videos/upload-dock.tsx'))

/** Lists and grids use a wide window; forms and texts would only get longer lines. */
const WIDE: readonly string[] = [PATHS.calendar, PATHS.queue, PATHS.library, PATHS.results, PATHS.accounts]

/** The frame of every dashboard page. It renders no user data before login and redirects visitors to the login. */
export function DashboardLayout() {
  const session = useSession()
  const { pathname, search, hash } = useLocation()

  // A returning user sees the frame at once; the page waits for the session.
  if (session.status === 'starting' && !wasSignedIn()) return null
  if (session.status === 'unreachable' && !wasSignedIn())
    return (
      <main className={classes.starting}>
        <ServerUnreachable />
      </main>
    )
  if (session.status === 'out') {
    const state: ReturnState | null = RETURNS_HERE[session.why]
      ? { returnTo: pathname + search + hash }
      : null
    return <Navigate to={PATHS.login} state={state} replace />
  }
  return (
    <QueryClientProvider client={queryClient}>
      <Frame>
        {session.status === 'unreachable' ? (
          <ServerUnreachable />
        ) : session.status === 'in' ? (
          <Suspense fallback={<WaitingPage />}>
            {/* Remounts for another user. */}
            <Outlet key={session.uid} />
          </Suspense>
        ) : (
          <WaitingPage />
        )}
      </Frame>
    </QueryClientProvider>
  )
}

const ServerUnreachable = () => (
  <div role="alert">
    <CenteredMessage
      text="Can't reach the server. Check your connection, or wait a moment if it's just starting."
      action={<Button onClick={startSession}>Try again</Button>}
    />
  </div>
)

/** The next login returns to this page, unless the user has logged out. */
const RETURNS_HERE = {
  never: true,
  lost: true,
  left: false,
  'left everywhere': false,
  deleted: false,
  disabled: true,
} as const

/** The same breakpoint as in dashboard.module.css. */
const HAS_MENU = '(max-width: 56.24em)'

/** The skeleton of a page whose code is loading. */
const WaitingPage = () => (
  <>
    <Group h="2.25rem" mb="1.25rem" aria-hidden="true">
      <Delayed>
        <Skeleton height={20} width={128} />
      </Delayed>
    </Group>
    <RowsSkeleton />
  </>
)

function Frame({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState(false)
  const [opened, { open, close }] = useDisclosure(false, { onOpen: () => setAsked(true) })
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(refuseStrayDrops, [])
  useEffect(() => {
    // Preload the menu, so that it also opens offline; a load error shows when it is opened.
    if (matchMedia(HAS_MENU).matches) menuDrawer().catch(() => undefined)
  }, [])
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    // The browser's own Back closes the menu, too.
    close()
    // Screen readers start at the top of the new page.
    focusPage()
  }, [pathname, close])

  return (
    <div className={classes.frame}>
      <a className={classes.skip} href={`#${PAGE_ID}`}>
        Skip to content
      </a>
      <div className={classes.top}>
        <nav className={classes.topBar} aria-label="Top bar">
          <Logo />
          <span id={BELL_IN_TOP_BAR} className={classes.topBell} />
          <Burger size="sm" onClick={open} aria-label="Open the menu" aria-expanded={opened} />
        </nav>
      </div>
      <div className={classes.sidebar}>
        <Sidebar bell={<span id={BELL_IN_SIDEBAR} className={classes.bell} />} />
      </div>
      <Suspense>{asked && <MenuDrawer opened={opened} onClose={close} />}</Suspense>
      <main
        className={classes.page}
        id={PAGE_ID}
        tabIndex={-1}
        data-wide={WIDE.includes(pathname) || undefined}
      >
        {children}
      </main>
      <Suspense>
        <UploadDock />
        <Notices />
        <NotificationBell />
      </Suspense>
      <ScrollRestoration />
    </div>
  )
}

/** Refuses files dropped outside a field: the browser would open them in place of the page. @returns the undo function */
function refuseStrayDrops(): () => void {
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
  return () => {
    window.removeEventListener('dragover', refuse)
    window.removeEventListener('drop', refuse)
  }
}

function refuse(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}
