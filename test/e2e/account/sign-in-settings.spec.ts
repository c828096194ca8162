import type { Page, Route } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { alert, expect, fillLogin, logIn, mailedLink, newEmail, PASSWORD, test } from '../support/fixtures.ts'

const ANOTHER = 'a better horse battery'
const PHONE = { width: 390, height: 844 }

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const form = (page: Page, name: string) => page.getByRole('form', { name })
const unreachable = (route: Route) => route.abort('connectionrefused')

async function settings(page: Page, email: string): Promise<void> {
  await logIn(page, email, '/dashboard/settings')
  await expect(page.getByText(`You log in with ${email}`)).toBeVisible()
}

test('an address is confirmed by a mailed link, and other tabs notice', async ({
  page,
  context,
  person,
  reelay,
}) => {
  await settings(page, person.email)
  const ask = button(page, 'Send confirmation email')
  await page.route('**/accounts:sendOobCode?*', unreachable)
  await ask.click()
  await expect(alert(page, "Can't reach the server.")).toBeVisible()
  await page.unroute('**/accounts:sendOobCode?*')
  await ask.click()
  await expect(alert(page, `Open the link we sent to ${person.email}.`)).toBeVisible()

  const other = await context.newPage()
  const link = await mailedLink(reelay, person.email, 'verifyEmail')
  await other.goto(link)
  await other.getByRole('button', { name: 'Confirm this email' }).click()
  await expect(other.getByText(`${person.email} is confirmed.`)).toBeVisible()
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()
  await expect(ask).toBeHidden()

  // Used again, as after a lost page.
  await other.goto(link)
  await expect(
    other.getByText(`You're logged in as ${person.email}, and this email is confirmed.`),
  ).toBeVisible()
})

