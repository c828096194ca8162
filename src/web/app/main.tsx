import { MantineProvider } from '@mantine/core'
import { startTransition, StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { ALWAYS_DARK } from '#web/lib/paths.ts'
import { makeRouter } from './routes.tsx'
import { startSession, wasSignedIn } from '#web/session/session.ts'
import { storedColorScheme } from '#web/components/theme/color-scheme.ts'
import { theme } from '#web/components/theme/theme.ts'
// Every page may have to say trouble: with the first file it costs no request of its own.
import '#web/components/feedback/trouble.tsx'

// Zod would try whether it may write code at run time. It may not: the browser would report a breach of our policy.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

// Otherwise the first screen that asks starts it, once it is painted.
if (wasSignedIn()) startSession()
const router = makeRouter()
const colorScheme = storedColorScheme()

const onNavigation = (changed: () => void) => router.subscribe(changed)

function App() {
  const path = useSyncExternalStore(onNavigation, () => router.state.location.pathname)
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      {...(ALWAYS_DARK.includes(path) && { forceColorScheme: 'dark' })}
    >
      <RouterProvider router={router} />
    </MantineProvider>
  )
}

/** Until its first screen has come, the document shows its shell. */
function whenReady(then: () => void): void {
  if (router.state.initialized) return then()
  const stop = router.subscribe(({ initialized }) => {
    if (!initialized) return
    stop()
    then()
  })
}

const root = document.getElementById('root')
if (root)
  whenReady(() =>
    // In small steps, so that who types or taps meanwhile is heard.
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  )
