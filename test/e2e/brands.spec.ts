import type { Page } from '@playwright/test'
import { schedulePost, uploadVideo } from '../publish.ts'
import { alert, expect, go, hold, linkedBrand, logIn, test } from './fixtures.ts'

const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })
const field = (page: Page) => page.getByRole('textbox', { name: 'Brand Name' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'New Brand' })
const create = (page: Page) => dialog(page).getByRole('button', { name: 'Create' })

/** Lists of brands that the browser asks for from here on. */
function listings(page: Page): () => number {
  let asked = 0
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('/api/v1/brands')) asked += 1
  })
  return () => asked
}

/** Refuses the calls of one kind that change a brand, with a body of the API or with none. */
const refuse = (page: Page, method: string, json?: object) =>
  page.route('**/api/v1/brands{,/*}', (route) =>
    route.request().method() === method
      ? route.fulfill(json ? { status: 422, json } : { status: 500, body: '' })
      : route.fallback(),
  )

test('brands are shown in a table of Brand Name and Number of Accounts, and the empty one says so', async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  const letGo = await hold(page, '**/api/v1/brands')
  await page.goto('/dashboard/brands')
  await expect(page.getByRole('main').getByText('Loading')).toBeAttached()
  letGo()
  await expect(page.getByText('No brands available.')).toBeVisible()
  await page.unroute('**/api/v1/brands')

  await page.getByRole('button', { name: 'New Brand' }).click()
  await expect(field(page)).toBeFocused()
  await field(page).fill('#'.repeat(51))
  await create(page).click()
  await expect(field(page)).toHaveAccessibleDescription(
    'Brand name must be between 1 and 50 characters. Brand name contains invalid characters.',
  )
  await expect(field(page)).toBeFocused()
  await field(page).fill('Smith & Sons')
  await create(page).click()
  await expect(field(page)).toHaveAccessibleDescription('Brand name contains invalid characters.')
  await field(page).fill(' ')
  await create(page).click()
  await expect(field(page)).toHaveAccessibleDescription('Brand name must be between 1 and 50 characters.')

  const asked = listings(page)
  await field(page).fill('Northwind Bakery')
  await field(page).press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect(page.getByRole('columnheader').nth(0)).toHaveText('Brand Name')
  await expect(page.getByRole('columnheader').nth(1)).toHaveText('Number of Accounts')
  await expect(row(page, 'Northwind Bakery').getByRole('cell').first()).toHaveText('0')
  expect(asked(), 'the list is fetched again after a create').toBe(1)
  await expect(page.getByRole('button', { name: 'New Brand' })).toBeFocused()
})

test('a refused brand shows the server’s title error first, then its message, then the fixed text', async ({
  page,
  person,
}) => {
  await person.call('createBrand', { body: { title: 'Northwind' } })
  await logIn(page, person.email)
  await go(page, 'Brands')
  const invalid = { code: 'invalid', message: 'Not this one.' }
  const tries = [
    {
      json: { ...invalid, errors: { title: ['That name is taken.', 'It is long.'] } },
      says: 'That name is taken.',
    },
    { json: invalid, says: 'Not this one.' },
  ]
  for (const { json, says } of tries) {
    await refuse(page, 'POST', json)
    await page.getByRole('button', { name: 'New Brand' }).click()
    await field(page).fill('Harbour')
    await create(page).click()
    await expect(dialog(page).getByRole('alert')).toHaveText(`Error creating brand ${says}`)
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toBeHidden()

    await refuse(page, 'PUT', json)
    await page.getByRole('button', { name: 'Edit Northwind' }).click()
    await field(page).fill('Harbour')
    await field(page).press('Enter')
    await expect(page.getByRole('table').getByRole('alert')).toHaveText(says)
    await expect(field(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await page.unroute('**/api/v1/brands{,/*}')
  }
})

test('brands that cannot be fetched or deleted say exactly that, and can be asked for again', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  const { video_id: videoId } = await uploadVideo(person)
  for (const inDays of [2, 3])
    await schedulePost(person, { videoId, text: 'Rye starter', accountIds: [accountId], inDays })
  await logIn(page, person.email)
  await refuse(page, 'GET')
  await page.goto('/dashboard/brands')
  await expect(
    alert(page, 'Failed to fetch brands, please try again later or contact support if the problem persists'),
  ).toBeVisible()
  await page.unroute('**/api/v1/brands{,/*}')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(row(page, 'Northwind')).toBeVisible()

  await refuse(page, 'DELETE')
  await page.getByRole('button', { name: 'Delete Northwind' }).click()
  await expect(row(page, 'Delete Northwind?')).toContainText(
    /2 posts due from \d+ \w+ 20\d\d to \d+ \w+ 20\d\d will not be posted\./,
  )
  await page.getByRole('button', { name: 'Delete brand' }).click()
  await expect(page.getByRole('table').getByRole('alert')).toContainText(
    'Error deleting brand, please try again later or contact support if the problem persists',
  )
})

test('a brand is edited and deleted by keyboard alone, on a phone in the dark: Enter saves, Escape cancels, the focus comes back', async ({
  page,
  person,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await person.call('createBrand', { body: { title: 'Northwind' } })
  await logIn(page, person.email)
  await page.goto('/dashboard/brands')
  const edit = page.getByRole('button', { name: 'Edit Northwind' })
  await edit.focus()
  await page.keyboard.press('Enter')
  await expect(field(page)).toBeFocused()
  await field(page).fill('Never mind')
  await page.keyboard.press('Escape')
  await expect(row(page, 'Northwind')).toBeVisible()
  await expect(edit).toBeFocused()

  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Cancel editing Northwind' }).press('Enter')
  await expect(edit).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Save Northwind' })).toBeVisible()
  await field(page).fill('Smith & Sons')
  await page.getByRole('button', { name: 'Save Northwind' }).click()
  await expect(field(page)).toHaveAccessibleDescription('Brand name contains invalid characters.')
  await field(page).fill("Smith's Bakery")
  const asked = listings(page)
  const saved = Promise.withResolvers<void>()
  await page.route('**/api/v1/brands', async (route) => {
    if (route.request().method() === 'PUT') await saved.promise
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await expect(page.getByText('Saving...')).toBeVisible()
  saved.resolve()
  await expect(row(page, "Smith's Bakery")).toBeVisible()
  await expect(page.getByRole('button', { name: "Edit Smith's Bakery" })).toBeFocused()
  expect(asked(), 'the list is fetched again after a save').toBe(1)

  const remove = page.getByRole('button', { name: "Delete Smith's Bakery" })
  await remove.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Keep' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Keep' })).toBeHidden()
  await expect(remove).toBeFocused()

  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Delete brand' }).press('Enter')
  await expect(page.getByText('No brands available.')).toBeVisible()
  expect(asked(), 'and after a delete').toBe(2)
})
