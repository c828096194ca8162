import type { Page, Route } from '@playwright/test'
import { signUp } from '../support/harness.ts'
import { alert, expect, logIn, newEmail, test } from './fixtures.ts'

const INSPECT = '**/accounts:resetPassword?*'
const APPLY = '**/accounts:update?*'
const ADA = 'ada@example.com'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const link = (mode: string, rest = '') => `/__/auth/action?mode=${mode}&oobCode=good&apiKey=reelay${rest}`

/** Answers as the identity provider refuses, in the words of its protocol. */
const refusing = (message: string) => (route: Route) =>
  route.fulfill({ status: 400, json: { error: { code: 400, message } } })
const unreachable = (route: Route) => route.abort('connectionrefused')

/** The kinds of links that one press follows. */
const PRESSES = [
  {
    mode: 'verifyEmail',
    found: { requestType: 'VERIFY_EMAIL', email: ADA },
    title: 'Confirm your address',
    press: 'Confirm this address',
    done: `${ADA} is confirmed.`,
  },
  {
    mode: 'verifyAndChangeEmail',
    found: { requestType: 'VERIFY_AND_CHANGE_EMAIL', email: 'old@example.com', newEmail: ADA },
    title: 'New address',
    press: 'Confirm this address',
    done: `From now on you log in as ${ADA}, with the same password.`,
  },
  {
    mode: 'recoverEmail',
    found: { requestType: 'RECOVER_EMAIL', email: ADA, newEmail: 'mallory@example.com' },
    title: 'Take your address back',
    press: 'Take this address back',
    done: `You log in as ${ADA} again.`,
  },
] as const

for (const { mode, found, title, press, done } of PRESSES)
  test(`a link of the kind ${mode} is used by a press and not by being opened, and says what it cannot do`, async ({
    page,
  }) => {
    const applied: unknown[] = []
    await page.route(INSPECT, (route) => route.fulfill({ json: found }))
    await page.route(APPLY, (route) => {
      applied.push(route.request().postDataJSON())
      return route.abort('connectionrefused')
    })
    await page.goto(link(mode))
    await expect(heading(page, title)).toBeVisible()
    await expect(page.getByText(ADA)).toBeVisible()
    await expect(button(page, press)).toBeVisible()
    expect(applied, 'opening it uses nothing up').toEqual([])

    await page.keyboard.press('Tab')
    await expect(button(page, press)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(alert(page, 'The server cannot be reached.')).toBeVisible()
    expect(applied).toEqual([{ oobCode: 'good' }])

    await page.unroute(APPLY)
    await page.route(APPLY, (route) => route.fulfill({ json: { email: ADA, emailVerified: true } }))
    await button(page, press).click()
    await expect(page.getByText(done)).toBeVisible()
    await expect(page.locator(':focus'), 'who hears the page hears what was done').toContainText(done)
    await expect(button(page, press)).toBeHidden()

    // A press can find it dead as well: somebody was quicker.
    await page.goto(link(mode))
    await page.unroute(APPLY)
    await page.route(APPLY, refusing('EXPIRED_OOB_CODE'))
    await button(page, press).click()
    await expect(alert(page, 'This link has expired. Ask for a new one.')).toBeVisible()
    await expect(button(page, press)).toBeHidden()
  })

test('a link that is dead, of another kind, or not to be checked now is told apart, whatever it is for', async ({
  page,
}) => {
  for (const mode of ['resetPassword', 'verifyEmail', 'verifyAndChangeEmail', 'recoverEmail', 'signIn']) {
    await page.route(INSPECT, unreachable)
    await page.goto(link(mode))
    await expect(alert(page, 'The server cannot be reached.')).toBeVisible()
    await page.unroute(INSPECT)
    await page.route(INSPECT, refusing('EXPIRED_OOB_CODE'))
    await button(page, 'Try again').click()
    await expect(alert(page, 'This link has expired. Ask for a new one.')).toBeVisible()

    await page.unroute(INSPECT)
    await page.goto(link(mode))
    // The server itself: nobody was ever sent it.
    await expect(alert(page, 'This link cannot be used.')).toBeVisible()
    await page.goto(`/__/auth/action?mode=${mode}`)
    await expect(alert(page, 'This link cannot be used.')).toBeVisible()

    // A code for one thing does nothing else.
    await page.route(INSPECT, (route) => route.fulfill({ json: { requestType: 'SOMETHING', email: ADA } }))
    await page.goto(link(mode))
    await expect(alert(page, 'This link cannot be used.')).toBeVisible()
    await page.unroute(INSPECT)
  }
})

test('whose link it is not is told so, and stays logged in', async ({ page, person, reelay }) => {
  const grace = await signUp(reelay, 'Grace')
  await logIn(page, person.email)
  await page.route(INSPECT, (route) =>
    route.fulfill({ json: { requestType: 'VERIFY_EMAIL', email: grace.email } }),
  )
  await page.route(APPLY, (route) => route.fulfill({ json: { email: grace.email, emailVerified: true } }))
  await page.goto(link('verifyEmail'))
  await expect(
    page.getByText(`You are logged in here as ${person.email}. That stays as it is.`),
  ).toBeVisible()
  await button(page, 'Confirm this address').click()
  await expect(page.getByText(`${grace.email} is confirmed.`)).toBeVisible()
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await expect(heading(page, 'Overview')).toBeVisible()

  await page.unroute(INSPECT)
  await page.route(INSPECT, (route) =>
    route.fulfill({ json: { requestType: 'PASSWORD_RESET', email: grace.email } }),
  )
  await page.goto(link('resetPassword'))
  for (const name of ['New password', 'Confirm new password'])
    await page.getByRole('textbox', { name, exact: true }).fill('a better horse battery')
  await button(page, 'Set new password').click()
  await expect(page.getByText('Your password is changed. Log in with the new one.')).toBeVisible()
  await page.goto('/dashboard/settings')
  await expect(heading(page, 'Settings')).toBeVisible()
})

test('a link leads back to this origin or to a domain that the server names, and nowhere else', async ({
  page,
  reelay,
}) => {
  await page.route(INSPECT, (route) =>
    route.fulfill({ json: { requestType: 'VERIFY_EMAIL', email: newEmail() } }),
  )
  await page.route(APPLY, (route) => route.fulfill({ json: { emailVerified: true } }))
  await page.route('**/v1/projects?*', (route) =>
    route.fulfill({ json: { projectId: 'reelay', authorizedDomains: ['localhost', 'example.org'] } }),
  )
  const follow = async (wanted: string) => {
    await page.goto(link('verifyEmail', `&continueUrl=${encodeURIComponent(wanted)}`))
    await button(page, 'Confirm this address').click()
    await expect(page.getByText('is confirmed.')).toBeVisible()
  }
  const back = page.getByRole('main').getByRole('link')
  const own = new URL('/dashboard/queue', reelay.url).href
  await follow(own)
  await expect(back).toHaveText('Go back to where you were')
  await expect(back).toHaveAttribute('href', own)
  await follow('https://shop.example.org/thanks')
  await expect(back).toHaveText('Go back to shop.example.org')
  await expect(back).toHaveAttribute('href', 'https://shop.example.org/thanks')
  for (const foreign of ['javascript:alert(1)', 'https://example.net/', 'https://example.org@example.net/']) {
    const asked = page.waitForResponse('**/v1/projects?*')
    await follow(foreign)
    if (foreign.startsWith('https:')) await asked
    else asked.catch(() => undefined)
    await expect(back).toHaveCount(0)
  }
})
