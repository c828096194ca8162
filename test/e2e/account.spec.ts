import type { Page, Route } from '@playwright/test'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { alert, expect, fillLogin, hold, logIn, newEmail, PASSWORD, test } from './fixtures.ts'

const PHONE = { width: 390, height: 844 }

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
const password = (page: Page) => page.getByRole('textbox', { name: 'Password', exact: true })
const confirmation = (page: Page) => page.getByRole('textbox', { name: 'Confirm Password' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Answers as the identity provider refuses, in the words of its protocol. */
const refusing = (message: string) => (route: Route) =>
  route.fulfill({ status: 400, json: { error: { code: 400, message } } })

/** What the page says on the console. */
function listen(page: Page): string[] {
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  return said
}

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

test.describe('logging in', () => {
  test('the form takes an email and a password by keyboard, says what is missing, and fits a phone', async ({
    page,
    person,
  }) => {
    await page.setViewportSize(PHONE)
    await page.goto('/')
    await expect(heading(page, 'Login')).toBeVisible()
    await expect(page).toHaveTitle('Login · Reelay')
    await expect(page.getByRole('link', { name: 'Forgot password?' })).toHaveAttribute(
      'href',
      '/forgotPassword',
    )
    await expect(page.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup')
    await expect(email(page)).toHaveAttribute('autocomplete', 'username')
    await expect(password(page)).toHaveAttribute('autocomplete', 'current-password')

    await email(page).press('Enter')
    await expect(email(page)).toHaveAccessibleDescription('Enter your email.')
    await expect(password(page)).toHaveAccessibleDescription('Enter your password.')
    await expect(email(page)).toBeFocused()

    await page.keyboard.type(person.email)
    await page.keyboard.press('Tab')
    await expect(password(page)).toBeFocused()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Tab')
    const show = button(page, 'Show password')
    await expect(show).toBeFocused()
    await page.keyboard.press('Space')
    await expect(show).toHaveAttribute('aria-pressed', 'true')
    await expect(password(page)).toHaveAttribute('type', 'text')
    await page.keyboard.press('Space')
    await expect(password(page)).toHaveAttribute('type', 'password')
    await page.keyboard.press('Tab')
    await expect(button(page, 'Login')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/dashboard/overview')
  })

  test('a refusal is said in the form and logged, one text for whatever is wrong with address or password', async ({
    page,
    person,
  }) => {
    const said = listen(page)
    const identityCalls: URL[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.includes('accounts:')) identityCalls.push(url)
    })
    const signIn = '**/accounts:signInWithPassword?*'
    await page.goto('/')
    for (const address of [person.email, newEmail(), 'not an address']) {
      await fillLogin(page, address, 'not the password')
      await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    }
    expect(identityCalls[0]?.origin).toBe(new URL(page.url()).origin)
    expect(identityCalls[0]?.pathname).toBe('/identity/v1/accounts:signInWithPassword')
    expect(said.filter((line) => line.startsWith('Login failed'))).toHaveLength(3)

    for (const [refusal, text] of [
      ['TOO_MANY_ATTEMPTS_TRY_LATER : Wait.', TEXTS.tooManyAttempts],
      ['USER_DISABLED', TEXTS.loginFailed],
      ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing.', 'Your password no longer meets the rules'],
      ['MISSING_RECAPTCHA_TOKEN', 'The check that you are a person could not be made.'],
      ['SOMETHING_NEW', 'Something went wrong. Try again.'],
    ] as const) {
      await page.route(signIn, refusing(refusal))
      await button(page, 'Login').click()
      await expect(alert(page, text)).toBeVisible()
      await page.unroute(signIn)
    }

    await page.route(signIn, (route) => route.abort('connectionrefused'))
    await button(page, 'Login').click()
    await expect(
      alert(page, 'The server cannot be reached. Check your connection and try again.'),
    ).toBeVisible()
    await page.unroute(signIn)

    const letGo = await hold(page, signIn)
    await fillLogin(page, person.email, PASSWORD)
    await expect(button(page, 'Login')).toHaveAttribute('data-loading', 'true')
    await expect(page.getByRole('alert')).toBeHidden()
    letGo()
    await expect(heading(page, 'Overview')).toBeVisible()
  })

  test('a visitor who is not signed in comes back to the page they wanted', async ({ page, person }) => {
    await page.goto('/dashboard/queue?status=failed')
    await expect(heading(page, 'Login')).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/')
    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Queue')).toBeVisible()
    await expect(page).toHaveURL('/dashboard/queue?status=failed')
  })

  test('a session that ends is told of, and logging in goes on where it was', async ({ page, person }) => {
    await logIn(page, person.email)
    await page.route('**/api/v1/brands', (route) =>
      route.fulfill({ status: 401, json: { message: 'Log in again.', code: 'unauthorized' } }),
    )
    await page.goto('/dashboard/brands')
    await expect(heading(page, 'Login')).toBeVisible()
    await expect(alert(page, 'Your session has ended. Log in to go on where you were.')).toBeVisible()
    await page.unroute('**/api/v1/brands')
    await fillLogin(page, person.email, PASSWORD)
    await expect(page).toHaveURL('/dashboard/brands')
    await expect(heading(page, 'Brands')).toBeVisible()
  })

  test('the identity and the profile are kept in the browser until log-out, which every tab notices, as it does log-in', async ({
    page,
    context,
    person,
  }) => {
    await logIn(page, person.email)
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    expect(await keptIdentity(page)).toMatchObject({
      uid: expect.any(String),
      email: person.email,
      emailVerified: false,
      isAnonymous: false,
      providerData: [expect.objectContaining({ providerId: 'password' })],
      createdAt: expect.any(String),
      lastLoginAt: expect.any(String),
    })
    const user = await person.call('getUser')
    expect(await keptProfile(page)).toEqual(user)

    const other = await context.newPage()
    await other.goto('/dashboard/settings')
    await expect(heading(other, 'Settings')).toBeVisible()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(heading(page, 'Login')).toBeVisible()
    expect(await keptProfile(page)).toBeNull()
    expect(await keptIdentity(page)).toBeNull()
    await expect(heading(other, 'Login')).toBeVisible()

    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    // The other tab did not log out itself: it goes on where it was.
    await expect(heading(other, 'Settings')).toBeVisible()
  })
})

test.describe('signing up', () => {
  test('by keyboard on a phone: dark, the zone found by its country, exactly the specified payload, then the overview', async ({
    page,
  }) => {
    await page.setViewportSize(PHONE)
    await page.emulateMedia({ colorScheme: 'light' })
    const letGo = await hold(page, '**/time-zone-list-*.js')
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
    const before = await button(page, 'Sign up').boundingBox()
    letGo()
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

  test('what is wrong is said beside its field, the first of them takes the focus, and nothing is sent', async ({
    page,
  }) => {
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.route('**/v2/passwordPolicy?*', async (route) => {
      const answer = await route.fetch()
      const policy = (await answer.json()) as Record<string, unknown> // the provider's, in its protocol
      const customStrengthOptions = {
        minPasswordLength: 8,
        containsUppercaseCharacter: true,
        containsNumericCharacter: true,
        containsNonAlphanumericCharacter: true,
      }
      await route.fulfill({ json: { ...policy, customStrengthOptions, enforcementState: 'ENFORCE' } })
    })
    await page.goto('/signup')
    await button(page, 'Sign up').click()
    await expect(email(page)).toHaveAccessibleDescription('Enter a valid e-mail address.')
    await expect(page.getByLabel('Nickname')).toHaveAccessibleDescription('Enter a nickname.')
    await expect(password(page)).toHaveAccessibleDescription('Use at least 6 characters.')
    await expect(password(page)).toHaveAttribute('aria-invalid', 'true')
    await expect(email(page)).toBeFocused()

    await email(page).fill('ada')
    await page.getByLabel('Nickname').fill('Ada')
    await password(page).fill('secret')
    await confirmation(page).fill('secret!')
    await button(page, 'Sign up').click()
    await expect(email(page)).toHaveAccessibleDescription('Enter a valid e-mail address.')
    await expect(confirmation(page)).toHaveAccessibleDescription('The two passwords differ.')

    await email(page).fill(newEmail())
    await button(page, 'Sign up').click()
    await expect(confirmation(page)).toBeFocused()

    await confirmation(page).fill('secret')
    await button(page, 'Sign up').click()
    await expect(password(page)).toHaveAccessibleDescription(
      'Use at least 8 characters. Add an upper-case letter. Add a digit. Add a symbol.',
    )
    await expect(password(page)).toBeFocused()
    expect(sent).toEqual([])
  })

  test('what the server says, or that it says nothing, is told in the form', async ({ page, person }) => {
    const users = '**/api/v1/users'
    await page.goto('/signup')
    await email(page).fill(person.email)
    await page.getByLabel('Nickname').fill('Ada')
    await password(page).fill(PASSWORD)
    await confirmation(page).fill(PASSWORD)
    const answers: [(route: Route) => Promise<void>, string][] = [
      [(route) => route.abort('connectionrefused'), 'Network Error'],
      [(route) => route.fulfill({ status: 502, body: '' }), 'Request failed with status code 502'],
      [(route) => route.fulfill({ status: 404, body: 'gone' }), 'Request failed with status code 404'],
      [
        (route) =>
          route.fulfill({ status: 403, json: { message: TEXTS.signupClosed, code: 'signup_closed' } }),
        TEXTS.signupClosed,
      ],
    ]
    for (const [answer, text] of answers) {
      await page.route(users, answer)
      await button(page, 'Sign up').click()
      await expect(alert(page, text)).toBeVisible()
      await page.unroute(users)
    }

    await page.route(users, async (route) => {
      await expect(button(page, 'Sign up')).toHaveAttribute('data-loading', 'true')
      await route.continue()
    })
    await button(page, 'Sign up').click()
    await expect(email(page)).toHaveAccessibleDescription(/already/)
    await expect(email(page)).toBeFocused()
    await expect(page.getByRole('alert')).toBeHidden()

    // The account is made; only the log-in that follows is refused.
    await email(page).fill(newEmail())
    await page.route('**/accounts:signInWithPassword?*', refusing('TOO_MANY_ATTEMPTS_TRY_LATER'))
    await button(page, 'Sign up').click()
    await expect(alert(page, `Your account is made. ${TEXTS.tooManyAttempts}`)).toBeVisible()
  })

  test('where sign-up is closed the screen says so, and never shows its form', async ({ page }) => {
    const { promise: looked, resolve: answerNow } = Promise.withResolvers<void>()
    await page.route('**/api/v1/settings', async (route) => {
      const answer = await route.fetch()
      await looked
      await route.fulfill({ json: { ...((await answer.json()) as object), signup: 'closed' } })
    })
    await page.goto('/signup')
    await expect(heading(page, 'Sign up')).toBeVisible()
    await expect(email(page)).toBeHidden()
    await expect(button(page, 'Sign up')).toBeHidden()
    answerNow()
    await expect(alert(page, 'Sign-up is closed on this server.')).toBeVisible()
    await expect(email(page)).toBeHidden()
    await expect(button(page, 'Sign up')).toBeHidden()
    await page.getByRole('link', { name: 'Log in' }).click()
    await expect(heading(page, 'Login')).toBeVisible()
  })
})

test.describe('a forgotten password', () => {
  test('is asked for by email; the confirmation replaces the form whatever the outcome, which is only logged', async ({
    page,
  }) => {
    const said = listen(page)
    await page.setViewportSize(PHONE)
    await page.goto('/forgotPassword')
    await expect(heading(page, 'Forgot Password')).toBeVisible()
    await expect(page.getByText(LABELS.returnTo)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/')
    // Nothing is checked, not even that there is an address.
    await email(page).press('Enter')
    await expect(page.getByText('Check your inbox for further instructions')).toBeVisible()
    expect(said.filter((line) => line.startsWith('Password reset failed'))).toHaveLength(1)
    await page.reload()

    await page.route('**/accounts:sendOobCode?*', async (route) => {
      await expect(button(page, 'Submit')).toHaveAttribute('data-loading', 'true')
      await route.abort('connectionrefused')
    })
    await email(page).fill(newEmail())
    await page.keyboard.press('Enter')
    await expect(page.getByText('Check your inbox for further instructions')).toBeFocused()
    await expect(email(page)).toBeHidden()
    expect(said.filter((line) => line.startsWith('Password reset failed'))).toHaveLength(2)

    // An address that nobody has is answered alike.
    await page.unroute('**/accounts:sendOobCode?*')
    await page.getByRole('link', { name: 'Login' }).click()
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await email(page).fill(newEmail())
    await button(page, 'Submit').click()
    await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
    expect(said.filter((line) => line.startsWith('Password reset failed'))).toHaveLength(2)
  })

  test('is replaced through the link in the mail', async ({ page, person, reelay }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(heading(page, 'Forgot Password')).toBeVisible()
    await email(page).fill(person.email)
    await button(page, 'Submit').click()
    await expect(page.getByText(TEXTS.resetSent)).toBeVisible()

    await page.goto(`${reelay.practiceUrl}/mailbox`)
    // The mailbox renews itself.
    const mail = page
      .getByRole('listitem')
      .filter({ hasText: person.email })
      .filter({ hasText: 'Reset your Reelay password' })
    await mail.getByRole('link').click()
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
    await expect(second).toHaveAccessibleDescription('The two passwords differ.')

    await first.fill(changed)
    await second.fill(changed)
    const reset = '**/accounts:resetPassword?*'
    await page.route(reset, refusing('PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing.'))
    await button(page, 'Set new password').click()
    await expect(first).toHaveAccessibleDescription(
      'Choose a longer password with different kinds of characters.',
    )
    await page.unroute(reset)
    await page.route(reset, (route) => route.abort('connectionrefused'))
    await button(page, 'Set new password').click()
    await expect(alert(page, 'The server cannot be reached.')).toBeVisible()
    await page.unroute(reset)
    await button(page, 'Set new password').click()
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

  test('a link that is old, of another kind or not to be checked now is told apart', async ({ page }) => {
    const reset = '**/accounts:resetPassword?*'
    await page.setViewportSize(PHONE)
    await page.route(reset, (route) => route.abort('connectionrefused'))
    await page.goto('/__/auth/action?mode=resetPassword&oobCode=old')
    await expect(alert(page, 'The server cannot be reached.')).toBeVisible()
    await page.unroute(reset)
    await page.route(reset, refusing('EXPIRED_OOB_CODE'))
    await button(page, 'Try again').click()
    await expect(alert(page, 'This link has expired. Ask for a new one.')).toBeVisible()
    await page.getByRole('link', { name: 'Ask for a new link' }).click()
    await expect(heading(page, 'Forgot Password')).toBeVisible()

    await page.goto('/__/auth/action?mode=revertSecondFactorAddition&oobCode=abc')
    await expect(page.getByText('This link asks for something that Reelay does not do.')).toBeVisible()
    await page.goto('/__/auth/action?mode=resetPassword')
    await expect(alert(page, 'This link cannot be used.')).toBeVisible()
  })
})
