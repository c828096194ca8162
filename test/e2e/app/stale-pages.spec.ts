import { alert, expect, fillLogin, PASSWORD, test } from '../support/fixtures.ts'

test('a page that cannot be loaded says why, and opens once it can', async ({ page, context, person }) => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const menu = page.getByRole('navigation', { name: 'Dashboard' })
  const link = (name: string) => menu.getByRole('link', { name })

  /** Files that the frame loads after the page, delayed as on a slow machine or connection. */
  const LATE = /\/assets\/(?:notification-bell|notices|upload-dock)-.*/
  await page.route(LATE, (route) => route.abort('internetdisconnected'))

  await test.step('a link to a place on a page leads there after logging in', async () => {
    await page.goto('/dashboard/help#going-live')
    await fillLogin(page, person.email, PASSWORD)
    await expect(page.getByRole('heading', { name: 'Running this server' })).toBeInViewport()
    await expect(page).toHaveURL('/dashboard/help#going-live')
  })

  await test.step('what the frame loads later says so in its own place, and comes by itself', async () => {
    await context.setOffline(true)
    const missing = menu.getByRole('button', { name: "Couldn't load the notifications. Try again" })
    await expect(missing).toBeVisible()
    await expect(heading('Help')).toBeVisible()
    await page.unroute(LATE)
    await missing.click()
    await expect(missing).toBeVisible()
    await context.setOffline(false)
    await expect(menu.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  })

  await test.step('without a connection, a screen that was not loaded yet opens once there is one', async () => {
    await context.setOffline(true)
    await link('Settings').click()
    await expect(heading('No connection')).toBeVisible()
    await expect(page.getByRole('alert')).toContainText("The page opens as soon as you're back online.")
    // Loaded pages still open.
    await link('Help').click()
    await expect(heading('Help')).toBeVisible()
    await link('Settings').click()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(heading('No connection')).toBeVisible()
    await context.setOffline(false)
    await expect(heading('Settings')).toBeVisible()
    await expect(page.getByLabel('Nickname')).toBeVisible()
    const unstyled = page
      .locator('link[rel=stylesheet]')
      .evaluateAll((links) =>
        links.filter((sheet) => sheet instanceof HTMLLinkElement && sheet.sheet === null),
      )
    expect(await unstyled).toEqual([])
  })

  await test.step('a page of a replaced build says so, and a reload helps', async () => {
    expect((await page.request.get('/assets/brands-screen-gone.js')).status()).toBe(404)
    await page.route('**/assets/brands-screen-*.js', (route) =>
      route.continue({ url: route.request().url().replace('brands-screen-', 'gone-') }),
    )
    await link('Brands').click()
    const said = "Reelay was updated since you opened it, or the server can't be reached. Reload the page."
    await expect(alert(page, said)).toBeVisible()
    await page.unroute('**/assets/brands-screen-*.js')
    await page.getByRole('button', { name: 'Reload page' }).click()
    await expect(heading('Brands')).toBeVisible()
  })
})
