import { TEXTS, greeting } from '#contract/texts.ts'
import { alert, expect, go, logIn, test, type Page } from '../support/fixtures.ts'

const PHONE = { width: 412, height: 823 }
const DESKTOP = { width: 1320, height: 840 }
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 }

const menu = (page: Page) => page.getByRole('navigation', { name: 'Dashboard' })
const opener = (page: Page) => page.getByRole('button', { name: 'Open the menu' })

test('the frame fits phones and desktops, and ends at log-out', async ({ page, person }) => {
  await logIn(page, person.email)

  await test.step('under 900 px the sidebar is a drawer with the focus', async () => {
    await page.setViewportSize({ width: 900, height: 740 })
    await expect(menu(page)).toBeVisible()
    await page.setViewportSize({ width: 899, height: 740 })
    await expect(menu(page)).toBeHidden()
    await opener(page).click()
    const drawer = page.getByRole('dialog')
    await expect(drawer).toContainText(greeting('Ada'))
    await expect(drawer.locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(drawer).toBeHidden()
    await expect(opener(page)).toBeFocused()
    await page.keyboard.press('Enter')
    await drawer.getByRole('link', { name: 'Brands' }).click()
    await expect(drawer).toBeHidden()
    await expect(page.getByRole('heading', { level: 1, name: 'Brands' })).toBeVisible()
    await expect(page.getByRole('main')).toBeFocused()
  })

  await test.step('the first Tab shows a link that skips the sidebar', async () => {
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await page.setViewportSize(DESKTOP)
    await page.goto('/dashboard/overview')
    await expect(page.getByRole('link', { name: 'New post' }).first()).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(skip).toBeFocused()
    await expect(skip).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main')).toBeFocused()
  })

  await test.step('a notice is at the bottom, in the middle of the window', async () => {
    await go(page, 'Settings')
    // The notice closes after a while, but this page's time moves only here.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const notice = alert(page, 'Nickname updated.')
    const soon = (check: (options: { timeout: number }) => Promise<void>) =>
      expect(async () => {
        await page.clock.runFor(200)
        await check({ timeout: 500 })
      }).toPass()
    await page.getByLabel('Nickname').fill('Ada L.')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await soon((options) => expect(notice).toBeVisible(options))
    for (const viewport of [PHONE, DESKTOP]) {
      await page.setViewportSize(viewport)
      await soon((options) => expect(opener(page)).toBeVisible({ ...options, visible: viewport === PHONE }))
      const { x, y, width, height } = (await notice.boundingBox()) ?? NOWHERE
      expect(Math.abs(x + width / 2 - viewport.width / 2)).toBeLessThan(12)
      expect(viewport.height - y - height).toBeLessThan(40)
    }
    await page.clock.resume()
  })

  const logOut = menu(page).getByRole('button', { name: 'Log out' })
  await test.step('a browser that cannot remove the user says so, and a retry helps', async () => {
    const [foot, window] = [await logOut.boundingBox(), page.viewportSize()]
    expect((window?.height ?? 0) - (foot?.y ?? 0) - (foot?.height ?? 0)).toBeLessThan(40)
    // The session is in the browser's database, which fails once.
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
    await logOut.click()
    await expect(alert(page, TEXTS.logoutFailed)).toBeVisible()
    await expect(page).toHaveURL('/dashboard/settings')
    await page.evaluate(() => dispatchEvent(new Event('mend')))
    await logOut.click()
    await expect(page).toHaveURL('/')
  })
})

test('the app can be installed, and its frame has the colours of the page', async ({ page, request }) => {
  await test.step('a valid manifest, its icons and matching frame colours', async () => {
    await page.goto('/')
    const devtools = await page.context().newCDPSession(page)
    const manifest = await devtools.send('Page.getAppManifest')
    expect(manifest.errors).toEqual([])
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // A test's browser is a private window.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    )

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
  expect(await asked('/cli/reelay.mjs', 'br')).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  })
  expect(await (await request.get('/cli/reelay.mjs')).text()).toMatch(/^#!\/usr\/bin\/env node\n/)
})
