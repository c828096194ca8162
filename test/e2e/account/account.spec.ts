import type { Page } from '@playwright/test'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { delayResponse, expect, goInApp, newEmail, PASSWORD, test } from '../support/fixtures.ts'

const PHONE = { width: 390, height: 844 }
const HOUR_MS = 3_600_000

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
const password = (page: Page) => page.getByRole('textbox', { name: 'Password', exact: true })
const confirmation = (page: Page) => page.getByRole('textbox', { name: 'Confirm Password' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const noPosts = (page: Page) => page.getByText('No posts yet.')
const noBrands = (page: Page) => page.getByText(TEXTS.brandsEmpty)

/** The results of the token renewals that this tab requests from here on. */
function renewals(tab: Page): number[] {
  const answers: number[] = []
  tab.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('/v1/token')) answers.push(response.status())
  })
  return answers
}

test('sign-up by keyboard on a phone sends the specified payload and lasts for hours in two tabs', async ({
  page,
  context,
}) => {
  const renewedHere = renewals(page)

  await test.step('sign up', async () => {
    await page.setViewportSize(PHONE)
    await page.emulateMedia({ colorScheme: 'light' })
    const release = await delayResponse(page, '**/time-zone-list-*.js')
    await page.goto('/signup')
    await expect(heading(page, 'Sign up')).toBeVisible()
    await expect(page).toHaveTitle('Sign up · Reelay')
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await expect(page.getByText(LABELS.alreadyHaveAccount)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/')

    // The zone's field appears before its list, and keeps its place and focus when the list arrives.
    const lisbon = '(GMT+0:00) Lisbon, Madeira'
    const standIn = page.getByRole('textbox', { name: 'Time zone: Europe/Lisbon' })
    await expect(standIn).toHaveValue(lisbon)
    await standIn.focus()
    await page.evaluate(async () => void (await document.fonts.ready))
    const before = await button(page, 'Sign up').boundingBox()
    release()
    const zone = page.getByRole('combobox', { name: 'Time zone: Europe/Lisbon' })
    await expect(zone).toBeFocused()
    await expect(zone).toHaveValue(lisbon)
    expect(await button(page, 'Sign up').boundingBox()).toEqual(before)

    for (const field of [email(page), page.getByLabel('Nickname')])
      await expect(field).toHaveJSProperty('type', 'text')
    for (const field of [password(page), confirmation(page)])
      await expect(field).toHaveJSProperty('type', 'password')
    await email(page).focus()
    const address = newEmail()
    for (const text of [address, 'Ada', PASSWORD, null, PASSWORD, null]) {
      if (text !== null) await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await expect(zone).toBeFocused()
    await page.keyboard.type('nepal')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: 'Time zone: Asia/Kathmandu' })).toHaveValue(
      '(GMT+5:45) Kathmandu',
    )
    await page.keyboard.press('Tab')
    await expect(button(page, 'Sign up')).toBeFocused()
    const created = page.waitForRequest((request) => request.url().endsWith('/api/v1/users'))
    await page.keyboard.press('Enter')
    expect((await created).postDataJSON()).toEqual({
      email: address,
      nickname: 'Ada',
      timezone: 'Asia/Kathmandu',
      password: PASSWORD,
    })
    await expect(page).toHaveURL('/dashboard/overview')
    await expect(heading(page, 'Overview')).toBeVisible()
  })

  const other = await context.newPage()
  const renewedThere = renewals(other)
  /** An ID token is valid for an hour by the browser's clock. */
  const pass = (hours: number) => context.clock.setFixedTime(Date.now() + hours * HOUR_MS)

  await test.step('a token that is still good is not renewed', async () => {
    await other.goto('/dashboard/brands')
    await expect(noBrands(other)).toBeVisible()
    expect([...renewedHere, ...renewedThere]).toEqual([])
  })

  await test.step('two tabs that renew it at the same time both stay signed in', async () => {
    await pass(2)
    await Promise.all([page.reload(), goInApp(other, '/dashboard/queue')])
    await expect(heading(page, 'Overview')).toBeVisible()
    await expect(noPosts(other)).toBeVisible()
    expect([...renewedHere, ...renewedThere].length).toBeGreaterThan(0)
  })

  await test.step('hours later it is renewed again', async () => {
    const before = [...renewedHere, ...renewedThere].length
    await pass(4)
    for (const tab of [page, other]) {
      const answered = tab.waitForResponse(
        (response) => response.url().endsWith('/api/v1/brands') && response.ok(),
      )
      await goInApp(tab, '/dashboard/brands')
      await answered
      await expect(noBrands(tab)).toBeVisible()
    }
    expect([...renewedHere, ...renewedThere].length).toBeGreaterThan(before)
    expect(new Set([...renewedHere, ...renewedThere])).toEqual(new Set([200]))
  })
})
