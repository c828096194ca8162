import { fixture } from '../../support/sample.ts'
import { expect, fillLogin, go, linkedBrand, logIn, PASSWORD, test } from '../support/fixtures.ts'

test('a brand that was deleted in another tab leaves the list when it is used', async ({ page, person }) => {
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  await person.call('createBrand', { body: { title: 'Harbour' } })
  await logIn(page, person.email, '/dashboard/accounts')
  const brand = page.getByRole('combobox', { name: 'Brand' })
  await expect(brand).toHaveValue('Northwind')
  await expect(page.getByText('No accounts are linked to Northwind yet.')).toBeVisible()
  await person.call('deleteBrand', { params: { brandId } })
  await page.getByRole('button', { name: 'Add Account' }).click()
  await page.getByRole('button', { name: 'Continue with TikTok' }).click()
  await expect(brand).toHaveValue('Harbour')
})

test('an account that was unlinked in another tab leaves the form, and what was typed stays', async ({
  page,
  person,
  reelay,
}) => {
  const first = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  await linkedBrand(reelay, person, { title: 'Harbour', platform: 'instagram' })
  await logIn(page, person.email, '/dashboard/upload')
  const form = page.getByRole('region', { name: 'Instagram video' })
  await form.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: first.creator }).click()
  await form.getByLabel('Video file').setInputFiles(fixture('good.mp4'))
  await form.getByLabel('Caption').fill('Three ways to plate a tart')
  await person.call('unlinkAccount', { params: { accountId: first.accountId } })
  await form.getByRole('button', { name: /^Publish to @/ }).click()
  await expect(form.getByRole('alert')).toHaveText("Failed to upload video: This account doesn't exist.")
  await expect(form.getByRole('combobox', { name: 'Account' })).toHaveValue('')
  await expect(form.getByLabel('Caption')).toHaveValue('Three ways to plate a tart')
})

test('a link to a place on a page leads there after logging in', async ({ page, person }) => {
  await page.goto('/dashboard/help#going-live')
  await fillLogin(page, person.email, PASSWORD)
  await expect(page.getByRole('heading', { name: 'Running this server' })).toBeInViewport()
  await expect(page).toHaveURL('/dashboard/help#going-live')
})

test('a page of a replaced build says so, and a reload helps', async ({ page, person }) => {
  expect((await page.request.get('/assets/settings-screen-gone.js')).status()).toBe(404)
  await logIn(page, person.email)
  await page.route('**/assets/settings-screen-*.js', (route) =>
    route.continue({ url: route.request().url().replace('settings-screen-', 'gone-') }),
  )
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('alert')).toContainText(
    "Reelay was updated since you opened it, or the server can't be reached. Reload the page.",
  )
  await page.unroute('**/assets/settings-screen-*.js')
  await page.getByRole('button', { name: 'Reload page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})

test('without a connection a new screen opens once there is one, and a request fails for good', async ({
  page,
  context,
  person,
}) => {
  await logIn(page, person.email)
  // Shown by the app's own code, which is loaded then; the heading is there before.
  await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
  const noConnection = page.getByRole('heading', { level: 1, name: 'No connection' })

  await test.step('a screen that was not loaded yet', async () => {
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Settings' }).click()
    await expect(noConnection).toBeVisible()
    await expect(page.getByRole('alert')).toContainText("The page opens as soon as you're back online.")
    // What is there already still opens.
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(noConnection).toBeVisible()
    await context.setOffline(false)
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
    await expect(page.getByLabel('Nickname')).toBeVisible()
  })

  await test.step('a request: it is not repeated later', async () => {
    await go(page, 'Brands')
    await page.getByRole('button', { name: 'New Brand' }).click()
    await page.getByLabel('Brand Name').fill('Northwind')
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Create' }).click()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Network Error')
    await context.setOffline(false)
    await page.reload()
    await expect(page.getByText('No brands available.')).toBeVisible()
  })
})
