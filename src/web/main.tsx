import './ui/base-styles.ts'
import { MantineProvider } from '@mantine/core'
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { ALWAYS_DARK } from './paths.ts'
import { makeRouter } from './routes.tsx'
import { startSession, wasSignedIn } from './session.ts'
import { storedColorScheme } from './ui/color-scheme.ts'
import { theme } from './ui/theme.ts'

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

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
