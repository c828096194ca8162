import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { apiKey, settings, user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import {
  button,
  field,
  fill,
  findAlert,
  findHeading,
  PASSWORD,
  renderSignedIn,
  session,
} from '#web/testing/render-app.tsx'

const ADA = user().email
const EMBEDDED = { mode: 'embedded', apiKey: 'reelay', projectId: 'reelay', path: '/identity' } as const
const KEYCLOAK = { id: 'keycloak', name: 'Keycloak', auto: false }
// The calls by which the SDK checks a password, asks for a mail, and changes a user.
const SIGN_IN = 'accounts:signInWithPassword'
const SEND = 'accounts:sendOobCode'
const UPDATE = 'accounts:update'
const UNREACHABLE = "Can't reach the server. Check your connection and try again."

async function openSettings() {
  const events = await renderSignedIn('/dashboard/settings', 'Settings')
  await screen.findByText(`You log in with ${ADA}`)
  return events
}
const form = (name: string) => screen.getByRole('form', { name })
const says = (name: string, text: string | RegExp) =>
  waitFor(() => expect(field(name)).toHaveAccessibleDescription(text))

/** As the provider tells of Ada, with her address confirmed or not. */
const lookup = (emailVerified: boolean) => ({
  users: [
    {
      localId: user().uid,
      email: ADA,
      emailVerified,
      providerUserInfo: [{ providerId: 'password', rawId: ADA, federatedId: ADA, email: ADA }],
    },
  ],
})

test('whoever logs in through a provider sees which, and can set a password', async () => {
  api.reply('getSettings', settings({ identity: { ...EMBEDDED, providers: [KEYCLOAK] } }))
  const providerUserInfo = [{ providerId: 'oidc.keycloak', rawId: '1', federatedId: '1', email: ADA }]
  const [known] = lookup(true).users
  identityProvider.reply('accounts:lookup', { users: [{ ...known, providerUserInfo }] })
  await renderSignedIn('/dashboard/settings', 'Settings')
  await screen.findByText(`You log in through Keycloak as ${ADA}`)
  expect(button('Send link to set a password')).toBeVisible()
})

test('a confirmation email is sent on request, and the open page notices the confirmation', async () => {
  const events = await openSettings()
  expect(screen.getByText('Not confirmed')).toBeVisible()
  const ask = button('Send confirmation email')
  identityProvider.disconnect(SEND)
  await events.click(ask)
  await findAlert(UNREACHABLE)

  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  identityProvider.reply(SEND, { email: ADA })
  await events.click(ask)
  await findAlert(`Open the link we sent to ${ADA}.`)
  expect(identityProvider.calls(SEND).at(-1)).toMatchObject({ requestType: 'VERIFY_EMAIL' })

  identityProvider.reply('accounts:lookup', lookup(true))
  vi.advanceTimersByTime(5_000)
  vi.useRealTimers()
  await screen.findByText('Confirmed')
  expect(screen.queryByText(`Open the link we sent to ${ADA}.`)).not.toBeInTheDocument()
  expect(ask).not.toBeInTheDocument()
})

test('an email that is confirmed in another tab is noticed when the page is shown again', async () => {
  await openSettings()
  identityProvider.reply('accounts:lookup', lookup(true))
  dispatchEvent(new Event('visibilitychange'))
  await screen.findByText('Confirmed')
})

test('a new email needs the password, and changes nothing until its link is opened', async () => {
  const events = await openSettings()
  const open = button('Change email')
  open.focus()
  await events.keyboard('{Enter}')
  expect(field('New email')).toHaveFocus()
  await events.keyboard('{Escape}')
  expect(screen.queryByRole('form', { name: 'Change email' })).not.toBeInTheDocument()
  expect(open).toHaveFocus()

  await events.click(open)
  const send = button('Send link to new email', form('Change email'))
  await events.click(send)
  await says('New email', /Enter the new email\./)
  await says('Current password', 'Enter your password.')
  await fill(events, field('New email'), ADA)
  await fill(events, field('Current password'), 'not the password')
  await events.click(send)
  await says('New email', /You already log in with this email\./)
  await fill(events, field('New email'), 'nonsense')
  await events.click(send)
  await says('New email', /Enter a valid email address\./)

  identityProvider.refuse(SIGN_IN, 'INVALID_LOGIN_CREDENTIALS')
  await fill(events, field('New email'), 'grace@example.com')
  await events.click(send)
  await says('Current password', "That's not your password.")
  expect(field('Current password')).toHaveFocus()
  expect(field('New email'), 'what was typed stays').toHaveValue('grace@example.com')
  expect(identityProvider.calls(SEND)).toEqual([])

  identityProvider.reply(SIGN_IN, session())
  identityProvider.disconnect(SEND)
  await fill(events, field('Current password'), PASSWORD)
  await events.click(send)
  await findAlert(UNREACHABLE, form('Change email'))
  identityProvider.reply(SEND, { email: 'grace@example.com' })
  await events.click(send)
  await findAlert(`Open the link we sent to grace@example.com. Until then, you log in with ${ADA}.`)
  expect(identityProvider.calls(SIGN_IN).at(-1)).toMatchObject({ email: ADA, password: PASSWORD })
  expect(identityProvider.calls(SEND).at(-1)).toMatchObject({
    requestType: 'VERIFY_AND_CHANGE_EMAIL',
    newEmail: 'grace@example.com',
  })
  expect(open).toHaveFocus()
  expect(screen.getByText(`You log in with ${ADA}`)).toBeVisible()
})

test('a new password needs the current one, and each mistake is said beside its field', async () => {
  const events = await openSettings()
  const open = button('Change password')
  await events.click(open)
  expect(field('Current password')).toHaveFocus()
  const change = button('Change password', form('Change password'))
  await events.click(change)
  await says('Current password', 'Enter your password.')
  await says('New password', 'Enter the new password.')
  await fill(events, field('Current password'), 'not the password')
  await fill(events, field('New password'), 'short')
  await fill(events, field('Confirm new password'), 'other')
  await events.click(change)
  await says('Confirm new password', "The passwords don't match.")
  await fill(events, field('Confirm new password'), 'short')
  await events.click(change)
  await says('New password', 'Use at least 6 characters.')
  expect(field('New password')).toHaveFocus()

  const better = 'A better horse battery 1!'
  identityProvider.refuse(SIGN_IN, 'INVALID_LOGIN_CREDENTIALS')
  await fill(events, field('New password'), better)
  await fill(events, field('Confirm new password'), better)
  await events.click(change)
  await says('Current password', "That's not your password.")
  expect(field('New password')).toHaveValue(better)
  expect(identityProvider.calls(UPDATE)).toEqual([])

  identityProvider.reply(SIGN_IN, session())
  identityProvider.disconnect(UPDATE)
  await fill(events, field('Current password'), PASSWORD)
  await events.click(change)
  await findAlert(UNREACHABLE)
  identityProvider.reply(UPDATE, session())
  api.reply('listApiKeys', [apiKey({ status: 'ended' })])
  await events.click(change)
  await findAlert("Password changed. You're still logged in here, and logged out everywhere else.")
  expect(identityProvider.calls(UPDATE).at(-1)).toMatchObject({ password: better })
  expect(open).toHaveFocus()
  await screen.findByText('Ended') // the API keys are asked for again
})

test('logging out everywhere asks first, and a failure leaves the question open', async () => {
  const events = await openSettings()
  const ask = button('Log out everywhere')
  await events.click(ask)
  expect(button('Stay logged in')).toHaveFocus()
  await events.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Stay logged in' })).not.toBeInTheDocument()
  expect(ask).toHaveFocus()

  await events.click(ask)
  const question = screen.getByRole('group', { name: /^Log out on every device.*Your API keys/ })
  const answer = button('Log out everywhere', question)
  api.disconnect('signOutEverywhere')
  await events.click(answer)
  await findAlert('Network Error')
  api.reply('signOutEverywhere', undefined)
  await events.click(answer)
  await findHeading('Login')
  await findAlert("You're logged out everywhere.")
})

test('deleting an account says what goes, needs the password and is confirmed', async () => {
  const events = await openSettings()
  const open = button('Delete my account')
  await events.click(open)
  for (const text of [
    "Your brands, linked accounts, posts and videos will be deleted. Scheduled posts won't go out.",
    'Published posts stay on the platforms.',
    "A post that's publishing right now may still appear.",
  ])
    expect(screen.getByText(text)).toBeVisible()
  await events.click(button('Keep'))
  expect(open).toHaveFocus()

  await events.click(open)
  const go = button('Delete my account', form('Delete my account'))
  await events.click(go)
  await says('Current password', 'Enter your password.')
  identityProvider.refuse(SIGN_IN, 'INVALID_LOGIN_CREDENTIALS')
  await fill(events, field('Current password'), 'not the password')
  await events.click(go)
  await says('Current password', "That's not your password.")
  expect(api.calls('deleteUser')).toEqual([])

  identityProvider.reply(SIGN_IN, session())
  api.disconnect('deleteUser')
  await fill(events, field('Current password'), PASSWORD)
  await events.click(go)
  await findAlert('Network Error', form('Delete my account'))
  api.reply('deleteUser', undefined)
  await events.click(go)
  await findHeading('Login')
  await findAlert('Your account and everything in it are deleted.')
  expect(localStorage.getItem(STORAGE_KEYS.userData)).toBeNull()
})
