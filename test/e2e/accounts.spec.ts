import { control, linkAccount } from '../support/harness.ts'
import { alert, expect, go, hold, linkedBrand, logIn, misbehave, newCreator, test } from './fixtures.ts'

test('without brands the selector is disabled and says so; brands that cannot be fetched are an error', async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  await go(page, 'Accounts')
  const brand = page.getByRole('combobox', { name: 'Brand' })
  await expect(brand).toBeDisabled()
  await expect(brand).toHaveAttribute('placeholder', 'No brands found')
  await expect(page.getByRole('button', { name: 'Add Account' })).toBeDisabled()
  await expect(page.getByRole('link', { name: 'Go to brands' })).toBeVisible()

  await person.call('createBrand', { body: { title: 'Northwind' } })
  const letGo = await hold(page, '**/api/v1/brands', (route) => route.fulfill({ status: 500, body: '' }))
  await page.reload()
  await expect(page.getByRole('main').getByText('Loading')).toBeAttached()
  letGo()
  await expect(alert(page, 'Error fetching brands')).toBeVisible()
  await page.unroute('**/api/v1/brands')

  await page.route('**/api/v1/accounts?*', (route) => route.fulfill({ status: 500, body: '' }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(alert(page, 'Request failed with status code 500')).toBeVisible()
  await page.unroute('**/api/v1/accounts?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No accounts are linked to Northwind yet.')).toBeVisible()
})

test('the first brand is selected, and each of its accounts shows its handle and what it can do now', async ({
  page,
  person,
  reelay,
}) => {
  const { brandId, creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  const photos = await newCreator(reelay, 'instagram')
  await linkAccount(person, { platform: 'instagram', brandId, creator: photos })
  await person.call('createBrand', { body: { title: 'Harbour' } })
  const change = (it: object) => control(reelay.practiceUrl, 'POST', '/_control/accounts', it)
  await change({ platform: 'tiktok', username: creator, private: true, comment_disabled: true })
  await change({ platform: 'instagram', username: photos, daily_limit: 25 })
  await misbehave(reelay, { platform: 'instagram', account: photos, call: 'me', fault: 'html_502' })
  const asked: string[] = []
  page.on('request', (request) => request.url().endsWith('/options') && asked.push(request.url()))

  await logIn(page, person.email)
  await page.goto('/dashboard/accounts')
  const brand = page.getByRole('combobox', { name: 'Brand' })
  await expect(brand).toHaveValue('Northwind')
  const list = page.getByRole('list', { name: 'Accounts of Northwind' })
  const row = (name: string) => list.getByRole('listitem').filter({ hasText: `@${name}` })
  await expect(row(creator)).toContainText('TikTok')
  await expect(row(creator).getByText('Linked')).toBeVisible()
  await expect(row(creator)).toContainText(/Access until .+ unless renewed; Reelay renews it by itself/)
  const abilities = row(creator).getByRole('list', { name: 'What it can do now' })
  await expect(abilities).toContainText('No public posts')
  await expect(abilities).toContainText(/[Cc]omments.* switched off in TikTok/)
  await expect(row(creator)).toContainText(
    'TikTok takes about 15 posts a day; 0 went out from here in the last 24 hours.',
  )

  await expect(row(photos)).toContainText('What it can do now is not known.')
  await row(photos).getByRole('button', { name: 'Try again' }).click()
  await expect(row(photos)).toContainText('0 of 25 posts in 24 hours are used.')
  expect(asked, 'one question for each account, and the one that was repeated').toHaveLength(3)

  await brand.click()
  await page.getByRole('option', { name: 'Harbour' }).click()
  await expect(page.getByText('No accounts are linked to Harbour yet.')).toBeVisible()
  await page.reload()
  await expect(brand).toHaveValue('Harbour')
  const add = page.getByRole('button', { name: 'Add Account' })
  await add.click()
  const dialog = page.getByRole('dialog', { name: 'Add Account' })
  await expect(dialog.getByRole('button', { name: 'Continue with TikTok' })).toBeFocused()
  await expect(dialog.getByRole('button', { name: 'Continue with Instagram' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(add).toBeFocused()

  await go(page, 'Brands')
  await page.getByRole('link', { name: '0: show the accounts of Harbour' }).click()
  await expect(brand).toHaveValue('Harbour')
})

test('an account says when it must be linked again and why, and is unlinked by keyboard, on a phone in the dark', async ({
  page,
  person,
  reelay,
}) => {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await logIn(page, person.email)
  const seenAs = (change: object) =>
    page.route('**/api/v1/accounts?*', async (route) => {
      const accounts = (await (await route.fetch()).json()) as object[]
      await route.fulfill({ json: accounts.map((account) => ({ ...account, ...change })) })
    })
  await seenAs({ health: { status: 'relink', reason: 'The owner has withdrawn the access.' } })
  await page.goto('/dashboard/accounts')
  const row = page.getByRole('list', { name: 'Accounts of Northwind' }).getByRole('listitem').first()
  await expect(row).toContainText('The owner has withdrawn the access.')
  await expect(row.getByRole('button', { name: `Link again: @${creator}` })).toBeVisible()
  await page.unroute('**/api/v1/accounts?*')
  await seenAs({ access_ends_at: new Date(Date.now() + 12 * 86_400_000 + 60_000).toISOString() })
  await page.reload()
  await expect(row).toContainText('Expires in 12 d')
  await expect(row).toContainText('Link the account again before then.')

  const unlink = row.getByRole('button', { name: `Unlink @${creator}` })
  await unlink.focus()
  await page.keyboard.press('Enter')
  await expect(row.getByRole('button', { name: 'Keep' })).toBeFocused()
  await expect(row.getByRole('group', { name: `Unlink @${creator}?` })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(unlink).toBeFocused()
  await page.route('**/api/v1/accounts/*', (route) =>
    route.fulfill({ status: 409, json: { code: 'in_flight', message: 'A post to it is on its way.' } }),
  )
  await page.keyboard.press('Enter')
  await row.getByRole('button', { name: 'Unlink account' }).press('Enter')
  await expect(row.getByRole('alert')).toContainText('A post to it is on its way.')
  await page.unroute('**/api/v1/accounts/*')
  await row.getByRole('button', { name: 'Unlink account' }).press('Enter')
  await expect(alert(page, `@${creator} is unlinked.`)).toBeVisible()
  await expect(page.getByText('No accounts are linked to Northwind yet.')).toBeVisible()
})
