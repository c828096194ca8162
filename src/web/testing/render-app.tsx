import { MantineProvider } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { getByRole, queryAllByRole, render, screen, waitFor } from '@testing-library/react'
import { userEvent, type UserEvent } from '@testing-library/user-event'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { queryClient } from '#web/api/queries.ts'
import { makeRouter } from '#web/app/routes.tsx'
import { logIn } from '#web/session/log-in.ts'
import { clearLogOutReason, logOut, open } from '#web/session/session.ts'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'
import { storedColorScheme } from '#web/ui/color-scheme.ts'
import { theme } from '#web/ui/theme.ts'
import { api } from './api-stub.ts'
import { notificationSettings, overview, playback, posts, settings, user } from './data.ts'
import { identityProvider } from './identity-stub.ts'

export const PASSWORD = 'correct horse battery'

/** The first words of each error that the page has written to the console in this test. */
export const loggedErrors: string[] = []

/** The API's answers for a new user. */
export function answerNewcomer(): void {
  api.reply('getSettings', settings())
  api.reply('getUser', user())
  api.reply('listBrands', [])
  api.reply('listAccounts', [])
  api.reply('listPresets', [])
  api.reply('listPosts', posts())
  api.reply('getOverview', overview())
  api.reply('listBlockers', [])
  api.reply('getPostResults', ({ params }) => ({ post_id: Number(params['postId']), deliveries: [] }))
  api.reply('listResults', { rows: [], accounts: [], next_cursor: null })
  api.reply('getResultsWeek', { live: 0, views: [], above: 0, compared: 0 })
  api.reply('createPlayback', playback())
  api.reply('getUnread', { unread: 0, latest: null, needs_attention: 0, accounts_to_link: 0, quiet: false })
  api.reply('getNotificationSettings', notificationSettings())
  api.reply('listApiKeys', [])
  api.reply('listWebhooks', [])
  identityProvider.reply('accounts:signInWithPassword', session)
  identityProvider.reply('token', renewed)
  const { uid: localId, email } = user()
  const providerUserInfo = [{ providerId: 'password', rawId: email, federatedId: email, email }]
  identityProvider.reply('accounts:lookup', { users: [{ localId, email, providerUserInfo }] })
  // One policy for all tests: the SDK asks for it once, and several files share a page.
  identityProvider.reply('passwordPolicy', {
    schemaVersion: 1,
    customStrengthOptions: {
      minPasswordLength: 8,
      containsUppercaseCharacter: true,
      containsNumericCharacter: true,
      containsNonAlphanumericCharacter: true,
    },
    allowedNonAlphanumericCharacters: ['!'],
    enforcementState: 'ENFORCE',
  })
}

/** A log-in as the provider answers it. */
export const session = () => ({
  idToken: idTokenOf(user().uid),
  refreshToken: 'a-refresh-token',
  expiresIn: '3600',
  localId: user().uid,
  email: user().email,
})

const renewed = () => ({
  access_token: session().idToken,
  refresh_token: 'a-refresh-token',
  expires_in: '3600',
})

const part = (json: object): string => btoa(JSON.stringify(json)).replaceAll('=', '')

/** An ID token that was issued then, in ms. */
export function idTokenOf(uid: string, at = Date.now()): string {
  const iat = Math.floor(at / 1000)
  const claims = { sub: uid, user_id: uid, auth_time: iat, iat, exp: iat + 3600 }
  return [part({ alg: 'none' }), part(claims), 'x'].join('.')
}

let router: ReturnType<typeof makeRouter> | null = null
let isPartShown = false

/** Opens a page of the app as a visitor. */
export function renderApp(path: string): UserEvent {
  router?.dispose()
  history.replaceState(null, '', path)
  router = makeRouter()
  render(
    <MantineProvider
      theme={theme}
      env="test"
      colorSchemeManager={storedColorScheme()}
      defaultColorScheme="auto"
    >
      <RouterProvider router={router} />
    </MantineProvider>,
  )
  // A click in a window that paints nothing is not slowed down.
  return userEvent.setup({ delay: null })
}

/** Opens a page of the dashboard as Ada, who is logged in, and waits for its heading. */
export async function renderSignedIn(path: string, heading?: string): Promise<UserEvent> {
  const refused = await logIn({ email: user().email, password: PASSWORD, invitation: null })
  if (refused !== null) throw new Error(refused)
  const events = renderApp(path)
  await screen.findByRole('navigation', { name: 'Dashboard' })
  if (heading !== undefined) await findHeading(heading)
  return events
}

/** Renders a part of a page for Ada, who is logged in. */
export async function renderPart(shown: ReactNode): Promise<UserEvent> {
  const refused = await logIn({ email: user().email, password: PASSWORD, invitation: null })
  if (refused !== null) throw new Error(refused)
  isPartShown = true
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createMemoryRouter([{ path: '*', element: shown }])} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return userEvent.setup({ delay: null })
}

/** Loads the page again: what only the page held is gone. */
export async function leaveApp(): Promise<void> {
  router?.dispose()
  router = null
  notifications.clean()
  if (isPartShown || localStorage.getItem(STORAGE_KEYS.userData) !== null || (await isOpen())) await logOut()
  isPartShown = false
  clearLogOutReason()
  queryClient.clear()
}

/** Opening the identity provider only to leave would be a call of its own. */
async function isOpen(): Promise<boolean> {
  return queryClient.getQueryData(['settings']) !== undefined && open().then(Boolean, () => false)
}

export const button = (name: string | RegExp, within: HTMLElement = document.body): HTMLElement =>
  getByRole(within, 'button', { name })

export const field = (name: string): HTMLElement => screen.getByLabelText(name, { selector: 'input' })

/** Puts this text in the place of what a field holds, as one paste: each key costs a test as much as a click. */
export async function fill(events: UserEvent, input: HTMLElement, text: string): Promise<void> {
  await events.clear(input)
  if (text !== '') await events.paste(text)
}

export async function fillLogin(events: UserEvent, email: string, password: string): Promise<void> {
  await fill(events, field('Email'), email)
  await fill(events, field('Password'), password)
  await events.click(button('Login'))
}

/** The alert with this text, once it is shown. */
export const findAlert = (text: string | RegExp, within: HTMLElement = document.body): Promise<HTMLElement> =>
  waitFor(() => {
    const found = queryAllByRole(within, 'alert').find((alert) => matches(alert.textContent, text))
    if (!found) throw new Error(`no alert says ${String(text)}`)
    return found
  })
const matches = (said: string, text: string | RegExp): boolean =>
  typeof text === 'string' ? said.includes(text) : text.test(said)

export const findHeading = (name: string): Promise<HTMLElement> =>
  screen.findByRole('heading', { level: 1, name })

/** Goes to another page of the dashboard by its link in the sidebar. */
export async function goTo(events: UserEvent, label: string): Promise<void> {
  const menu = screen.getByRole('navigation', { name: 'Dashboard' })
  await events.click(getByRole(menu, 'link', { name: label }))
  await findHeading(label)
}
