import { cleanup, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings, user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import { button, field, fill, findAlert, findHeading, renderApp } from '#web/testing/render-app.tsx'

const STRONG = 'Correct horse battery 1!'
const password = () => screen.getByLabelText('Password')
const confirmation = () => screen.getByLabelText('Confirm Password')

beforeEach(() => {
  api.reply('createUser', user())
})

async function openSignUp(at = '/signup') {
  const events = renderApp(at)
  await findHeading('Sign up')
  await waitFor(() => expect(button('Sign up')).toBeInTheDocument())
  return events
}

async function openFilledIn(at?: string) {
  const events = await openSignUp(at)
  await events.type(field('Email'), user().email)
  await events.type(field('Nickname'), 'Ada')
  await events.type(password(), STRONG)
  await events.type(confirmation(), STRONG)
  return events
}

test('each sign-up error is shown beside its field and the first takes the focus', async () => {
  const events = await openSignUp()
  await events.click(button('Sign up'))
  // The form's rules are loaded apart from it.
  await waitFor(() => expect(field('Email')).toHaveAccessibleDescription('Enter a valid email address.'))
  expect(field('Nickname')).toHaveAccessibleDescription('Enter a nickname.')
  expect(password()).toHaveAccessibleDescription('Use at least 6 characters.')
  expect(password()).toHaveAttribute('aria-invalid', 'true')
  await waitFor(() => expect(field('Email')).toHaveFocus())

  await fill(events, field('Email'), 'ada')
  await fill(events, field('Nickname'), 'Ada')
  await fill(events, password(), 'secret')
  await fill(events, confirmation(), 'secret!')
  await events.click(button('Sign up'))
  await waitFor(() => expect(field('Email')).toHaveAccessibleDescription('Enter a valid email address.'))
  expect(confirmation()).toHaveAccessibleDescription("The passwords don't match.")

  await fill(events, field('Email'), user().email)
  await events.click(button('Sign up'))
  await waitFor(() => expect(confirmation()).toHaveFocus())

  await fill(events, confirmation(), 'secret')
  await events.click(button('Sign up'))
  await waitFor(() =>
    expect(password()).toHaveAccessibleDescription(
      'Use at least 8 characters. Add an uppercase letter. Add a digit. Add a symbol.',
    ),
  )
  await waitFor(() => expect(password()).toHaveFocus())
  expect(api.calls('createUser')).toEqual([])
})

test('on a server without users it says how a backup is brought back', async () => {
  api.reply('getSettings', settings({ is_new: true }))
  await openSignUp()
  expect(await screen.findByText('npm run restore -- FOLDER')).toBeVisible()
})

test('a refused or unanswered sign-up is explained in the form', async () => {
  const events = await openFilledIn()
  const refusals: [() => void, string][] = [
    [() => api.disconnect('createUser'), 'Network Error'],
    [() => api.fail('createUser', 502), 'Request failed with status code 502'],
    [() => api.fail('createUser', 404, 'gone'), 'Request failed with status code 404'],
    [() => api.refuse('createUser', 'signup_closed', TEXTS.signupClosed), TEXTS.signupClosed],
  ]
  for (const [refuse, text] of refusals) {
    refuse()
    await events.click(button('Sign up'))
    await findAlert(text)
  }

  api.refuse('createUser', 'email_taken', 'There is already an account with this address.')
  const release = api.hold('createUser')
  await events.click(button('Sign up'))
  await waitFor(() => expect(button('Sign up')).toHaveAttribute('data-loading', 'true'))
  release()
  await waitFor(() => expect(field('Email')).toHaveAccessibleDescription(/already/))
  expect(field('Email')).toHaveFocus()
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})

test('a login refused right after sign-up says that the account was created', async () => {
  identityProvider.refuse('accounts:signInWithPassword', 'TOO_MANY_ATTEMPTS_TRY_LATER')
  const events = await openFilledIn()
  await events.click(button('Sign up'))
  await findAlert(`Your account is ready. ${TEXTS.tooManyAttempts}`)
})

test('sign-up by invitation needs its link, whose secret is sent with the form', async () => {
  api.reply('getSettings', settings({ signup: 'invited' }))
  renderApp('/signup')
  await findAlert(INVITED_ONLY)
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  cleanup()
  api.refuse('createUser', 'signup_closed', 'This invitation has ended.')
  const events = await openFilledIn('/signup#the-secret')
  await events.click(button('Sign up'))
  await findAlert('This invitation has ended.')
  expect(api.calls('createUser').map(({ body }) => body)).toMatchObject([{ invitation: 'the-secret' }])
})

test('a server without sign-up says so and never shows the form', async () => {
  api.reply('getSettings', settings({ signup: 'closed' }))
  const release = api.hold('getSettings')
  const events = renderApp('/signup')
  await findHeading('Sign up')
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  release()
  await findAlert('Sign-up is closed on this server.')
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Sign up' })).not.toBeInTheDocument()
  await events.click(screen.getByRole('link', { name: 'Log in' }))
  await findHeading('Login')
})

test('the texts of the operator are linked where there are any', async () => {
  api.reply('getSettings', settings({ legal_pages: ['terms', 'privacy'] }))
  await openSignUp()
  expect(await screen.findByRole('link', { name: 'terms' })).toHaveAttribute('href', '/terms')
  expect(screen.getByRole('link', { name: 'privacy policy' })).toHaveAttribute('href', '/privacy')
})
