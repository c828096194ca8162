import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { alert, expect, fillLogin, logIn, newEmail, PASSWORD, test } from './fixtures.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

async function signUpAs(page: Page, it: { email: string; password: string; confirm?: string }) {
  await page.goto('/signup')
  await page.getByLabel('Email').fill(it.email)
  await page.getByLabel('Nickname').fill('Ada')
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(it.password)
  await page.getByRole('textbox', { name: 'Confirm Password' }).fill(it.confirm ?? it.password)
  await page.getByRole('button', { name: 'Sign up' }).click()
}
const email = (page: Page) => page.getByLabel('Email')
const password = (page: Page) => page.getByRole('textbox', { name: 'Password', exact: true })

test.describe('signing up', () => {
  test('passwords that differ are said beside the confirmation, and nothing is sent', async ({ page }) => {
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await signUpAs(page, { email: newEmail(), password: PASSWORD, confirm: `${PASSWORD}!` })
    const confirm = page.getByRole('textbox', { name: 'Confirm Password' })
    await expect(confirm).toHaveAccessibleDescription('The two passwords differ.')
    await expect(confirm).toBeFocused()
    expect(sent).toEqual([])
  })

  test('an address that is none is said beside the field', async ({ page }) => {
    await signUpAs(page, { email: 'ada', password: PASSWORD })
    await expect(email(page)).toHaveAccessibleDescription('Enter a valid e-mail address.')
  })

  test('a password that the policy refuses is said with what it lacks', async ({ page }) => {
    await signUpAs(page, { email: newEmail(), password: 'short' })
    await expect(password(page)).toHaveAccessibleDescription('Use at least 6 characters.')
  })

  test('an address that has an account already is said beside the field', async ({ page, person }) => {
    await signUpAs(page, { email: person.email, password: PASSWORD })
    await expect(email(page)).toHaveAccessibleDescription(/already/)
  })
})

test.describe('logging in', () => {
  test('a wrong password and an unknown address are answered alike', async ({ page, person }) => {
    await page.goto('/')
    for (const address of [person.email, newEmail()]) {
      await fillLogin(page, address, 'not the password')
      await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
      await page.reload()
    }
  })

  test('a visitor who is not signed in comes back to the page they wanted', async ({ page, person }) => {
    await page.goto('/dashboard/brands')
    await expect(heading(page, 'Login')).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/')
    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Brands')).toBeVisible()
    await expect(page).toHaveURL('/dashboard/brands')
  })

  test('logging out ends the session in every tab', async ({ page, context, person }) => {
    await logIn(page, person.email)
    const other = await context.newPage()
    await other.goto('/dashboard/settings')
    await expect(heading(other, 'Settings')).toBeVisible()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(heading(page, 'Login')).toBeVisible()
    await expect(heading(other, 'Login')).toBeVisible()
  })
})

test('a forgotten password is replaced through the link in the mail', async ({ page, person, reelay }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(heading(page, 'Forgot Password')).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText(TEXTS.resetSent)).toBeVisible()

  await page.goto(`${reelay.practiceUrl}/mailbox`)
  // The mailbox renews itself.
  const mail = page.getByRole('listitem').filter({ hasText: person.email })
  await mail.getByRole('link').click()
  await page.getByRole('link', { name: /__\/auth\/action/ }).click()

  await expect(page.getByText(`For ${person.email}`)).toBeVisible()
  const link = page.url()
  const changed = 'a better horse battery'
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(changed)
  await page.getByRole('textbox', { name: 'Confirm new password' }).fill(changed)
  await page.getByRole('button', { name: 'Set new password' }).click()
  await expect(page.getByText('Your password is changed. Log in with the new one.')).toBeVisible()

  await page.goto(link)
  await expect(page.getByRole('alert')).toContainText('This link cannot be used.')

  await page.getByRole('link', { name: 'Log in' }).click()
  await expect(heading(page, 'Login')).toBeVisible()
  await fillLogin(page, person.email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  await fillLogin(page, person.email, changed)
  await expect(heading(page, 'Overview')).toBeVisible()
})

test('a reset for an unknown address is answered like any other', async ({ page }) => {
  await page.goto('/forgotPassword')
  await page.getByLabel('Email').fill(newEmail())
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
})
