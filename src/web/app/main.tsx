import '#web/ui/base-styles.ts'
import { MantineProvider } from '@mantine/core'
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { ALWAYS_DARK } from '#web/lib/paths.ts'
import { makeRouter } from './routes.tsx'
import { startSession, wasSignedIn } from '#web/session/session.ts'
import { storedColorScheme } from '#web/ui/color-scheme.ts'
import { theme } from '#web/ui/theme.ts'

// Without this, Zod tests `eval`, which the browser reports as a CSP violation.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

// Opened beside the code of the page; for other visitors, the first screen that uses the session opens it.
if (wasSignedIn()) startSession()
// Nothing is filled in before the first paint.
void import('#web/lib/filled-fields.ts').then(({ noticeFilledFields }) => noticeFilledFields())
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

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
