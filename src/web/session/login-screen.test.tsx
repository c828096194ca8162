import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings, user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import {
  button,
  field,
  fillLogin,
  findAlert,
  findHeading,
  loggedErrors,
  PASSWORD,
  renderApp,
  renderSignedIn,
} from '#web/testing/render-app.tsx'

const SIGN_IN = 'accounts:signInWithPassword'

// The first of this file: after a log-out, which ends each test, a page does not lead back.
test('a visitor who logs in comes to the page they asked for', async () => {
  const events = renderApp('/dashboard/queue?status=failed')
  await findHeading('Login')
  expect(location.pathname).toBe('/')
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Queue')
  expect(location.pathname + location.search).toBe('/dashboard/queue?status=failed')
})

test('the login form works by keyboard and says what is missing', async () => {
  const events = renderApp('/')
  await findHeading('Login')
  expect(document.title).toBe('Login · Reelay')
  expect(screen.getByRole('link', { name: 'Forgot password?' })).toHaveAttribute('href', '/forgotPassword')
  expect(screen.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup')
  expect(field('Email')).toHaveAttribute('autocomplete', 'username')
  expect(field('Email')).not.toHaveAttribute('type', 'email')
  const password = screen.getByLabelText('Password')
  expect(password).toHaveAttribute('autocomplete', 'current-password')

  await events.type(field('Email'), '{Enter}')
  expect(field('Email')).toHaveAccessibleDescription('Enter your email.')
  expect(password).toHaveAccessibleDescription('Enter your password.')
  expect(field('Email')).toHaveFocus()
  expect(identityProvider.calls(SIGN_IN)).toEqual([])

  await events.keyboard(user().email)
  await events.tab()
  expect(password).toHaveFocus()
  await events.keyboard(PASSWORD)
  await events.tab()
  const show = button('Show password')
  expect(show).toHaveFocus()
  await events.keyboard(' ')
  expect(show).toHaveAttribute('aria-pressed', 'true')
  expect(password).toHaveAttribute('type', 'text')
  await events.keyboard(' ')
  expect(password).toHaveAttribute('type', 'password')
  await events.tab()
  expect(button('Login')).toHaveFocus()
  await events.keyboard('{Enter}')
  await findHeading('Overview')
  expect(location.pathname).toBe('/dashboard/overview')
  expect(identityProvider.calls(SIGN_IN)).toMatchObject([{ email: user().email, password: PASSWORD }])
})

test.each([
  ['INVALID_LOGIN_CREDENTIALS', TEXTS.loginFailed],
  ['EMAIL_NOT_FOUND', TEXTS.loginFailed],
  ['INVALID_PASSWORD', TEXTS.loginFailed],
  ['INVALID_EMAIL', TEXTS.loginFailed],
  ['USER_DISABLED', TEXTS.userDisabled],
  ['TOO_MANY_ATTEMPTS_TRY_LATER : Wait.', TEXTS.tooManyAttempts],
  ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing.', "Your password no longer meets this server's rules"],
  ['SOMETHING_NEW', 'Something went wrong. Try again.'],
])('a login refused with %s is logged and explained in the form', async (refusal, text) => {
  identityProvider.refuse(SIGN_IN, refusal)
  const events = renderApp('/')
  await findHeading('Login')
  await fillLogin(events, user().email, 'not the password')
  await findAlert(text)
  expect(loggedErrors.filter((said) => said === 'Login failed')).toHaveLength(1)
})

test('a login without a connection says so, and the next one clears it while it runs', async () => {
  identityProvider.disconnect(SIGN_IN)
  const events = renderApp('/')
  await findHeading('Login')
  await fillLogin(events, user().email, PASSWORD)
  await findAlert("Can't reach the server. Check your connection and try again.")

  identityProvider.refuse(SIGN_IN, 'INVALID_PASSWORD')
  const release = identityProvider.hold(SIGN_IN)
  await events.click(button('Login'))
  await waitFor(() => expect(button('Login')).toHaveAttribute('data-loading', 'true'))
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  release()
  await findAlert(TEXTS.loginFailed)
})

test('a login that needs a captcha says so where the provider offers none', async () => {
  identityProvider.refuse(SIGN_IN, 'MISSING_RECAPTCHA_TOKEN')
  vi.spyOn(console, 'log').mockImplementation(() => undefined) // the SDK says so
  identityProvider.reply('recaptchaConfig', { recaptchaEnforcementState: [] })
  const events = renderApp('/')
  await findHeading('Login')
  await fillLogin(events, user().email, PASSWORD)
  await findAlert(
    "Couldn't check that you're a person. Turn off any blocker for this page, reload it and try again.",
  )
})

test('after a session ended, the login page says so and leads back', async () => {
  api.refuse('listBrands', 'unauthorized', 'Log in again.')
  const events = await renderSignedIn('/dashboard/brands')
  await findHeading('Login')
  await findAlert('Your session has ended. Log in to pick up where you left off.')
  expect(api.calls('listBrands'), 'tried again with a new token').toHaveLength(2)
  api.reply('listBrands', [])
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Brands')
  expect(location.pathname).toBe('/dashboard/brands')
})

test('a browser that stores nothing logs in all the same, and says that it may not last', async () => {
  const storages = (['localStorage', 'sessionStorage'] as const).map((name) =>
    vi.spyOn(globalThis, name, 'get').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError')
    }),
  )
  try {
    const events = renderApp('/')
    await findHeading('Login')
    expect(await findAlert("This browser doesn't save data for this page")).toBeVisible()
    await fillLogin(events, user().email, PASSWORD)
    await findHeading('Overview')
  } finally {
    for (const storage of storages) storage.mockRestore()
  }
})

test('an invitation goes along from its page to the log-in, which accepts it', async () => {
  api.reply('admitUser', user())
  const events = renderApp('/signup#the-secret')
  await findHeading('Sign up')
  await events.click(await screen.findByRole('link', { name: 'Log in' }))
  await findHeading('Login')
  await screen.findByText('Log in to accept your invitation.')
  expect(screen.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup#the-secret')
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Overview')
  expect(api.calls('admitUser').map(({ body }) => body)).toEqual([
    {
      token: expect.any(String) as string,
      invitation: 'the-secret',
      timezone: expect.any(String) as string,
    },
  ])
})

test('whoever the server does not admit reads why, and is not logged in', async () => {
  api.refuse('admitUser', 'signup_closed', 'This invitation has ended.')
  const events = renderApp('/#the-secret')
  await findHeading('Login')
  await fillLogin(events, user().email, PASSWORD)
  await findAlert('This invitation has ended.')
  expect(api.calls('getUser')).toEqual([])
})

test('at a hosted service each log-in asks the server whether it admits', async () => {
  const identity = { mode: 'firebase', apiKey: 'AIza', projectId: 'a', authDomain: 'a.example' } as const
  api.reply('getSettings', settings({ identity }))
  api.disconnect('admitUser')
  const events = renderApp('/')
  await findHeading('Login')
  await fillLogin(events, user().email, PASSWORD)
  await findAlert('Network Error')
  expect(api.calls('admitUser')).toHaveLength(1)
  api.reply('admitUser', user())
  await events.click(button('Login'))
  await findHeading('Overview')
})
