import type { ComponentType } from 'react'
import { createBrowserRouter, redirect, type RouteObject } from 'react-router'
import { ACTION_PATH, callbackPath, DASHBOARD_PATH } from '#contract/http/addresses.ts'
import { PATHS } from '#web/lib/paths.ts'
import { ErrorInDashboard, ErrorScreen, lazyScreen } from '#web/components/page/error-screen.tsx'

/** A dashboard screen. Its loader only starts loading the code, in parallel with the frame; errors show in its place. */
function screen(path: string, load: () => Promise<ComponentType>): RouteObject {
  return {
    path,
    Component: lazyScreen(load),
    loader: () => {
      load().catch(() => undefined)
      return null
    },
  }
}

const dashboard: RouteObject[] = [
  { index: true, loader: () => redirect(PATHS.overview) },
  screen(PATHS.overview, async () => {
    import('#web/screens/overview/overview-sections.tsx').catch(() => undefined) // the screen shows the error
    return (await import('#web/screens/overview/overview-screen.tsx')).OverviewScreen
  }),
  screen(PATHS.brands, async () => (await import('#web/screens/brands/brands-screen.tsx')).BrandsScreen),
  screen(PATHS.compose, async () => {
    import('#web/screens/compose/composer.tsx').catch(() => undefined) // the screen shows the error
    return (await import('#web/screens/compose/compose-screen.tsx')).ComposeScreen
  }),
  screen(
    PATHS.calendar,
    async () => (await import('#web/screens/calendar/calendar-screen.tsx')).CalendarScreen,
  ),
  screen(PATHS.queue, async () => (await import('#web/screens/queue/queue-screen.tsx')).QueueScreen),
  screen(PATHS.import, async () => (await import('#web/screens/import/import-screen.tsx')).ImportScreen),
  screen(PATHS.post, async () => (await import('#web/screens/post/post-screen.tsx')).PostScreen),
  screen(PATHS.library, async () => (await import('#web/screens/library/library-screen.tsx')).LibraryScreen),
  screen(
    PATHS.accounts,
    async () => (await import('#web/screens/accounts/accounts-screen.tsx')).AccountsScreen,
  ),
  screen(PATHS.upload, async () => (await import('#web/screens/upload/upload-screen.tsx')).UploadScreen),
  screen(
    PATHS.settings,
    async () => (await import('#web/screens/settings/settings-screen.tsx')).SettingsScreen,
  ),
  screen(PATHS.help, async () => (await import('#web/screens/help/help-screen.tsx')).HelpScreen),
  screen(
    callbackPath(':platform'),
    async () => (await import('#web/screens/link-callback/link-callback-screen.tsx')).LinkCallbackScreen,
  ),
  screen('*', async () => (await import('#web/screens/not-found/not-found-screen.tsx')).NotFoundInDashboard),
]

/** Creates the routes anew, because a router mutates its `lazy` objects. */
const makeRoutes = (): RouteObject[] => [
  {
    path: PATHS.login,
    lazy: { Component: async () => (await import('#web/screens/login/login-screen.tsx')).LoginScreen },
  },
  {
    path: PATHS.signUp,
    lazy: { Component: async () => (await import('#web/screens/sign-up/sign-up-screen.tsx')).SignUpScreen },
  },
  {
    path: PATHS.forgotPassword,
    lazy: {
      Component: async () =>
        (await import('#web/screens/forgot-password/forgot-password-screen.tsx')).ForgotPasswordScreen,
    },
  },
  {
    path: ACTION_PATH,
    lazy: { Component: async () => (await import('#web/screens/action/action-screen.tsx')).ActionScreen },
  },
  {
    path: DASHBOARD_PATH,
    lazy: {
      Component: async () => (await import('#web/screens/dashboard/dashboard-layout.tsx')).DashboardLayout,
    },
    // A crash of one screen leaves the sidebar in place.
    children: [{ ErrorBoundary: ErrorInDashboard, children: dashboard }],
  },
  {
    path: '*',
    lazy: {
      Component: async () => (await import('#web/screens/not-found/not-found-screen.tsx')).NotFoundScreen,
    },
  },
]

export const makeRouter = () =>
  createBrowserRouter([{ ErrorBoundary: ErrorScreen, HydrateFallback: () => null, children: makeRoutes() }])
