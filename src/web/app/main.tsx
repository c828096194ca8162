import { MantineProvider } from '@mantine/core'
import { startTransition, StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { ALWAYS_DARK } from '#web/lib/paths.ts'
import { makeRouter } from './routes.tsx'
import { startSession, wasSignedIn } from '#web/session/session.ts'
import { storedColorScheme } from '#web/components/theme/color-scheme.ts'
import { theme } from '#web/components/theme/theme.ts'
// In the first file, because every page may have to show an error.
import '#web/components/feedback/inline-alert.tsx'

// Without this, Zod tests `eval`, which the browser reports as a CSP violation.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

// For other visitors, the first screen that uses the session starts it after its first paint.
if (wasSignedIn()) startSession()
// Nothing is filled in before the first paint.
void import('#web/lib/dom/filled-fields.ts').then(({ noticeFilledFields }) => noticeFilledFields())
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

/** Waits for the first screen; until then the document shows its shell. */
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
    // A transition, so that input is handled meanwhile.
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  )