test('a new address needs the password, and changes nothing until its link is opened', async ({
  page,
  person,
  reelay,
}) => {
  await page.setViewportSize(PHONE)
  await settings(page, person.email)
  const open = button(page, 'Change email')
  await open.focus()
  await page.keyboard.press('Enter')
  await expect(field(page, 'New email')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(form(page, 'Change email')).toBeHidden()
  await expect(open).toBeFocused()

  await open.click()
  const send = button(page, 'Send link to new email')
  await send.click()
  await expect(field(page, 'New email')).toHaveAccessibleDescription(/Enter the new email\./)
  await expect(field(page, 'Current password')).toHaveAccessibleDescription('Enter your password.')
  await field(page, 'New email').fill(person.email)
  await field(page, 'Current password').fill('not the password')
  await send.click()
  await expect(field(page, 'New email')).toHaveAccessibleDescription(/You already log in with this email\./)
  const wanted = newEmail()
  await field(page, 'New email').fill('nonsense')
  await send.click()
  await expect(field(page, 'New email')).toHaveAccessibleDescription(/Enter a valid email address\./)
  await field(page, 'New email').fill(wanted)
  await send.click()
  await expect(field(page, 'Current password')).toHaveAccessibleDescription("That's not your password.")
  await expect(field(page, 'Current password')).toBeFocused()
  await expect(field(page, 'New email'), 'what was typed stays').toHaveValue(wanted)

  await field(page, 'Current password').fill(PASSWORD)
  await page.route('**/accounts:sendOobCode?*', unreachable)
  await send.click()
  await expect(alert(page, "Can't reach the server.")).toBeVisible()
  await page.unroute('**/accounts:sendOobCode?*')
  await send.click()
  await expect(alert(page, `Open the link we sent to ${wanted}. Until then, you log in with`)).toBeVisible()
  await expect(open).toBeFocused()
  await expect(page.getByText(`You log in with ${person.email}`, { exact: true })).toBeVisible()

  await page.goto(await mailedLink(reelay, wanted, 'verifyAndChangeEmail'))
  await expect(page.getByText(`You log in with ${person.email} now.`)).toBeVisible()
  await button(page, 'Confirm this email').click()
  await expect(page.getByText(`From now on, log in with ${wanted} and the same password.`)).toBeVisible()
  await page.goto('/')
  // The change has ended every session.
  await expect(heading(page, 'Login')).toBeVisible()
  await fillLogin(page, person.email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  await fillLogin(page, wanted, PASSWORD)
  await expect(heading(page, 'Overview')).toBeVisible()

  // Whose address it was can take it back.
  await page.goto(await mailedLink(reelay, person.email, 'recoverEmail'))
  await button(page, 'Restore this email').click()
  await expect(page.getByText(`You log in with ${person.email} again.`)).toBeVisible()
  await button(page, 'Send link to set a new password').click()
  await expect(page.getByText(`Open the link we sent to ${person.email}.`)).toBeVisible()
  await page.goto(await mailedLink(reelay, person.email, 'resetPassword'))
  await expect(page.getByText(`For ${person.email}`)).toBeVisible()
})

test('a password change needs the current one and logs out other browsers only', async ({
  page,
  browser,
  person,
  reelay,
}) => {
  const elsewhere = await browser.newPage({ baseURL: reelay.url })
  await logIn(elsewhere, person.email)
  await settings(page, person.email)
  const sameBrowser = await page.context().newPage()
  await sameBrowser.goto('/dashboard/brands')
  await expect(heading(sameBrowser, 'Brands')).toBeVisible()

  await button(page, 'Change password').click()
  const change = form(page, 'Change password').getByRole('button', { name: 'Change password' })
  await expect(field(page, 'Current password')).toBeFocused()
  await change.click()
  await expect(field(page, 'Current password')).toHaveAccessibleDescription('Enter your password.')
  await expect(field(page, 'New password')).toHaveAccessibleDescription('Enter the new password.')
  await field(page, 'Current password').fill('not the password')
  await field(page, 'New password').fill('short')
  await field(page, 'Confirm new password').fill('other')
  await change.click()
  await expect(field(page, 'Confirm new password')).toHaveAccessibleDescription("The passwords don't match.")
  await field(page, 'Confirm new password').fill('short')
  await change.click()
  await expect(field(page, 'New password')).toHaveAccessibleDescription('Use at least 6 characters.')
  await expect(field(page, 'New password')).toBeFocused()
  await field(page, 'New password').fill(ANOTHER)
  await field(page, 'Confirm new password').fill(ANOTHER)
  await change.click()
  await expect(field(page, 'Current password')).toHaveAccessibleDescription("That's not your password.")
  await expect(field(page, 'New password')).toHaveValue(ANOTHER)
  await field(page, 'Current password').fill(PASSWORD)
  await page.route('**/accounts:update?*', unreachable)
  await change.click()
  await expect(alert(page, "Can't reach the server.")).toBeVisible()
  await page.unroute('**/accounts:update?*')
  await change.click()
  await expect(alert(page, 'Password changed.')).toBeVisible()
  await expect(button(page, 'Change password')).toBeFocused()

  await elsewhere.goto('/dashboard/brands')
  await expect(heading(elsewhere, 'Login')).toBeVisible()
  for (const tab of [page, sameBrowser]) {
    await tab.goto('/dashboard/brands')
    await expect(tab.getByText(TEXTS.brandsEmpty)).toBeVisible()
  }
  await fillLogin(elsewhere, person.email, PASSWORD)
  await expect(alert(elsewhere, TEXTS.loginFailed)).toBeVisible()
  await fillLogin(elsewhere, person.email, ANOTHER)
  await expect(heading(elsewhere, 'Brands')).toBeVisible()
  await elsewhere.close()
})

test('logging out everywhere asks first, and then ends every session', async ({
  page,
  browser,
  person,
  reelay,
}) => {
  const elsewhere = await browser.newPage({ baseURL: reelay.url })
  await logIn(elsewhere, person.email)
  await settings(page, person.email)
  const ask = button(page, 'Log out everywhere')
  await ask.click()
  await expect(button(page, 'Stay logged in')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(button(page, 'Stay logged in')).toBeHidden()
  await expect(ask).toBeFocused()

  await ask.click()
  const everywhere = '**/api/v1/user/sign-out-everywhere'
  const answer = page.getByRole('group').getByRole('button', { name: 'Log out everywhere' })
  await page.route(everywhere, unreachable)
  await answer.click()
  await expect(alert(page, 'Network Error')).toBeVisible()
  await page.unroute(everywhere)
  await answer.click()
  await expect(heading(page, 'Login')).toBeVisible()
  await expect(alert(page, "You're logged out everywhere.")).toBeVisible()
  await elsewhere.goto('/dashboard/brands')
  await expect(heading(elsewhere, 'Login')).toBeVisible()
  await fillLogin(page, person.email, PASSWORD)
  await expect(heading(page, 'Overview')).toBeVisible()
  await elsewhere.close()
})

test('deleting an account needs the password, removes all its data, and is confirmed', async ({
  page,
  context,
  person,
}) => {
  await person.call('createBrand', { body: { title: 'Harbour Coffee' } })
  await page.setViewportSize(PHONE)
  await settings(page, person.email)
  const other = await context.newPage()
  await other.goto('/dashboard/brands')
  await expect(other.getByText('Harbour Coffee')).toBeVisible()

  const open = button(page, 'Delete my account').first()
  await open.click()
  await expect(page.getByText('Published posts stay on the platforms.')).toBeVisible()
  await button(page, 'Keep').click()
  await expect(open).toBeFocused()
  await open.click()
  const go = form(page, 'Delete my account').getByRole('button', { name: 'Delete my account' })
  await go.click()
  await expect(field(page, 'Current password')).toHaveAccessibleDescription('Enter your password.')
  await field(page, 'Current password').fill('not the password')
  await go.click()
  await expect(field(page, 'Current password')).toHaveAccessibleDescription("That's not your password.")
  await field(page, 'Current password').fill(PASSWORD)
  await page.route('**/api/v1/user', (route) =>
    route.request().method() === 'DELETE' ? unreachable(route) : route.continue(),
  )
  await go.click()
  await expect(alert(page, 'Network Error')).toBeVisible()
  await page.unroute('**/api/v1/user')
  await go.click()
  await expect(heading(page, 'Login')).toBeVisible()
  await expect(alert(page, 'Your account and everything in it are deleted.')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('userData'))).toBeNull()
  await expect(heading(other, 'Login'), 'every tab learns it').toBeVisible()
  await fillLogin(page, person.email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  expect((await person.request('/brands')).status).toBe(401)
})
