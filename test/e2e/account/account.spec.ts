import type { Page, Route } from '@playwright/test'
import { LABELS, TEXTS } from '#contract/texts.ts'
import {
  alert,
  expect,
  fillLogin,
  go,
  delayResponse,
  logIn,
  newEmail,
  PASSWORD,
  test,
} from '../support/fixtures.ts'

const PHONE = { width: 390, height: 844 }

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
const password = (page: Page) => page.getByRole('textbox', { name: 'Password', exact: true })
const confirmation = (page: Page) => page.getByRole('textbox', { name: 'Confirm Password' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Answers as the identity provider refuses, in the words of its protocol. */
const refusing = (message: string) => (route: Route) =>
  route.fulfill({ status: 400, json: { error: { code: 400, message } } })

/** What the browser keeps of the signed-in identity. */
const keptIdentity = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<Record<string, unknown> | null>((resolve, reject) => {
        const opened = indexedDB.open('firebaseLocalStorageDb')
        opened.addEventListener('error', () => reject(new Error('no database')))
        opened.addEventListener('success', () => {
          const all = opened.result
            .transaction('firebaseLocalStorage')
            .objectStore('firebaseLocalStorage')
            .getAll()
          all.addEventListener('success', () => {
            const [record] = all.result as { value: Record<string, unknown> }[] // as the SDK stores it
            resolve(record?.value ?? null)
          })
        })
      }),
  )
const keptProfile = (page: Page) =>
  page.evaluate(
    () => JSON.parse(localStorage.getItem('userData') ?? 'null') as Record<string, unknown> | null,
  )

/** Opens the settings in a tab that waits for the identity provider's answer about the stored user. */
async function openWithHeldLookup(tab: Page): Promise<() => void> {
  const release = await delayResponse(tab, '**/accounts:lookup?*')
  const requested = tab.waitForRequest('**/accounts:lookup?*')
  await tab.goto('/dashboard/settings')
  await requested
  return release
}

test.describe('logging in', () => {
  test('a login that needs a captcha which cannot be fetched says so', async ({ page, person }) => {
    await page.route('**/accounts:signInWithPassword?*', refusing('MISSING_RECAPTCHA_TOKEN'))
    await page.goto('/')
    await fillLogin(page, person.email, PASSWORD)
    await expect(alert(page, "Couldn't check that you're a person.")).toBeVisible()
  })

  test('log-in and log-out reach every tab, and log-out removes the stored identity and profile', async ({
    page,
    context,
    person,
  }) => {
    await logIn(page, person.email)
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    await expect
      .poll(() => keptIdentity(page))
      .toMatchObject({
        uid: expect.any(String),
        email: person.email,
        emailVerified: false,
        isAnonymous: false,
        providerData: [expect.objectContaining({ providerId: 'password' })],
        createdAt: expect.any(String),
        lastLoginAt: expect.any(String),
      })
    const user = await person.call('getUser')
    await expect.poll(() => keptProfile(page)).toEqual(user)

    const other = await context.newPage()
    await other.goto('/dashboard/settings')
    await expect(heading(other, 'Settings')).toBeVisible()
    await button(page, 'Log out').click()
    await expect(heading(page, 'Login')).toBeVisible()
    await expect.poll(() => keptProfile(page)).toBeNull()
    await expect.poll(() => keptIdentity(page)).toBeNull()
    await expect(heading(other, 'Login')).toBeVisible()

    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    // The other tab did not log out itself: it goes on where it was.
    await expect(heading(other, 'Settings')).toBeVisible()
  })

  test('a tab that was opening undoes neither a log-out nor the log-in after it', async ({
    page,
    context,
    person,
  }) => {
    const logOut = async () => {
      await button(page, 'Log out').click()
      await expect(heading(page, 'Login')).toBeVisible()
      await expect.poll(() => keptIdentity(page)).toBeNull()
    }
    await logIn(page, person.email)
    const other = await context.newPage()
    // The SDK looks for changes of other tabs at an interval: here the log-out falls between.
    await other.addInitScript(() => Object.assign(window, { setInterval: () => 0 }))
    let releaseLookup = await openWithHeldLookup(other)
    await logOut()
    releaseLookup()
    await expect(heading(other, 'Login')).toBeVisible()
    await expect.poll(() => keptIdentity(page)).toBeNull()

    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    releaseLookup = await openWithHeldLookup(other)
    await logOut()
    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    releaseLookup()
    await expect(other.getByText('Welcome Ada')).toBeVisible()
    await go(page, 'Settings')
    await expect(page.getByText('Welcome Ada')).toBeVisible()
  })
})

test.describe('signing up', () => {
  test('works by keyboard on a phone and sends exactly the specified payload', async ({ page }) => {
    await page.setViewportSize(PHONE)
    await page.emulateMedia({ colorScheme: 'light' })
    const release = await delayResponse(page, '**/time-zone-list-*.js')
    await page.goto('/signup')
    await expect(heading(page, 'Sign up')).toBeVisible()
    await expect(page).toHaveTitle('Sign up · Reelay')
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
    await expect(page.getByText(LABELS.alreadyHaveAccount)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/')

    // The field of the zone stands before its list has come, and keeps its place and the focus when it does.
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
})

test.describe('a forgotten password', () => {
  test('is replaced through the link in the mail', async ({ page, person, reelay }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(heading(page, 'Forgot Password')).toBeVisible()
    await email(page).fill(person.email)
    await button(page, 'Submit').click()
    await expect(page.getByText(TEXTS.resetSent)).toBeVisible()

    await page.goto(`${reelay.practiceUrl}/mailbox`)
    const mail = page
      .getByRole('listitem')
      .filter({ hasText: person.email })
      .filter({ hasText: 'Reset your Reelay password' })
    // The mailbox renews itself: a click may hit a link that is just being replaced.
    await page.goto(new URL((await mail.getByRole('link').getAttribute('href')) ?? '', page.url()).href)
    await page.getByRole('link', { name: /__\/auth\/action/ }).click()

    await expect(page.getByText(`For ${person.email}`)).toBeVisible()
    const link = page.url()
    const changed = 'a better horse battery'
    const first = page.getByRole('textbox', { name: 'New password', exact: true })
    const second = page.getByRole('textbox', { name: 'Confirm new password' })
    await expect(first).toHaveAttribute('autocomplete', 'new-password')
    await first.fill('short')
    await second.fill('other')
    await button(page, 'Set new password').click()
    await expect(first).toHaveAccessibleDescription('Use at least 6 characters.')
    await expect(second).toHaveAccessibleDescription("The passwords don't match.")

    await first.fill(changed)
    await second.fill(changed)
    const reset = '**/accounts:resetPassword?*'
    await page.route(reset, refusing('PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing.'))
    await button(page, 'Set new password').click()
    await expect(first).toHaveAccessibleDescription('Choose a longer password with a mix of characters.')
    await page.unroute(reset)
    await page.route(reset, (route) => route.abort('connectionrefused'))
    await button(page, 'Set new password').click()
    await expect(alert(page, "Can't reach the server.")).toBeVisible()
    await page.unroute(reset)
    await button(page, 'Set new password').click()
    await expect(page.getByText('Password changed. Log in with the new one.')).toBeVisible()

    await page.goto(link)
    await expect(page.getByRole('alert')).toContainText("This link doesn't work any more.")

    await page.getByRole('link', { name: 'Log in' }).click()
    await expect(heading(page, 'Login')).toBeVisible()
    await fillLogin(page, person.email, PASSWORD)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    await fillLogin(page, person.email, changed)
    await expect(heading(page, 'Overview')).toBeVisible()
  })
})
