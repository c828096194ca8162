import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import {
  fillLogin,
  findAlert,
  findHeading,
  idTokenOf,
  PASSWORD,
  renderSignedIn,
  session,
} from '#web/testing/render-app.tsx'
import { logIn } from './log-in.ts'

test('a token that the server rejects, as with a slow clock here, is renewed once', async () => {
  const renewed = idTokenOf(user().uid, Date.now() - 60_000)
  identityProvider.reply('token', { access_token: renewed, refresh_token: 'next', expires_in: '3600' })
  api.refuse('listBrands', 'unauthorized', 'Log in again.')
  const release = api.hold('listBrands')
  await renderSignedIn('/dashboard/brands', 'Brands')
  await waitFor(() => expect(api.calls('listBrands')).toHaveLength(1))
  api.reply('listBrands', [])
  release()
  await screen.findByText(TEXTS.brandsEmpty)
  const [first, second] = api.calls('listBrands').map(({ headers }) => headers['Authorization'])
  expect(first).not.toBe(second)
  expect(second).toBe(`Bearer ${renewed}`)
  expect(identityProvider.calls('token')).toHaveLength(1)
})

test('a session that begins after a refused call is taken, and its token not renewed', async () => {
  api.refuse('listBrands', 'unauthorized', 'Log in again.')
  await renderSignedIn('/dashboard/brands', 'Brands')
  await waitFor(() => expect(api.calls('listBrands')).toHaveLength(1))
  api.reply('listBrands', [])
  const stored = idTokenOf(user().uid, Date.now() - 60_000)
  identityProvider.reply('accounts:signInWithPassword', { ...session(), idToken: stored })
  await logIn({ email: user().email, password: PASSWORD, invitation: null })
  await screen.findByText(TEXTS.brandsEmpty)
  expect(api.calls('listBrands').at(-1)?.headers['Authorization']).toBe(`Bearer ${stored}`)
  expect(identityProvider.calls('token')).toEqual([])
})

test('a user who is disabled is logged out, and cannot log in', async () => {
  identityProvider.refuse('token', 'USER_DISABLED')
  api.refuse('listBrands', 'unauthorized', 'Log in again.')
  const events = await renderSignedIn('/dashboard/brands')
  await findHeading('Login')
  identityProvider.refuse('accounts:signInWithPassword', 'USER_DISABLED')
  await fillLogin(events, user().email, PASSWORD)
  await findAlert(TEXTS.userDisabled)
})

test('a user whom an operator disables is logged out, and told so', async () => {
  api.refuse('listBrands', 'user_disabled', TEXTS.userDisabled)
  await renderSignedIn('/dashboard/brands')
  await findHeading('Login')
  await findAlert(TEXTS.userDisabled)
})
