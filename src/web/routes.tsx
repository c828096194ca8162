import { createBrowserRouter, redirect, type RouteObject } from 'react-router'
import { PATHS } from './paths.ts'
import { ErrorInDashboard, ErrorScreen } from './ui/error-screen.tsx'

const dashboard: RouteObject[] = [
  { index: true, loader: () => redirect(PATHS.overview) },
  {
    path: 'overview',
    lazy: { Component: async () => (await import('./screens/overview/overview-screen.tsx')).OverviewScreen },
  },
  {
    path: 'brands',
    lazy: { Component: async () => (await import('./screens/brands/brands-screen.tsx')).BrandsScreen },
  },
  {
    path: 'queue',
    lazy: { Component: async () => (await import('./screens/queue/queue-screen.tsx')).QueueScreen },
  },
  {
    path: 'accounts',
    lazy: { Component: async () => (await import('./screens/accounts/accounts-screen.tsx')).AccountsScreen },
  },
  {
    path: 'upload',
    lazy: { Component: async () => (await import('./screens/upload/upload-screen.tsx')).UploadScreen },
  },
  {
    path: 'settings',
    lazy: { Component: async () => (await import('./screens/settings/settings-screen.tsx')).SettingsScreen },
  },
  {
    path: 'help',
    lazy: { Component: async () => (await import('./screens/help/help-screen.tsx')).HelpScreen },
  },
  {
    path: 'oauth/:platform/callback',
    lazy: {
      Component: async () =>
        (await import('./screens/link-callback/link-callback-screen.tsx')).LinkCallbackScreen,
    },
  },
  {
    path: '*',
    lazy: {
      Component: async () => (await import('./screens/not-found/not-found-screen.tsx')).NotFoundInDashboard,
    },
  },
]

const routes: RouteObject[] = [
  {
    path: PATHS.login,
    lazy: { Component: async () => (await import('./screens/login/login-screen.tsx')).LoginScreen },
  },
  {
    path: PATHS.signUp,
    lazy: { Component: async () => (await import('./screens/sign-up/sign-up-screen.tsx')).SignUpScreen },
  },
  {
    path: PATHS.forgotPassword,
    lazy: {
      Component: async () =>
        (await import('./screens/forgot-password/forgot-password-screen.tsx')).ForgotPasswordScreen,
    },
  },
  {
    path: '/__/auth/action',
    lazy: { Component: async () => (await import('./screens/action/action-screen.tsx')).ActionScreen },
  },
  {
    path: '/dashboard',
    lazy: {
      Component: async () => (await import('./screens/dashboard/dashboard-layout.tsx')).DashboardLayout,
    },
    // A fault of one screen leaves the sidebar standing.
    children: [{ ErrorBoundary: ErrorInDashboard, children: dashboard }],
  },
  {
    path: '*',
    lazy: {
      Component: async () => (await import('./screens/not-found/not-found-screen.tsx')).NotFoundScreen,
    },
  },
]

export const makeRouter = () =>
  createBrowserRouter([{ ErrorBoundary: ErrorScreen, HydrateFallback: () => null, children: routes }])
