import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import {
  alert,
  expect,
  fillLogin,
  go,
  logIn,
  mailedLink,
  newEmail,
  PASSWORD,
  test,
} from '../support/fixtures.ts'

const ANOTHER = 'a better horse battery'
const PHONE = { width: 390, height: 844 }

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const form = (page: Page, name: string) => page.getByRole('form', { name })

const isPainted = (page: Page, scheme: 'light' | 'dark') =>
  expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)

async function settings(page: Page, email: string): Promise<void> {
  await logIn(page, email, '/dashboard/settings')
  await expect(page.getByText(`You log in with ${email}`)).toBeVisible()
}

test('mailed links confirm, change and restore an email, and replace a forgotten password', async ({
  page,
  context,
  person,
  reelay,
}) => {
  await page.setViewportSize(PHONE)
  await settings(page, person.email)
  const mail = await context.newPage()

  await test.step('an address is confirmed, and the open page notices', async () => {
    await button(page, 'Send confirmation email').click()
    await expect(alert(page, `Open the link we sent to ${person.email}.`)).toBeVisible()
    await mail.goto(await mailedLink(reelay, person.email, 'verifyEmail'))
    await button(mail, 'Confirm this email').click()
    await expect(mail.getByText(`${person.email} is confirmed.`)).toBeVisible()
    await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()
  })

  const wanted = newEmail()
  await test.step('a new address counts once its link is opened, which ends every session', async () => {
    await button(page, 'Change email').click()
    await field(page, 'New email').fill(wanted)
    await field(page, 'Current password').fill(PASSWORD)
    await button(page, 'Send link to new email').click()
    await expect(alert(page, `Open the link we sent to ${wanted}.`)).toBeVisible()
    await mail.goto(await mailedLink(reelay, wanted, 'verifyAndChangeEmail'))
    await expect(mail.getByText(`You log in with ${person.email} now.`)).toBeVisible()
    await button(mail, 'Confirm this email').click()
    await expect(mail.getByText(`From now on, log in with ${wanted} and the same password.`)).toBeVisible()
    await expect(heading(page, 'Login')).toBeVisible()
    await fillLogin(page, person.email, PASSWORD)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    await fillLogin(page, wanted, PASSWORD)
    await expect(heading(page, 'Settings')).toBeVisible()
  })

  await test.step('whose address it was takes it back', async () => {
    await mail.goto(await mailedLink(reelay, person.email, 'recoverEmail'))
    await button(mail, 'Restore this email').click()
    await expect(mail.getByText(`You log in with ${person.email} again.`)).toBeVisible()
    await expect(heading(page, 'Login')).toBeVisible()
  })

  await test.step('a forgotten password is replaced', async () => {
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(heading(page, 'Forgot Password')).toBeVisible()
    await field(page, 'Email').fill(person.email)
    await button(page, 'Submit').click()
    await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
    await mail.goto(await mailedLink(reelay, person.email, 'resetPassword'))
    await expect(mail.getByText(`For ${person.email}`)).toBeVisible()
    await field(mail, 'New password').fill(ANOTHER)
    await field(mail, 'Confirm new password').fill(ANOTHER)
    await button(mail, 'Set new password').click()
    await expect(mail.getByText('Password changed. Log in with the new one.')).toBeVisible()
    await mail.getByRole('link', { name: 'Log in' }).click()
    await expect(heading(mail, 'Login')).toBeVisible()
    await fillLogin(mail, person.email, PASSWORD)
    await expect(alert(mail, TEXTS.loginFailed)).toBeVisible()
    await fillLogin(mail, person.email, ANOTHER)
    await expect(heading(mail, 'Overview')).toBeVisible()
  })
})

test('settings reach every tab: dark mode, a new password, the end of all sessions, the deletion', async ({
  page,
  context,
  person,
}) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await settings(page, person.email)
  const other = await context.newPage()

  await test.step('dark mode holds for a page that is loaded, and is switched in every tab', async () => {
    const scheme = page.getByRole('radiogroup', { name: 'Dark mode' })
    await isPainted(page, 'light')
    await scheme.getByRole('radio', { name: 'Dark' }).check()
    await isPainted(page, 'dark')
    await other.emulateMedia({ colorScheme: 'light' })
    await other.goto('/dashboard/brands')
    await isPainted(other, 'dark')
    await expect(heading(other, 'Brands')).toBeVisible()
    await scheme.getByRole('radio', { name: 'Light' }).check()
    await isPainted(other, 'light')
  })

  await test.step('a new password logs out no tab of this browser', async () => {
    await button(page, 'Change password').click()
    await field(page, 'Current password').fill(PASSWORD)
    await field(page, 'New password').fill(ANOTHER)
    await field(page, 'Confirm new password').fill(ANOTHER)
    await form(page, 'Change password').getByRole('button', { name: 'Change password' }).click()
    await expect(alert(page, 'Password changed.')).toBeVisible()
    // The other tab's next call uses the old token and must not end the session.
    for (const tab of [other, page]) {
      await go(tab, 'Queue')
      await expect(tab.getByText('No posts yet.')).toBeVisible()
    }
  })

  await test.step('logging out everywhere reaches the other tab; only the new password counts then', async () => {
    await go(page, 'Settings')
    await expect(heading(other, 'Queue')).toBeVisible()
    await button(page, 'Log out everywhere').click()
    await page.getByRole('group').getByRole('button', { name: 'Log out everywhere' }).click()
    await expect(alert(page, "You're logged out everywhere.")).toBeVisible()
    await expect(heading(other, 'Login')).toBeVisible()
    await fillLogin(page, person.email, PASSWORD)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    await fillLogin(page, person.email, ANOTHER)
  })

  await test.step('a session that the server ends is over in every tab', async () => {
    const [calls, renewals] = ['**/api/v1/brands', '**/v1/token?*']
    await page.route(calls, (route) =>
      route.fulfill({ status: 401, json: { message: 'Log in again.', code: 'unauthorized' } }),
    )
    await page.route(renewals, (route) =>
      route.fulfill({ status: 400, json: { error: { code: 400, message: 'USER_DISABLED' } } }),
    )
    await page.getByRole('link', { name: 'Brands' }).click()
    for (const tab of [page, other]) await expect(heading(tab, 'Login')).toBeVisible()
    for (const address of [calls, renewals]) await page.unroute(address)
    await fillLogin(page, person.email, ANOTHER)
  })

  await test.step('a deleted user is out in every tab, and cannot log in', async () => {
    await go(page, 'Settings')
    await expect(heading(other, 'Queue')).toBeVisible()
    await button(page, 'Delete my account').click()
    await field(page, 'Current password').fill(ANOTHER)
    await form(page, 'Delete my account').getByRole('button', { name: 'Delete my account' }).click()
    await expect(heading(page, 'Login')).toBeVisible()
    await expect(alert(page, 'Your account and everything in it are deleted.')).toBeVisible()
    expect(await page.evaluate(() => localStorage.getItem('userData'))).toBeNull()
    await expect(heading(other, 'Login')).toBeVisible()
    await fillLogin(page, person.email, ANOTHER)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    expect((await person.request('/brands')).status).toBe(401)
  })
})
