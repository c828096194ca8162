import type { ComponentType } from 'react'
import { createBrowserRouter, redirect, type RouteObject } from 'react-router'
import { ACTION_PATH, callbackPath, CONSENT_SCREEN, DASHBOARD_PATH } from '#contract/http/addresses.ts'
import { PATHS } from '#web/lib/paths.ts'
import { ErrorInDashboard, ErrorScreen, lazyScreen } from '#web/ui/error-screen.tsx'

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
    import('#web/overview/overview-sections.tsx').catch(() => undefined) // the screen shows the error
    return (await import('#web/overview/overview-screen.tsx')).OverviewScreen
  }),
  screen(PATHS.brands, async () => (await import('#web/accounts/brands-screen.tsx')).BrandsScreen),
  screen(PATHS.compose, async () => {
    import('#web/composer/composer.tsx').catch(() => undefined) // the screen shows the error
    return (await import('#web/composer/compose-screen.tsx')).ComposeScreen
  }),
  screen(PATHS.calendar, async () => (await import('#web/planning/calendar-screen.tsx')).CalendarScreen),
  screen(PATHS.queue, async () => (await import('#web/posts/queue-screen.tsx')).QueueScreen),
  screen(PATHS.drafts, async () => (await import('#web/drafts/drafts-screen.tsx')).DraftsScreen),
  screen(PATHS.plan, async () => (await import('#web/drafts/plan-screen.tsx')).PlanScreen),
  screen(PATHS.import, async () => (await import('#web/planning/import-screen.tsx')).ImportScreen),
  screen(PATHS.post, async () => (await import('#web/posts/post-screen.tsx')).PostScreen),
  screen(PATHS.library, async () => (await import('#web/videos/library-screen.tsx')).LibraryScreen),
  screen(PATHS.results, async () => (await import('#web/results/results-screen.tsx')).ResultsScreen),
  screen(PATHS.accounts, async () => (await import('#web/accounts/accounts-screen.tsx')).AccountsScreen),
  screen(PATHS.upload, async () => (await import('#web/upload/upload-screen.tsx')).UploadScreen),
  screen(PATHS.report, async () => (await import('#web/reports/report-screen.tsx')).ReportScreen),
  screen(PATHS.settings, async () => (await import('#web/settings/settings-screen.tsx')).SettingsScreen),
  screen(PATHS.server, async () => (await import('#web/operator/server-screen.tsx')).ServerScreen),
  screen(PATHS.serverUsers, async () => (await import('#web/operator/users-screen.tsx')).UsersScreen),
  screen(PATHS.help, async () => (await import('#web/help/help-screen.tsx')).HelpScreen),
  screen(CONSENT_SCREEN, async () => (await import('#web/settings/settings-screen.tsx')).ConnectScreen),
  screen(
    callbackPath(':platform'),
    async () => (await import('#web/accounts/link-callback-screen.tsx')).LinkCallbackScreen,
  ),
  screen('*', async () => (await import('./not-found-screen.tsx')).NotFoundInDashboard),
]

/** Creates the routes anew, because a router mutates its `lazy` objects. */
const makeRoutes = (): RouteObject[] => [
  {
    path: PATHS.login,
    lazy: { Component: async () => (await import('#web/session/login-screen.tsx')).LoginScreen },
  },
  {
    path: PATHS.signUp,
    lazy: { Component: async () => (await import('#web/session/sign-up-screen.tsx')).SignUpScreen },
  },
  {
    path: PATHS.forgotPassword,
    lazy: {
      Component: async () => (await import('#web/session/forgot-password-screen.tsx')).ForgotPasswordScreen,
    },
  },
  {
    path: ACTION_PATH,
    lazy: { Component: async () => (await import('#web/session/action-screen.tsx')).ActionScreen },
  },
  {
    path: PATHS.sharedReport,
    lazy: {
      Component: async () => (await import('#web/reports/shared-report-screen.tsx')).SharedReportScreen,
    },
  },
  {
    path: DASHBOARD_PATH,
    lazy: {
      Component: async () => (await import('./dashboard-layout.tsx')).DashboardLayout,
    },
    // A crash of one screen leaves the sidebar in place.
    children: [{ ErrorBoundary: ErrorInDashboard, children: dashboard }],
  },
  {
    path: '*',
    lazy: {
      Component: async () => (await import('./not-found-screen.tsx')).NotFoundScreen,
    },
  },
]

export const makeRouter = () =>
  createBrowserRouter([{ ErrorBoundary: ErrorScreen, HydrateFallback: () => null, children: makeRoutes() }])
