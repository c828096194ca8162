import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { SignUpMode } from '#contract/settings.ts'
import { TEXTS } from '#contract/texts.ts'
import { BROWSER_USER_KEY } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings, user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import {
  button,
  field,
  fillLogin,
  findAlert,
  findHeading,
  PASSWORD,
  renderApp,
  session,
} from '#web/testing/render-app.tsx'

/** The server has one provider. */
function offer({ auto = false, signup = 'open' }: { auto?: boolean; signup?: SignUpMode } = {}) {
  const providers = [{ id: 'keycloak', name: 'Keycloak', auto }]
  const identity = {
    mode: 'embedded',
    apiKey: 'reelay',
    projectId: 'reelay',
    path: '/identity',
    providers,
  } as const
  api.reply('getSettings', settings({ signup, identity }))
  identityProvider.refuse('begin', 'PROVIDER_UNREACHABLE')
}

const continueButton = () => screen.findByRole('button', { name: 'Continue with Keycloak' })
const UNREACHABLE = "Keycloak can't be reached at the moment. Try again in a minute."

// The first of this file: after a log-out, which ends each test, no page leads anywhere by itself.
test('a page leads to a provider by itself if the server wants it, with the page that was asked for', async () => {
  offer({ auto: true })
  renderApp('/dashboard/queue')
  await findAlert(UNREACHABLE)
  expect(identityProvider.calls('begin')).toMatchObject([
    { provider: 'keycloak', returnTo: '/dashboard/queue' },
  ])
})

test.each([
  ['asked for by its address', '/?local', null],
  ['after a log-out', '/', 'reelay:'],
])('the form stays where it is %s', async (_when, address, record) => {
  offer({ auto: true })
  if (record !== null) localStorage.setItem(BROWSER_USER_KEY, record)
  renderApp(address)
  await continueButton()
  await findHeading('Login')
  expect(identityProvider.calls('begin')).toEqual([])
})

test('a provider that cannot be reached is named, and the form stays', async () => {
  offer()
  const events = renderApp('/')
  await events.click(await continueButton())
  await findAlert(UNREACHABLE)
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Overview')
})

test('an invitation goes along to the provider', async () => {
  offer({ signup: 'invited' })
  const events = renderApp('/signup#secret')
  await events.click(await continueButton())
  await findAlert(UNREACHABLE)
  expect(identityProvider.calls('begin')).toMatchObject([
    { invitation: 'secret', timezone: expect.any(String) as string },
  ])
})

test('whoever comes back from a provider is logged in at the page they asked for', async () => {
  offer()
  identityProvider.reply('finish', { result: 'proven', token: 'one-time', returnTo: '/dashboard/queue' })
  identityProvider.reply('accounts:signInWithCustomToken', session)
  renderApp('/#oidc')
  await findHeading('Queue')
  expect(identityProvider.calls('accounts:signInWithCustomToken')).toMatchObject([{ token: 'one-time' }])
})

test.each([
  ['signup_closed', TEXTS.signupClosed],
  ['provider_refused', "Keycloak didn't log you in. Try again, or log in another way."],
  ['email_unverified', "Keycloak hasn't confirmed your email. Confirm it there, then try again."],
  ['attempt_over', 'That took too long, or was begun in another window. Try again.'],
  ['something_new', 'Something went wrong while logging in with Keycloak.'],
])('a return that ended with %s says so and stays', async (reason, text) => {
  offer({ auto: true })
  identityProvider.reply('finish', { result: 'refused', provider: 'Keycloak', reason })
  renderApp('/#oidc')
  await findAlert(text)
  expect(location.pathname + location.search + location.hash).toBe('/?local')
  await continueButton()
  expect(identityProvider.calls('begin')).toEqual([])
})

test('somebody with an account is asked to log in with its password once', async () => {
  offer()
  const asked = {
    result: 'to_confirm',
    provider: 'Keycloak',
    email: user().email,
    returnTo: '/dashboard/queue',
  }
  identityProvider.reply('finish', asked)
  const events = renderApp('/#oidc')
  await findAlert(`There's already an account for ${user().email}.`)
  expect(field('Email')).toHaveValue(user().email)
  await events.type(screen.getByLabelText('Password'), PASSWORD)
  await events.click(button('Login'))
  await findHeading('Queue')
})
