import { control, linkAccount } from '../../support/test-server.ts'
import { expect, go, linkedBrand, logIn, misbehave, newCreator, test } from '../support/fixtures.ts'

test('the first brand is selected, and its accounts show their handles and what they can do', async ({
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

  await logIn(page, person.email, '/dashboard/accounts')
  const brand = page.getByRole('combobox', { name: 'Brand' })
  await expect(brand).toHaveValue('Northwind')
  const list = page.getByRole('list', { name: 'Accounts of Northwind' })
  const row = (name: string) => list.getByRole('listitem').filter({ hasText: `@${name}` })
  await expect(row(creator)).toContainText('TikTok')
  await expect(row(creator).getByText('Linked')).toBeVisible()
  await expect(row(creator)).toContainText(/Access until .+; Reelay renews it automatically/)
  const abilities = row(creator).getByRole('list', { name: 'What it can do now' })
  await expect(abilities).toContainText('No public posts')
  await expect(abilities).toContainText(/[Cc]omments.* turned off in TikTok/)
  await expect(row(creator)).toContainText('About 15 posts a day; 0 posted in the last 24 hours.')

  await expect(row(photos)).toContainText("Couldn't check what this account can do.")
  await row(photos).getByRole('button', { name: 'Try again' }).click()
  await expect(row(photos)).toContainText('0 of 25 posts used in the last 24 hours.')
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
