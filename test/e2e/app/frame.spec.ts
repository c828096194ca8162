import { TEXTS, greeting } from '#contract/texts.ts'
import { alert, delayResponse, expect, go, goInApp, logIn, test, type Page } from '../support/fixtures.ts'

/** Of the screens that the sidebar does not link to, each with another title than the one before. */
const TITLES = {
  visitor: {
    '/': 'Login',
    '/signup': 'Sign up',
    '/forgotPassword': 'Forgot Password',
    '/__/auth/action?mode=resetPassword&oobCode=used': 'New password',
    '/nowhere': 'Page not found',
  },
  owner: {
    '/dashboard': 'Overview',
    '/dashboard/oauth/tiktok/callback': 'Accounts',
    '/dashboard/oauth/nobody/callback': 'Page not found',
    '/dashboard/oauth/instagram/callback': 'Accounts',
    '/dashboard/import': 'Import and export',
    '/dashboard/nowhere': 'Page not found',
    '/dashboard/posts/none': 'Post not found',
  },
}

const LABELS = [
  'Overview',
  'Calendar',
  'Brands',
  'Queue',
  'Library',
  'Accounts',
  'Help',
  'Upload',
  'Settings',
]

const PHONE = { width: 412, height: 823 }
const DESKTOP = { width: 1320, height: 840 }
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 }

const menu = (page: Page) => page.getByRole('navigation', { name: 'Dashboard' })

test('every route that the sidebar does not link to names itself in the tab', async ({ page, person }) => {
  const allNamed = async (titles: Record<string, string>) => {
    for (const [path, title] of Object.entries(titles)) {
      await goInApp(page, path)
      await expect(page, path).toHaveTitle(`${title} · Reelay`)
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveText(title)
    }
  }
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL('/')
  await allNamed(TITLES.visitor)

  await logIn(page, person.email, '/dashboard/nowhere')
  await expect(menu(page)).toBeVisible()
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await expect(page).toHaveURL('/dashboard/overview')
  await allNamed(TITLES.owner)
})

test('the sidebar greets by name, links its pages with icons, and ends with Log out', async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  await expect(menu(page)).toContainText(greeting('Ada'))
  const pages = menu(page).getByRole('list').getByRole('link')
  expect(await pages.allTextContents()).toEqual(LABELS)
  await expect(pages.locator('svg')).toHaveCount(LABELS.length)
  await expect(menu(page).getByRole('link', { name: 'New post' })).toHaveAttribute(
    'href',
    '/dashboard/compose',
  )
  for (const label of LABELS.toReversed()) {
    await go(page, label)
    await expect(page).toHaveURL(`/dashboard/${label.toLowerCase()}`)
    await expect(page).toHaveTitle(`${label} · Reelay`)
    await expect(menu(page).locator('[aria-current=page]')).toHaveText(label)
    // Screen-reader and keyboard users start at the beginning of the page.
    await expect(page.getByRole('main')).toBeFocused()
  }

  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()

  const logOut = menu(page).getByRole('button', { name: 'Log out' })
  const [foot, window] = [await logOut.boundingBox(), page.viewportSize()]
  expect((window?.height ?? 0) - (foot?.y ?? 0) - (foot?.height ?? 0)).toBeLessThan(40)
  await logOut.click()
  await expect(page).toHaveURL('/')
  await page.goto('/dashboard/brands')
  await expect(page).toHaveURL('/')
})

test("'Failed to log out' is shown when the browser cannot remove the user, and a retry helps", async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  // The session lies in the browser's database, which refuses once.
  await page.evaluate(() => {
    const { prototype } = IDBObjectStore
    const own = Object.getOwnPropertyDescriptor(prototype, 'delete') ?? {}
    Object.defineProperty(prototype, 'delete', {
      ...own,
      value: () => {
        throw new DOMException('The disk is full.', 'UnknownError')
      },
    })
    addEventListener('mend', () => Object.defineProperty(prototype, 'delete', own))
  })
  await page.getByRole('button', { name: 'Log out' }).click()
  await expect(alert(page, TEXTS.logoutFailed)).toBeVisible()
  await expect(page).toHaveURL('/dashboard/overview')
  await page.evaluate(() => dispatchEvent(new Event('mend')))
  await page.getByRole('button', { name: 'Log out' }).click()
  await expect(page).toHaveURL('/')
})

