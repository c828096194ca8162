import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import { button, fill, findAlert, findHeading, renderApp, renderSignedIn } from '#web/testing/render-app.tsx'

// The calls by which the SDK looks at a link, and by which it uses it up.
const INSPECT = 'accounts:resetPassword'
const APPLY = 'accounts:update'
const ADA = 'ada@example.org'
const link = (mode: string, rest = '') => `/__/auth/action?mode=${mode}&oobCode=good&apiKey=reelay${rest}`

const LINKS = [
  {
    mode: 'verifyEmail',
    found: { requestType: 'VERIFY_EMAIL', email: ADA },
    title: 'Confirm your email',
    question: `Someone signed up here with ${ADA}. Confirm it only if that was you.`,
    press: 'Confirm this email',
    done: `${ADA} is confirmed.`,
  },
  {
    mode: 'verifyAndChangeEmail',
    found: { requestType: 'VERIFY_AND_CHANGE_EMAIL', email: 'old@example.com', newEmail: ADA },
    title: 'New email',
    question: `You log in with old@example.com now. Once you confirm, you log in with ${ADA}`,
    press: 'Confirm this email',
    done: `From now on, log in with ${ADA} and the same password.`,
  },
  {
    mode: 'recoverEmail',
    found: { requestType: 'RECOVER_EMAIL', email: ADA, newEmail: 'mallory@example.com' },
    title: 'Restore your email',
    question: `You now log in with mallory@example.com. If that wasn't you, restore ${ADA}.`,
    press: 'Restore this email',
    done: `You log in with ${ADA} again.`,
  },
] as const

for (const { mode, found, title, question, press, done } of LINKS)
  test(`a ${mode} link is used by a press, not by opening it`, async () => {
    identityProvider.reply(INSPECT, found)
    identityProvider.disconnect(APPLY)
    const events = renderApp(link(mode))
    await findHeading(title)
    await screen.findByText(ADA, { exact: false })
    expect(document.body).toHaveTextContent(question)
    expect(button(press)).toBeVisible()
    expect(identityProvider.calls(APPLY), 'opening it uses nothing up').toEqual([])

    await events.tab()
    expect(button(press)).toHaveFocus()
    await events.keyboard('{Enter}')
    await findAlert("Can't reach the server.")
    expect(identityProvider.calls(APPLY)).toMatchObject([{ oobCode: 'good' }])

    identityProvider.reply(APPLY, { email: ADA, emailVerified: true })
    await events.click(button(press))
    await screen.findByText(done)
    await waitFor(() => expect(document.activeElement).toHaveTextContent(done))
    expect(screen.queryByRole('button', { name: press })).not.toBeInTheDocument()
  })

for (const { mode, found, press } of LINKS)
  test(`a ${mode} link that expires before the press says so`, async () => {
    identityProvider.reply(INSPECT, found)
    identityProvider.refuse(APPLY, 'EXPIRED_OOB_CODE')
    const events = renderApp(link(mode))
    await screen.findByRole('button', { name: press })
    await events.click(button(press))
    await findAlert('This link has expired. Ask for a new one.')
    expect(screen.queryByRole('button', { name: press })).not.toBeInTheDocument()
  })

for (const mode of ['resetPassword', 'verifyEmail', 'verifyAndChangeEmail', 'recoverEmail', 'signIn'])
  test(`a ${mode} link that cannot be checked now can be checked again`, async () => {
    identityProvider.disconnect(INSPECT)
    const events = renderApp(link(mode))
    await findAlert("Can't reach the server.")
    identityProvider.refuse(INSPECT, 'EXPIRED_OOB_CODE')
    await events.click(button('Try again'))
    await findAlert('This link has expired. Ask for a new one.')
  })

for (const mode of ['resetPassword', 'verifyEmail', 'verifyAndChangeEmail', 'recoverEmail', 'signIn'])
  test.each([
    ['an unknown code', () => identityProvider.refuse(INSPECT, 'INVALID_OOB_CODE'), '&oobCode=good'],
    ['no code', () => undefined, ''],
    [
      'a code for another kind',
      () => identityProvider.reply(INSPECT, { requestType: 'SOMETHING', email: ADA }),
      '&oobCode=good',
    ],
  ])(`a ${mode} link with %s cannot be used`, async (_, answer, code) => {
    answer()
    renderApp(`/__/auth/action?mode=${mode}${code}&apiKey=reelay`)
    await findAlert("This link doesn't work any more.")
  })

test('a reset link sets a new password, and each mistake is said beside its field', async () => {
  identityProvider.reply(INSPECT, { requestType: 'PASSWORD_RESET', email: ADA })
  const events = renderApp(link('resetPassword'))
  await screen.findByText(`For ${ADA}`)
  const first = screen.getByLabelText('New password')
  const second = screen.getByLabelText('Confirm new password')
  const set = button('Set new password')
  expect(first).toHaveAttribute('autocomplete', 'new-password')
  await fill(events, first, 'short')
  await fill(events, second, 'other')
  await events.click(set)
  await waitFor(() => expect(first).toHaveAccessibleDescription('Use at least 6 characters.'))
  expect(second).toHaveAccessibleDescription("The passwords don't match.")

  for (const one of [first, second]) await fill(events, one, 'A better horse battery 1!')
  identityProvider.refuse(INSPECT, 'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing.')
  await events.click(set)
  await waitFor(() =>
    expect(first).toHaveAccessibleDescription('Choose a longer password with a mix of characters.'),
  )
  identityProvider.disconnect(INSPECT)
  await events.click(set)
  await findAlert("Can't reach the server.")
  identityProvider.reply(INSPECT, { requestType: 'PASSWORD_RESET', email: ADA })
  await events.click(set)
  await screen.findByText('Password changed. Log in with the new one.')
  expect(identityProvider.calls(INSPECT).at(-1)).toEqual(
    expect.objectContaining({ oobCode: 'good', newPassword: 'A better horse battery 1!' }),
  )
  await events.click(screen.getByRole('link', { name: 'Log in' }))
  await findHeading('Login')
})

