import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import { button, field, findHeading, loggedErrors, renderApp } from '#web/testing/render-app.tsx'

const SEND = 'accounts:sendOobCode'
const logged = () => loggedErrors.filter((said) => said === 'Password reset failed').length

test.each([
  ['sent', () => identityProvider.reply(SEND, { email: user().email }), 0],
  ['refused', () => identityProvider.refuse(SEND, 'MISSING_EMAIL'), 1],
  ['not answered', () => identityProvider.disconnect(SEND), 1],
])('a reset mail that is %s shows the same confirmation', async (_, answer, failures) => {
  answer()
  const events = renderApp('/forgotPassword')
  await findHeading('Forgot Password')
  expect(screen.getByText(LABELS.returnTo, { exact: false })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/')
  const release = identityProvider.hold(SEND)
  await events.type(field('Email'), `${user().email}{Enter}`)
  await waitFor(() => expect(button('Submit')).toHaveAttribute('data-loading', 'true'))
  release()
  await waitFor(() => expect(screen.getByText(TEXTS.resetSent)).toHaveFocus())
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  expect(logged()).toBe(failures)
  expect(identityProvider.calls(SEND)).toMatchObject([{ requestType: 'PASSWORD_RESET', email: user().email }])
})

test('a reset without an address is confirmed too', async () => {
  identityProvider.refuse(SEND, 'MISSING_EMAIL')
  const events = renderApp('/forgotPassword')
  await findHeading('Forgot Password')
  await events.type(field('Email'), '{Enter}')
  await screen.findByText('Check your inbox for further instructions')
  expect(logged()).toBe(1)
})