test('a notice covers nothing, closes unless focused, and leaves with its page', async ({ page, person }) => {
  await logIn(page, person.email, '/dashboard/settings')
  const notice = alert(page, 'Nickname updated.')
  // The page's time goes on only here: the notice closes by itself after a while.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1000)
  const soon = (check: (options: { timeout: number }) => Promise<void>) =>
    expect(async () => {
      await page.clock.runFor(200)
      await check({ timeout: 500 })
    }).toPass()
  const rename = async (nickname: string) => {
    await page.getByLabel('Nickname').fill(nickname)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await soon((options) => expect(notice).toBeVisible(options))
  }
  await rename('Ada L.')
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport)
    const isNarrow = viewport === PHONE
    await soon((options) =>
      expect(page.getByRole('button', { name: 'Open the menu' })).toBeVisible({
        ...options,
        visible: isNarrow,
      }),
    )
    const [{ x, y, width, height }, main] = await Promise.all([
      notice.boundingBox().then((box) => box ?? NOWHERE),
      page.getByRole('main').boundingBox(),
    ])
    expect(x + width <= (main?.x ?? 0) || y + height <= (main?.y ?? 0), `at ${viewport.width} px`).toBe(true)
  }

  const close = notice.getByRole('button', { name: 'Close' })
  await close.focus()
  await page.clock.fastForward(60_000)
  await expect(notice).toBeVisible()
  await page.getByLabel('Nickname').focus()
  await page.clock.fastForward(60_000)
  await soon((options) => expect(notice).toBeHidden(options))

  await rename('Ada Lovelace')
  await go(page, 'Brands')
  await soon((options) => expect(notice).toBeHidden(options))
})

