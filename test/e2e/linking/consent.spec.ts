import type { Page } from '@playwright/test'
import {
  expect,
  alert,
  delayResponse,
  linkedBrand,
  logIn,
  newCreator,
  test,
  type Person,
} from '../support/fixtures.ts'

/** A brand, and the browser at the consent page of its first link. */
async function atConsent(page: Page, person: Person, platform: 'TikTok' | 'Instagram') {
  await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  await logIn(page, person.email, '/dashboard/accounts')
  await page.getByRole('button', { name: 'Add Account' }).click()
  await page.getByRole('button', { name: `Continue with ${platform}` }).click()
  await expect(page.getByRole('heading', { name: 'Let Reelay use your account?' })).toBeVisible()
}

/** What the browser holds of a link that was started. */
async function kept(page: Page): Promise<Record<string, string>> {
  const { origins } = await page.context().storageState()
  const all = origins.flatMap(({ localStorage }) => localStorage)
  const ours = all.filter(({ name }) => name.endsWith('_oauth_state') || name === 'brand_id')
  return Object.fromEntries(ours.map(({ name, value }) => [name, value]))
}

const accounts = (page: Page) => page.getByRole('list', { name: 'Accounts of Northwind Bakery' })

async function backAtAccounts(page: Page) {
  await expect(page).toHaveURL('/dashboard/accounts')
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
}

for (const platform of ['TikTok', 'Instagram'] as const)
  test(`a link with ${platform} is refused, allowed without posting, finished once and linked again`, async ({
    page,
    person,
    reelay,
  }) => {
    const id = platform === 'TikTok' ? 'tiktok' : 'instagram'
    const creator = await newCreator(reelay, id)
    await atConsent(page, person, platform)
    const state = new URL(page.url()).searchParams.get('state')
    const [brand] = await person.call('listBrands')
    expect(await kept(page)).toEqual({ [`${id}_oauth_state`]: state, brand_id: String(brand?.brand_id) })

    await test.step('refused: nothing is linked', async () => {
      await page.getByRole('button', { name: 'Refuse' }).click()
      await backAtAccounts(page)
      await expect(alert(page, `No account linked: you declined on ${platform}.`)).toBeVisible()
      await expect(page.getByText('No accounts are linked to Northwind Bakery yet.')).toBeVisible()
    })

    // TikTok tells the handle only with the permission to post.
    const name = platform === 'TikTok' ? `C${creator.slice(1)}` : `@${creator}`
    const row = accounts(page)
      .getByRole('listitem')
      .filter({ hasText: creator.slice(1) })
    const came = page.waitForRequest((request) => /\/oauth\/\w+\/callback\?.*code=/.test(request.url()))
    await test.step('allowed without posting: linked, and says so', async () => {
      await page.getByRole('button', { name: 'Add Account' }).click()
      await page.getByRole('button', { name: `Continue with ${platform}` }).click()
      const release = await delayResponse(page, `**/api/v1/platforms/${id}/login`)
      await page.getByRole('radio', { name: creator }).check()
      await page.getByRole('checkbox', { name: /publish/ }).uncheck()
      await page.getByRole('button', { name: 'Allow' }).click()
      await expect(
        page.getByText(
          platform === 'TikTok' ? 'Processing TikTok Login...' : 'Processing Instagram authentication...',
        ),
      ).toBeVisible()
      release()
      await backAtAccounts(page)
      await expect(
        alert(
          page,
          `${name} on ${platform} is linked but can't post, because posting wasn't allowed. Link it again and allow posting.`,
        ),
      ).toBeVisible()
      await expect(row.getByText("Can't post")).toBeVisible()
      if (platform === 'TikTok') await expect(row.getByText('Handle unknown')).toBeVisible()
      expect(await kept(page)).toEqual({})
    })

    await test.step('the same answer again links nothing', async () => {
      await page.goto((await came).url())
      await backAtAccounts(page)
      await expect(alert(page, "answered a request that wasn't started in this browser")).toBeVisible()
      await expect(row).toHaveCount(1)
    })

    await test.step('linked again with posting allowed', async () => {
      await row.getByRole('button', { name: `Link again: ${name}` }).click()
      await page.getByRole('radio', { name: creator }).check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await backAtAccounts(page)
      await expect(alert(page, `@${creator} on ${platform} is linked.`)).toBeVisible()
      await expect(row.getByText('Linked')).toBeVisible()
      await expect(row.getByText(`@${creator}`)).toBeVisible()
    })
  })

test('linking an account again as another one is refused by name, and both stay as they were', async ({
  page,
  person,
  reelay,
}) => {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  const other = await newCreator(reelay, 'tiktok')
  await logIn(page, person.email, '/dashboard/accounts')
  await page.getByRole('button', { name: `Link again: @${creator}` }).click()
  await page.getByRole('radio', { name: other }).check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await backAtAccounts(page)
  await expect(
    alert(
      page,
      `You chose @${other}, but the account to link again is @${creator}. Log in there as @${creator} and start again.`,
    ),
  ).toBeVisible()
  await expect(accounts(page)).toContainText(creator)
  await expect(accounts(page)).not.toContainText(other)
})

test('an account that may not be identified is not linked, and the screen names the permission', async ({
  page,
  person,
}) => {
  await atConsent(page, person, 'TikTok')
  await page.getByRole('checkbox', { name: /avatar|user\.info\.basic/i }).uncheck()
  await page.getByRole('button', { name: 'Allow' }).click()
  await backAtAccounts(page)
  await expect(
    alert(page, 'TikTok did not say which account this is. Start again and leave every permission ticked.'),
  ).toBeVisible()
})

test('two links that are started in two tabs for two brands are both finished, in any order', async ({
  page,
  person,
  reelay,
}) => {
  const [one, other] = [await newCreator(reelay, 'tiktok'), await newCreator(reelay, 'tiktok')]
  const northwind = await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  const harbour = await person.call('createBrand', { body: { title: 'Harbour Coffee' } })
  await logIn(page, person.email, '/dashboard/accounts')
  const second = await page.context().newPage()
  await second.goto('/dashboard/accounts')
  await start(page, 'Northwind Bakery')
  await start(second, 'Harbour Coffee')
  await finish(page, one)
  await finish(second, other)
  expect(await person.call('listAccounts', { query: { brandId: northwind.brand_id } })).toMatchObject([
    { username: one },
  ])
  expect(await person.call('listAccounts', { query: { brandId: harbour.brand_id } })).toMatchObject([
    { username: other },
  ])
  expect(await kept(page)).toEqual({})
})

async function start(tab: Page, brand: string) {
  await tab.getByRole('combobox', { name: 'Brand' }).click()
  await tab.getByRole('option', { name: brand }).click()
  await tab.getByRole('button', { name: 'Add Account' }).click()
  await tab.getByRole('button', { name: 'Continue with TikTok' }).click()
  await expect(tab.getByRole('heading', { name: 'Let Reelay use your account?' })).toBeVisible()
}

async function finish(tab: Page, creator: string) {
  await tab.getByRole('radio', { name: creator }).check()
  await tab.getByRole('button', { name: 'Allow' }).click()
  await expect(alert(tab, `@${creator} on TikTok is linked.`)).toBeVisible()
}
