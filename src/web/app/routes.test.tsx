import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { button, findHeading, renderApp, renderSignedIn } from '#web/testing/render-app.tsx'

/** The sidebar does not link to these screens. Each has another title than the one before. */
const TITLES = {
  visitor: {
    '/': 'Login',
    '/signup': 'Sign up',
    '/forgotPassword': 'Forgot Password',
    '/__/auth/action?mode=resetPassword&oobCode=used': 'New password',
    '/report': 'No report here',
    '/nowhere': 'Page not found',
  },
  owner: {
    '/dashboard': 'Overview',
    '/dashboard/oauth/tiktok/callback': 'Accounts',
    '/dashboard/oauth/nobody/callback': 'Page not found',
    '/dashboard/oauth/instagram/callback': 'Accounts',
    '/dashboard/import': 'Import and export',
    '/dashboard/drafts/plan': 'Plan posts',
    '/dashboard/results/report': 'Report',
    '/dashboard/nowhere': 'Page not found',
    '/dashboard/server/users': 'Users',
    '/dashboard/connect': 'Connect a program',
    '/dashboard/posts/none': 'Post not found',
  },
}

/** These addresses lead to other pages. */
const ENDS: Record<string, string> = {
  '/dashboard': '/dashboard/overview',
  '/dashboard/oauth/tiktok/callback': '/dashboard/accounts',
  '/dashboard/oauth/instagram/callback': '/dashboard/accounts',
}

/** Goes there as a link inside the app does. */
function goTo(path: string): void {
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}

async function expectAllNamed(titles: Record<string, string>): Promise<void> {
  for (const [path, title] of Object.entries(titles)) {
    act(() => goTo(path))
    const end = ENDS[path]
    if (end !== undefined) await waitFor(() => expect(location.pathname).toBe(end))
    await waitFor(() => expect(document.title, path).toBe(`${title} · Reelay`))
    expect(screen.getByRole('heading', { level: 1 }).textContent, path).toBe(title)
  }
}

test('every route that the sidebar does not link to names itself in the tab', async () => {
  const visitor = renderApp('/nowhere')
  await findHeading('Page not found')
  await visitor.click(screen.getByRole('link', { name: 'Go to the start page' }))
  await findHeading('Login')
  expect(location.pathname).toBe('/')
  await expectAllNamed(TITLES.visitor)
})

test('every page of the dashboard outside the sidebar names itself, and keeps the sidebar', async () => {
  for (const name of ['listServerUsers', 'getServerSignUp'] as const)
    api.refuse(name, 'forbidden', 'Only an operator of this server can do this.')
  api.reply('listSchedules', [])
  const owner = await renderSignedIn('/dashboard/nowhere', 'Page not found')
  await owner.click(screen.getByRole('link', { name: 'Go to the overview' }))
  await findHeading('Overview')
  expect(location.pathname).toBe('/dashboard/overview')
  await expectAllNamed(TITLES.owner)
  expect(screen.getByRole('navigation', { name: 'Dashboard' })).toBeVisible()
})

const breakTimeZones = () =>
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(() => {
    throw new Error('A planted fault')
  })

test('a screen that throws says so and leads back, with the sidebar or without', async () => {
  const broken = breakTimeZones()
  renderApp('/signup')
  await findHeading('Something went wrong')
  expect(document.title).toBe('Something went wrong · Reelay')
  expect(screen.getByRole('alert')).toHaveTextContent('This page stopped working.')
  expect(screen.getByRole('link', { name: 'Go to the overview' })).toBeVisible()
  cleanup()
  broken.mockRestore()

  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  const brokenAgain = breakTimeZones()
  onTestFinished(() => brokenAgain.mockRestore())
  const menu = within(screen.getByRole('navigation', { name: 'Dashboard' }))
  await events.click(menu.getByRole('link', { name: 'Settings' }))
  await findHeading('Something went wrong')
  expect(document.title).toBe('Something went wrong · Reelay')
  expect(screen.getByText('A planted fault')).not.toBeVisible()
  await events.click(screen.getByText('Details'))
  expect(screen.getByText('A planted fault')).toBeVisible()
  expect(button('Reload page')).toBeVisible()
  await events.click(menu.getByRole('link', { name: 'Overview' }))
  await findHeading('Overview')
})