test('under 900 px the sidebar is a drawer with the focus, closed by Escape, a link or Back', async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  await page.setViewportSize({ width: 900, height: 740 })
  await expect(menu(page)).toBeVisible()
  await page.setViewportSize({ width: 899, height: 740 })
  await expect(menu(page)).toBeHidden()
  const opener = page.getByRole('button', { name: 'Open the menu' })
  await opener.click()
  const drawer = page.getByRole('dialog')
  await expect(drawer).toContainText(greeting('Ada'))
  await expect(drawer.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await drawer.getByRole('link', { name: 'Brands' }).click()
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('heading', { level: 1, name: 'Brands' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  await opener.click()
  await expect(drawer).toBeVisible()
  await page.goBack()
  await expect(drawer).toBeHidden()
})

/** A screen whose code is broken, as a fault of ours would break it. */
const breakScreen = (page: Page, file: string, name: string) =>
  page.route(`**/assets/${file}-*.js`, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export function ${name}() { throw new Error('A planted fault') }`,
    }),
  )

test('a screen that throws says so and leads back, with the sidebar or without', async ({ page, person }) => {
  await breakScreen(page, 'forgot-password-screen', 'ForgotPasswordScreen')
  await page.goto('/forgotPassword')
  await expect(page).toHaveTitle('Something went wrong · Reelay')
  await expect(page.getByRole('alert')).toContainText('This page stopped working.')
  await expect(page.getByRole('link', { name: 'Go to the overview' })).toBeVisible()

  await logIn(page, person.email)
  await breakScreen(page, 'settings-screen', 'SettingsScreen')
  await menu(page).getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveTitle('Something went wrong · Reelay')
  await page.getByText('Details', { exact: true }).click()
  await expect(page.getByText('A planted fault')).toBeVisible()
  await go(page, 'Brands')
  await menu(page).getByRole('link', { name: 'Settings' }).click()
  await page.unroute('**/assets/settings-screen-*.js')
  await page.getByRole('button', { name: 'Reload page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})

test('the app can be installed: a valid manifest, its icons and matching frame colours', async ({
  page,
  request,
}) => {
  await page.goto('/')
  const devtools = await page.context().newCDPSession(page)
  const manifest = await devtools.send('Page.getAppManifest')
  expect(manifest.errors).toEqual([])
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // The browser of a test is a private window.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])

  const { icons } = JSON.parse(manifest.data ?? '{}') as { icons: { src: string; type: string }[] }
  for (const { src, type } of [...icons, { src: '/icons/apple-touch-icon.png', type: 'image/png' }]) {
    const { headers, ok } = await request
      .get(src)
      .then((answer) => ({ headers: answer.headers(), ok: answer.ok() }))
    expect.soft(ok && headers['content-type'], src).toContain(type)
  }
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  const frame = page.locator('meta[name=theme-color]').first()
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(frame).toHaveAttribute('content', '#f7f8f8')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(frame).toHaveAttribute('content', '#0e1315')
})

test('files are compressed and cached for as long as they are valid', async ({ request }) => {
  const asked = async (path: string, encoding: string) =>
    (await request.get(path, { headers: { 'accept-encoding': encoding } })).headers()
  const page = await (await request.get('/')).text()
  const script = /\/assets\/index-[^"]+\.js/.exec(page)?.[0] ?? ''
  expect(await asked(script, 'gzip, br')).toMatchObject({
    'content-encoding': 'br',
    'content-type': expect.stringContaining('javascript'),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: expect.stringMatching(/accept-encoding/i),
  })
  expect(await asked(script, 'gzip')).toMatchObject({ 'content-encoding': 'gzip' })
  expect(await asked(script, 'identity')).not.toHaveProperty('content-encoding')
  for (const path of ['/', '/dashboard/brands'])
    expect(await asked(path, 'br')).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    })
  expect(await asked('/manifest.webmanifest', 'br')).toMatchObject({
    'content-type': expect.stringContaining('application/manifest+json'),
    'cache-control': 'no-cache',
  })
  expect(await asked('/icons/icon-192.png', 'br')).toMatchObject({ 'cache-control': 'public, max-age=86400' })
})

test('on a phone and a desktop, the static shell stands where the app renders the same', async ({
  page,
  person,
}) => {
  const mark = page.locator('.shell-logo, [class*="_logo_"]').filter({ visible: true })
  const heading = page.locator('h1')
  const notice = page.getByText('still in development')
  const places = async () => {
    const [box, title, text] = await Promise.all([
      mark.boundingBox(),
      heading.evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        const { x, y } = range.getBoundingClientRect()
        return { x, y }
      }),
      notice.boundingBox(),
    ])
    return [box, title, text && { ...text, width: 0 }]
  }
  await logIn(page, person.email)
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport)
    const release = await delayResponse(page, '**/assets/main-*.js')
    await page.goto('/dashboard/overview', { waitUntil: 'commit' })
    await expect(notice).toBeVisible()
    await expect(page.getByRole('navigation')).toHaveCount(0)
    await styled(page)
    const before = await places()
    release()
    await expect(page.getByRole('link', { name: 'New post' }).first()).toBeVisible()
    expect(await places(), `at ${viewport.width} px`).toEqual(before)
  }
})

test('a visitor of the dashboard sees nothing of it before the log-in', async ({ page }) => {
  await page.route('**/assets/main-*.js', (route) => route.abort())
  await page.goto('/dashboard/overview')
  await expect(page.getByText('Reelay', { exact: true })).toBeHidden()
  await expect(page.getByText('still in development')).toBeHidden()
})

test('the logo before log-in is painted before the card, in the same place', async ({ page }) => {
  const release = await delayResponse(page, '**/assets/main-*.js')
  await page.goto('/', { waitUntil: 'commit' })
  const mark = page.locator('.shell-logo, [class*="_logo_"]')
  await expect(mark).toBeVisible()
  await styled(page)
  const before = await mark.boundingBox()
  release()
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  expect(await mark.boundingBox()).toEqual(before)
})

/** What is measured before style sheet and fonts are there was never painted. */
async function styled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).margin)).toBe('0px')
  await page.evaluate(async () => void (await document.fonts.ready))
}