test('a link that confirmed the email of who is logged in says so when it is used again', async () => {
  await renderSignedIn('/dashboard/overview')
  identityProvider.refuse(INSPECT, 'INVALID_OOB_CODE')
  const { uid: localId, email } = user()
  identityProvider.reply('accounts:lookup', { users: [{ localId, email, emailVerified: true }] })
  renderApp(link('verifyEmail'))
  await findAlert(`You're logged in as ${email}, and this email is confirmed.`)
})

test('after an email is restored, a link to set a new password is offered', async () => {
  identityProvider.reply(INSPECT, { requestType: 'RECOVER_EMAIL', email: ADA })
  identityProvider.reply(APPLY, { email: ADA })
  const events = renderApp(link('recoverEmail'))
  await events.click(await screen.findByRole('button', { name: 'Restore this email' }))
  await events.click(await screen.findByRole('button', { name: 'Send link to set a new password' }))
  await findAlert('Something went wrong. Try again.')
  identityProvider.reply('accounts:sendOobCode', { email: ADA })
  await events.click(button('Send link to set a new password'))
  await screen.findByText(`Open the link we sent to ${ADA}.`)
  expect(identityProvider.calls('accounts:sendOobCode').at(-1)).toMatchObject({
    requestType: 'PASSWORD_RESET',
    email: ADA,
  })
})

test('an expired reset link leads to a new one', async () => {
  identityProvider.refuse(INSPECT, 'EXPIRED_OOB_CODE')
  const events = renderApp(link('resetPassword'))
  await events.click(await screen.findByRole('link', { name: 'Request a new link' }))
  await findHeading('Forgot Password')
})

test('a link of an unknown kind is explained', async () => {
  renderApp(link('revertSecondFactorAddition'))
  await screen.findByText(/doesn't know this kind of link\./)
})

test('a link for another user leaves the one who is logged in alone', async () => {
  const grace = 'grace@example.com'
  await renderSignedIn('/dashboard/overview')
  identityProvider.reply(INSPECT, { requestType: 'VERIFY_EMAIL', email: grace })
  identityProvider.reply(APPLY, { email: grace, emailVerified: true })
  const events = renderApp(link('verifyEmail'))
  await screen.findByText(`You're logged in here as ${user().email}. You stay logged in.`)
  await events.click(button('Confirm this email'))
  await screen.findByText(`${grace} is confirmed.`)
  await events.click(screen.getByRole('link', { name: 'Go to the overview' }))
  await findHeading('Overview')
})

test('a reset link for another user ends only their sessions', async () => {
  const grace = 'grace@example.com'
  await renderSignedIn('/dashboard/overview')
  identityProvider.reply(INSPECT, { requestType: 'PASSWORD_RESET', email: grace })
  const events = renderApp(link('resetPassword'))
  await screen.findByText(`For ${grace}`)
  for (const name of ['New password', 'Confirm new password'])
    await fill(events, screen.getByLabelText(name), 'A better horse battery 1!')
  await events.click(button('Set new password'))
  await screen.findByText('Password changed. Log in with the new one.')
  await events.click(screen.getByRole('link', { name: 'Go to the overview' }))
  await findHeading('Overview')
})

const CONTINUE_URLS = [
  [location.origin + '/dashboard/queue', 'Go back to where you were'],
  ['https://shop.example.org/thanks', 'Go back to shop.example.org'],
  ['javascript:alert(1)', null],
  ['https://example.net/', null],
  ['https://example.org@example.net/', null],
] as const

test.each(CONTINUE_URLS)('a link that leads back to %s is answered by the link %s', async (wanted, name) => {
  identityProvider.reply(INSPECT, { requestType: 'VERIFY_EMAIL', email: ADA })
  identityProvider.reply(APPLY, { emailVerified: true })
  identityProvider.reply('projects', { projectId: 'reelay', authorizedDomains: ['localhost', 'example.org'] })
  const events = renderApp(link('verifyEmail', `&continueUrl=${encodeURIComponent(wanted)}`))
  await events.click(await screen.findByRole('button', { name: 'Confirm this email' }))
  await screen.findByText(/is confirmed\./)
  if (name !== null) {
    expect(await screen.findByRole('link', { name })).toHaveAttribute('href', wanted)
    return
  }
  if (wanted.startsWith('https:'))
    await waitFor(() => expect(identityProvider.calls('projects')).toHaveLength(1))
  expect(screen.queryByRole('link', { name: /^Go back/ })).not.toBeInTheDocument()
})
